"""plotly: figures as HTML in a file, and as JSON."""

import json
from importlib.metadata import version

import pandas as pd
import plotly.express as px
import plotly.graph_objects as go

frame = pd.DataFrame({"city": ["Ulm", "Graz"], "sold": [3, 4]})
figure = px.bar(frame, x="city", y="sold", title="Sales")
figure.add_trace(go.Scatter(x=["Ulm", "Graz"], y=[1, 2], name="bought"))
figure.write_html("sales.html", include_plotlyjs="cdn")
with open("sales.html") as file:
    assert "Sales" in file.read()
data = json.loads(figure.to_json())["data"]
assert [trace["type"] for trace in data] == ["bar", "scatter"]

print("ok", "plotly", version("plotly"))
