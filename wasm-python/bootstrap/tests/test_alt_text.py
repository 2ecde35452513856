"""The text twin of a figure, word for word."""

import importlib.util
import unittest

from .harness import HAS_MATPLOTLIB, native

GREY = 128  # of 255
HEAD = "import matplotlib.pyplot as plt\nimport numpy as np\n"

TWINS = {
    "line": (
        "plt.plot([1, 2, 3], [3, 1, 2], label='north')\n"
        "plt.plot([1, 2, 3], [30, 1, 2], label='south')\nplt.legend()\n"
        "plt.title('Sales')\nplt.xlabel('month')\nplt.ylabel('EUR')",
        'line plot "Sales", x "month" 0.9 to 3.1, y "EUR" -0.45 to 31.45; '
        '"north": 3 points for x 1 to 3, first 3, last 2, min 1, max 3; '
        '"south": 3 points for x 1 to 3, first 30, last 2, min 1, max 30.',
    ),
    "logarithmic": (
        "plt.plot([1, 10], [1, 1000])\nplt.yscale('log')",
        (
            "line plot, x 0.55 to 10.45, y 0.7079 to 1413 (log); 2 points for x 1 to 10, first 1, "
            "last 1000, min 1, max 1000."
        ),
    ),
    "dates": (
        "import datetime as d\nplt.plot([d.date(2024, 1, 1), d.date(2024, 3, 1)], [1, 2])",
        "line plot, x 2023-12-29 to 2024-03-04, y 0.95 to 2.05; "
        "2 points for x 2024-01-01 to 2024-03-01, first 1, last 2, min 1, max 2.",
    ),
    "categories": (
        "plt.plot(['a', 'b', 'c'], [1, 5, 2])",
        (
            "line plot, x of a, b, c, y 0.8 to 5.2; 3 points for x a to c, first 1, last 2, min "
            "1, max 5."
        ),
    ),
    "missing values": (
        "plt.plot([1, None, 3])",
        (
            "line plot, x -0.1 to 2.1, y 0.9 to 3.1; 3 points for x 0 to 2, first 1, last 3, min "
            "1, max 3."
        ),
    ),
    "bars": (
        "plt.bar(['a', 'b', 'c'], [1, 5.5, 2])",
        "bar chart, x of a, b, c, y 0 to 5.775; a=1, b=5.5, c=2.",
    ),
    "flat bars": (
        "plt.barh(['a', 'b'], [1, 5])",
        "horizontal bar chart, x 0 to 5.25, y of a, b; a=1, b=5.",
    ),
    "many bars": (
        "plt.bar(range(20), range(20))",
        (
            "bar chart, x -1.39 to 20.39, y 0 to 19.95; 0=0, 1=1, 2=2, 3=3, 4=4, 5=5, 6=6, 7=7, "
            "8=8, 9=9, 10=10, 11=11, 8 more."
        ),
    ),
    "pie": (
        "plt.pie([1, 2, 3], labels=['a', 'b', 'c'], autopct='%1.0f%%')\nplt.title('P')",
        'pie chart "P"; a=16.7%, b=33.3%, c=50.0%.',
    ),
    "histogram": (
        "plt.hist([1, 2, 2, 3, 3, 3, 9], bins=4)",
        "histogram, x 0.6 to 9.4, y 0 to 3.15; 4 bins from 1 to 9, sum 7, highest 3 at 1 to 3.",
    ),
    "scatter": (
        "plt.scatter([1, 2, 3], [4, 5, 6], c=[1, 2, 3], label='s')\nplt.colorbar()",
        (
            'scatter plot, x 0.9 to 3.1, y 3.9 to 6.1; "s": 3 points, x 1 to 3, y 4 to 6, colour '
            "1 to 3."
        ),
    ),
    "heat map": (
        "plt.imshow(np.eye(10))",
        "heat map, x -0.5 to 9.5, y 9.5 to -0.5; 10x10 values, 0 to 1.",
    ),
    "picture": ("plt.imshow(np.zeros((10, 20, 3)))\nplt.axis('off')", "picture; 20x10 pixels."),
    "mesh": (
        "plt.pcolormesh(np.arange(6).reshape(2, 3))",
        "heat map, x 0 to 3, y 0 to 2; 2x3 cells, 0 to 5.",
    ),
    "boxes": (
        "plt.boxplot([[1, 2, 3, 10], [2, 3, 4]], tick_labels=['a', 'b'])",
        "box plot, x of a, b, y 0.55 to 10.45; a: median 2.5, quartiles 1.75 to 4.75, whiskers 1 "
        "to 4.75, 1 outlier; "
        "b: median 3, quartiles 2.5 to 3.5, whiskers 2 to 4.",
    ),
    "violins": (
        "plt.violinplot([[1, 2, 3, 10], [2, 3, 4]])",
        (
            "violin plot, x 0.675 to 2.325, y 0.55 to 10.45; 1: median 2.5, 1 to 10; 2: median 3, "
            "2 to 4."
        ),
    ),
    "surface": (
        (
            "x, y = np.meshgrid(range(5), range(5))\n"
            "plt.figure().add_subplot(projection='3d').plot_surface(x, y, x * y)"
        ),
        "surface, x -0.2917 to 4.292, y -0.2917 to 4.292, z -0.3333 to 16.33; 16 faces.",
    ),
    "several axes": (
        (
            "fig, ax = plt.subplots(1, 2)\nax[0].plot([1, 2])\nax[1].bar([1, 2], [3, 4])\n"
            "ax[1].set_title('R')\nfig.suptitle('All')"
        ),
        '2 axes, "All": [1] line plot, x -0.05 to 1.05, y 0.95 to 2.05; '
        "2 points for x 0 to 1, first 1, last 2, min 1, max 2. "
        '[2] bar chart "R", x 0.51 to 2.49, y 0 to 4.2; 1=3, 2=4.',
    ),
    "extras": (
        (
            "plt.errorbar([1, 2], [3, 4], yerr=1, label='e')\nplt.axhline(3.5)\n"
            "plt.axvline(1.5, label='v')\nplt.annotate('peak', (1, 3))"
        ),
        "error bar plot and reference line, x 0.95 to 2.05, y 1.85 to 5.15; "
        '"e": 2 points for x 1 to 2, first 3, last 4, '
        'min 3, max 4; y=3.5; "v": x=1.5; text "peak".',
    ),
    "polar": (
        "plt.subplot(projection='polar')\nplt.plot([0, 1], [1, 2])",
        (
            "polar line plot, x 0 to 6.283, y 0 to 2.05; 2 points for x 0 to 1, first 1, last 2, "
            "min 1, max 2."
        ),
    ),
    "contour": (
        "plt.contourf(np.arange(9).reshape(3, 3))",
        "contour plot, x 0 to 2, y 0 to 2; 9 levels from 0 to 8.",
    ),
    "areas": (
        "plt.fill_between([1, 2], [3, 4], label='f')",
        'filled area, x 0.95 to 2.05, y -0.2 to 4.2; "f": x 1 to 2, y 0 to 4.',
    ),
    "empty axes": ("plt.subplots()", "axes, x 0 to 1, y 0 to 1."),
    "only text": ("plt.figure().text(0.5, 0.5, 'hello')", '"hello"'),
}


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Twins(unittest.TestCase):
    maxDiff = None

    def twin(self, code):
        """The twin of the one figure that the code leaves open."""
        result = native(HEAD + code)
        self.assertEqual((len(result.images), result.code), (1, 0), (result.report, result.stderr))
        return result.images[0].header["text"]

    def test_twins(self):
        for name, (code, expected) in TWINS.items():
            with self.subTest(name):
                self.assertEqual(self.twin(code), expected)

    def test_never_longer_than_the_limit(self):
        text = self.twin(
            "for k in range(50):\n    plt.plot([k, 1], label='series number %d' % k)\n"
            "plt.title('t' * 500)"
        )
        self.assertEqual(len(text), 600)
        self.assertTrue(text.endswith("…"))

    def test_artists_that_cannot_be_described(self):
        code = (
            "from matplotlib.lines import Line2D\nclass Odd(Line2D):\n"
            "    def get_ydata(self, orig=True):\n        raise RuntimeError\n"
            "ax = plt.gca()\nax.add_line(Odd([0, 1], [0, 1]))\nax.bar([1], [2])"
        )
        self.assertIn("bar chart", self.twin(code))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
    def test_pandas(self):
        self.assertEqual(
            self.twin(
                "import pandas as pd\n"
                "pd.DataFrame({'A': [1, 2], 'B': [3, 4]}, index=['x', 'y']).plot.bar()"
            ),
            'bar chart, x of x, y, y 0 to 4.2; "A": x=1, y=2; "B": x=3, y=4.',
        )
        self.assertEqual(
            self.twin(
                "import pandas as pd\n"
                "pd.Series(range(3), index=pd.date_range('2024-01-01', periods=3)).plot()"
            ),
            "line plot, x 2024-01-01 to 2024-01-03, y -0.1 to 2.1; "
            "3 points for x 2024-01-01 to 2024-01-03, first 0, last 2, min 0, max 2.",
        )

    @unittest.skipUnless(importlib.util.find_spec("seaborn"), "needs seaborn")
    def test_seaborn(self):
        frame = (
            "import seaborn as sns, pandas as pd\n"
            "df = pd.DataFrame({'k': list('aabb'), 'v': [1, 2, 3, 4]})\n"
        )
        self.assertEqual(
            self.twin(frame + "sns.boxplot(df, x='k', y='v')"),
            'box plot, x "k" of a, b, y "v" 0.85 to 4.15; a: median 1.5, quartiles 1.25 to 1.75, '
            "whiskers 1 to 2; "
            "b: median 3.5, quartiles 3.25 to 3.75, whiskers 3 to 4.",
        )
        self.assertEqual(
            self.twin(frame + "sns.barplot(df, x='k', y='v')"),
            'bar chart, x "k" of a, b, y "v" 0 to 4.2; a=1.5, b=3.5.',
        )


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Fonts(unittest.TestCase):
    """Characters that the default font lacks."""

    def test_missing_glyphs_are_said_once(self):
        code = HEAD + (
            "for k in range(3):\n    plt.plot([1, 2])\n    plt.title('中文字' + str(k))\n"
            "    plt.xlabel('中')\n    plt.show()"
        )
        result = native(code)
        self.assertEqual(len(result.images), 3)
        self.assertEqual(result.images[0].header["title"], "中文字0")
        if result.notes:  # no font with Chinese is installed
            self.assertEqual(
                result.notes,
                [
                    (
                        "no installed font has these characters of a figure, they are drawn as "
                        "boxes: 中字文"
                    )
                ],
            )
        self.assertEqual(result.stderr, "")

    def test_unknown_family_is_said_once(self):
        result = native(
            HEAD
            + "plt.rcParams['font.sans-serif'] = ['SimNothing']\nplt.plot([1, 2])\nplt.title('t')\n"
            + "plt.show()"
        )
        said = [note for note in result.report["notes"] if "SimNothing" in note]
        self.assertEqual((len(said), result.stderr), (1, ""))

    @unittest.skipUnless(importlib.util.find_spec("fontTools"), "needs fontTools")
    def test_a_font_that_has_the_glyph_is_found(self):
        """With a font made for the test, which has a rare character, its glyph is drawn, no box."""
        make = (
            "from fontTools.fontBuilder import FontBuilder\n"
            "from fontTools.pens.ttGlyphPen import TTGlyphPen\n"
            "pen = TTGlyphPen(None)\npen.moveTo((0, 0))\npen.lineTo((0, 900))\n"
            "pen.lineTo((900, 900))\npen.lineTo((900, 0))\npen.closePath()\n"
            "glyph = pen.glyph()\nb = FontBuilder(1000, isTTF=True)\n"
            "b.setupGlyphOrder(['.notdef', 'a'])\nb.setupCharacterMap({0x13000: 'a'})\n"
            "b.setupGlyf({'.notdef': glyph, 'a': glyph})\n"
            "b.setupHorizontalMetrics({'.notdef': (1000, 0), 'a': (1000, 0)})\n"
            "b.setupHorizontalHeader(ascent=900, descent=-100)\n"
            "b.setupNameTable({'familyName': 'Made', 'styleName': 'Regular'})\n"
            "b.setupOS2()\nb.setupPost()\nb.save('made.ttf')\n"
            "import matplotlib.font_manager as fm\nfm.fontManager.addfont('made.ttf')\n"
        )
        draw = (
            "plt.figure(figsize=(2, 2))\nplt.figtext(0.3, 0.3, chr(0x13000), size=60)\nplt.show()\n"
        )
        result = native(HEAD + make + draw + draw)
        self.assertEqual((result.notes, result.code), ([], 0), result.report)
        dark = [self._dark_share(image) for image in result.images]
        self.assertGreater(dark[0], 0.7)  # a solid square, where a box would be an outline
        self.assertEqual(dark[0], dark[1])

    def _dark_share(self, image):
        import io

        import numpy
        from PIL import Image

        pixels = numpy.asarray(Image.open(io.BytesIO(image.data)).convert("L"))
        rows, columns = numpy.nonzero(pixels < GREY)
        return (pixels[rows.min() : rows.max(), columns.min() : columns.max()] < GREY).mean()
