"""What is there for the purpose of a package that is not: by a table, not by guesswork.

`tests/test_substitutes.py` holds the table against the venv.
"""

# Purpose, what serves it here (the best first), and the modules that are missed.
_TABLE: tuple[tuple[str, str, str], ...] = (
    ("plots", "matplotlib seaborn",
     "altair bokeh chart_studio dash ggplot gradio holoviews hvplot lets_plot mplfinance panel "
     "plotly plotnine pygal pyecharts streamlit vega vega_datasets wordcloud"),
    ("maps", "matplotlib", "basemap cartopy contextily folium geopandas geoplot"),
    ("geometry", "numpy scipy.spatial", "fiona pyproj rasterio shapely"),
    ("tables", "pandas", "cudf dask datatable ibis koalas modin polars pyspark vaex"),
    ("queries over tables", "pandas sqlite3", "duckdb pandasql"),
    ("storing tables (there is no Parquet, Feather or HDF5)", "csv sqlite3 openpyxl pickle",
     "fastparquet h5py netCDF4 pyarrow tables xarray zarr"),
    ("machine learning", "sklearn",
     "autogluon autosklearn catboost fastai flax flaml imblearn jax keras lightgbm mlxtend mxnet "
     "optuna pycaret pytorch_lightning shap skorch tensorflow theano torch torchvision umap "
     "xgboost yellowbrick"),
    ("statistics", "scipy.stats sklearn",
     "arch arviz emcee lifelines linearmodels patsy pingouin pmdarima prophet pymc pymc3 rpy2 "
     "statsforecast statsmodels"),
    ("working on text", "re difflib sklearn.feature_extraction.text",
     "flair fuzzywuzzy gensim jieba langdetect Levenshtein nltk rapidfuzz spacy textblob thefuzz "
     "transformers vaderSentiment"),
    ("images", "PIL scipy.ndimage",
     "cv2 easyocr imageio imutils kornia mahotas pytesseract skimage wand"),
    ("sound", "wave scipy.io.wavfile scipy.signal", "librosa pydub simpleaudio soundfile"),
    ("fast numerics", "numpy scipy",
     "cupy cython numba numexpr pythran pyximport"),
    ("optimisation", "scipy.optimize", "casadi cvxopt cvxpy deap gurobipy mip ortools pulp pyomo"),
    ("algebra", "sympy", "sage symengine"),
    ("graphs", "networkx", "graph_tool graphviz igraph pydot pygraphviz pyvis"),
    ("Excel files", "openpyxl xlrd", "odf pyexcel pyxlsb xlsxwriter xlwings xlwt"),
    ("reading PDF files", "PyPDF2", "camelot fitz pdfminer pdfplumber pymupdf pypdf tabula"),
    ("making PDF files", "matplotlib.backends.backend_pdf",
     "borb fpdf pdfkit pylatex reportlab weasyprint xhtml2pdf"),
    ("documents", "docx openpyxl", "docxtpl pptx"),
    ("web pages and APIs", "requests bs4 lxml",
     "aiohttp httpx mechanicalsoup playwright pyppeteer pyquery scrapy selenium"),
    ("financial data", "yfinance pandas", "alpha_vantage backtrader pandas_datareader pandas_ta "
     "quandl ta talib vectorbt"),
    ("databases", "sqlite3 peewee",
     "MySQLdb asyncpg mysql psycopg psycopg2 pymongo pymysql pyodbc redis sqlalchemy sqlmodel"),
    ("checked data", "dataclasses attrs", "marshmallow pydantic typeguard"),
    ("dates and times", "datetime zoneinfo dateutil", "arrow dateparser pendulum"),
    ("invented data", "random", "factory faker mimesis"),
    ("asynchronous code", "asyncio", "anyio curio gevent trio uvloop"),
    ("JSON", "json", "demjson msgpack orjson rapidjson simplejson ujson"),
    ("configuration files", "tomllib configparser yaml", "dotenv omegaconf ruamel toml tomlkit"),
    ("command lines", "argparse", "click docopt fire typer"),
    ("logging", "logging", "loguru structlog"),
    ("tests", "unittest doctest", "hypothesis nose pytest"),
    ("character sets", "charset_normalizer", "cchardet chardet"),
    ("Markdown", "markdown markdown_it", "commonmark markdown2 mistune"),
    ("cryptography", "hashlib hmac secrets", "Crypto bcrypt cryptography nacl passlib"),
    ("progress bars", "tqdm", "alive_progress progressbar"),
)  # fmt: skip


def of(missing: str, known: set[str]) -> tuple[str, list[str]] | None:
    """The purpose of the module `missing`, and what of the `known` top-level modules serves it."""
    for purpose, serving, missed in _TABLE:
        if missing in missed.split():
            found = [name for name in serving.split() if name.partition(".")[0] in known]
            return (purpose, found) if found else None
    return None


def all_serving() -> set[str]:
    """Every module that the table names as a substitute."""
    return {name for _, serving, _ in _TABLE for name in serving.split()}


def all_missed() -> list[str]:
    """Every module that the table says is missing."""
    return [name for *_, missed in _TABLE for name in missed.split()]
