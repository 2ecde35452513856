"""Figures: each once, in order, whatever way the code uses to show them."""

import importlib.util
import time
import unittest

from .figure_case import PLT, FigureTest
from .harness import HAS_MATPLOTLIB, native


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Shown(FigureTest):
    def test_show(self):
        result = self.check(
            "print('a')\nplt.plot([1, 2])\nplt.title('T')\nplt.show()\nprint('b')",
            1,
            "a\n<image 1>b\n",
        )
        header = result.images[0].header
        self.assertEqual(
            {k: header[k] for k in ("mime", "title", "source")},
            {"mime": "image/png", "title": "T", "source": "figure"},
        )
        self.assertGreater(result.images[0].size[0], 400)

    def test_each_once_in_order(self):
        code = (
            "for k in range(3):\n    plt.figure()\n    plt.plot([k, 1])\n    plt.title(str(k))\n"
            "plt.show()\nprint('x')\nplt.show()"
        )
        self.assertEqual(
            self.titles(self.check(code, 3, "<image 1><image 2><image 3>x\n")), ["0", "1", "2"]
        )
        code = (
            "for k in range(3):\n    plt.plot([k, 1])\n    plt.title(str(k))\n    plt.show()\n"
            "    print(k, len(plt.gca().lines) if plt.get_fignums() else 0)"
        )
        self.assertEqual(
            self.titles(self.check(code, 3, "<image 1>0 0\n<image 2>1 0\n<image 3>2 0\n")),
            ["0", "1", "2"],
        )

    def test_open_at_the_end(self):
        self.check("plt.plot([1, 2])\nprint('end')", 1, "end\n<image 1>")
        self.check("plt.plot([1, 2])\nplt.close()\nprint('end')", 0, "end\n")
        self.check("plt.figure()\nplt.show()\nplt.figure()", 0, "")

    def test_saved_and_closed(self):
        code = (
            "for name in 'ba':\n    plt.figure()\n    plt.plot([1, 2])\n"
            "    plt.title(f'fig {name}')\n"
            "    plt.savefig(f'{name}.png')\n    plt.close()\n"
            "from PIL import Image\nImage.new('L', (2, 2)).save('A.gif')"
        )
        pictures = self.check(code, 0).report["pictures"]
        self.assertEqual(
            [(picture["file"], picture["title"]) for picture in pictures],
            [("b.png", "fig b"), ("a.png", "fig a"), ("A.gif", "")],
        )
        self.assertTrue(pictures[0]["text"].startswith('line plot "fig b", '), pictures)
        self.assertEqual(pictures[2]["text"], "")
        code = "plt.plot([1])\nplt.savefig('a.png')\nplt.close()"
        self.assertEqual(self.check(code, 0, figure_text=False).report["pictures"][0]["text"], "")

    def test_saved_as_what_no_client_shows(self):
        code = "plt.plot([1])\nplt.title('T')\nplt.savefig('a.pdf')\nplt.close()\nprint('x')"
        self.assertEqual(self.titles(self.check(code, 1, "<image 1>x\n")), ["T"])
        self.check("plt.plot([1])\nplt.savefig('a.pdf')\nplt.savefig('a.png')\nplt.close()", 0)
        self.check("plt.plot([1])\nplt.savefig('/tmp/a.png')\nplt.close()", 1)
        self.check("plt.plot([1])\nplt.savefig('/tmp/a.png')\nplt.show()\nplt.close()", 1)
        self.check(
            "plt.plot([1])\nwith open('a.png', 'wb') as file: plt.savefig(file)\nplt.close()", 0
        )

    def test_open_when_the_job_fails(self):
        result = native(PLT + "plt.plot([1, 2])\nplt.show()\nplt.plot([3])\n1 / 0")
        self.assertEqual(
            (len(result.images), result.report["error"]["type"]), (2, "ZeroDivisionError")
        )

    def test_open_at_the_deadline(self):
        result = native(
            PLT + "plt.plot([1, 2])\nprint('x')\nwhile True:\n    pass", signal_after=1.0
        )
        self.assertEqual(
            (len(result.images), result.stdout, result.report["exit"]),
            (1, "x\n<image 1>", "deadline"),
        )

    def test_handed_over_at_once(self):
        result = native(PLT + "import os\nplt.plot([1])\nplt.show()\nos._exit(0)")
        self.assertEqual((len(result.images), result.code), (1, 0))

    def test_every_backend_name(self):
        for name in (
            "Agg",
            "TkAgg",
            "Qt5Agg",
            "QtAgg",
            "nbAgg",
            "inline",
            "WebAgg",
            "GTK3Agg",
            "module://matplotlib_inline.backend_inline",
            "macosx",
            "svg",
            "pdf",
        ):
            with self.subTest(name):
                code = (
                    f"import matplotlib\nmatplotlib.use({name!r})\nplt.plot([1, 2])\nplt.show()\n"
                    f"print('x')"
                )
                self.check(code, 1, "<image 1>x\n")
        code = (
            "plt.switch_backend('TkAgg')\nplt.plot([1, 2])\nplt.show()\n"
            "plt.rcParams['backend'] = 'QtAgg'\nplt.plot([1, 2])\nplt.show()\n"
            "print(plt.get_backend())"
        )
        self.check(code, 2, "<image 1><image 2>QtAgg\n")
        self.check(
            (
                "import matplotlib as m\nm.rcParams.update(m.rcParamsDefault)\nplt.rcdefaults()\n"
                "plt.plot([1])\nplt.show()"
            ),
            1,
        )

    def test_no_warnings(self):
        self.check(
            (
                "import warnings\nwarnings.simplefilter('error')\nimport matplotlib\n"
                "matplotlib.use('Agg')\nplt.plot([1])\nplt.show()"
            ),
            1,
        )

    def test_png_whatever_the_settings(self):
        self.check(
            (
                "plt.rcParams['savefig.format'] = 'svg'\nplt.rcParams['savefig.dpi'] = 9000\n"
                "plt.rcParams['savefig.bbox'] = 'tight'\nplt.plot([1])\nplt.show()"
            ),
            1,
        )

    def test_interactive(self):
        self.check(
            (
                "plt.ion()\nplt.plot([1, 2])\nplt.draw()\nplt.pause(0.05)\n"
                "plt.show(block=True)\nprint('x')"
            ),
            1,
            "<image 1>x\n",
        )
        self.check(
            (
                "plt.ion()\nplt.plot([1, 2])\nplt.show()\nplt.plot([2, 1])\nplt.show()\n"
                "plt.show()\nprint('x')"
            ),
            2,
            "<image 1><image 2>x\n",
        )
        self.check(
            "plt.plot([1, 2])\nplt.show(block=False)\nplt.pause(2)\nplt.close()\nprint('x')",
            1,
            "<image 1>x\n",
        )
        self.check(
            "plt.ion()\nplt.plot([1, 2])\nplt.pause(9)\nplt.close()\nprint('x')", 1, "<image 1>x\n"
        )

    def test_pause_does_not_wait(self):
        start = time.monotonic()
        note = "a figure was drawn again and again (20 times); its last state is shown"
        self.check(
            (
                "for k in range(20):\n    plt.cla()\n    plt.plot([k, 1])\n"
                "    plt.title(str(k))\n    plt.pause(10)"
            ),
            1,
            notes=[note],
        )
        self.assertLess(time.monotonic() - start, 100)

    def test_shown_again_only_if_changed(self):
        code = (
            "fig, ax = plt.subplots()\nax.plot([1, 2])\nfig.show()\nfig.show()\nprint('x')\n"
            "ax.plot([2, 1])\nfig.show()\n"
        )
        self.check(code, 2, "<image 1>x\n<image 2>")
        self.check(
            "fig, ax = plt.subplots()\nax.plot([1, 2])\ndisplay(fig)\nprint('x')", 1, "<image 1>x\n"
        )
        self.check(
            (
                "fig, ax = plt.subplots()\nax.plot([1, 2])\nfig.canvas.draw()\nfig.show()\n"
                "fig.canvas.draw()\nplt.tight_layout()\nfig.show()"
            ),
            2,
        )
        self.check(
            (
                "fig, ax = plt.subplots()\nl, = ax.plot([1, 2])\nfig.show()\n"
                "l.set_ydata([2, 1])\nfig.canvas.draw()\n"
            ),
            2,
        )

    def test_last_value(self):
        self.check("fig, ax = plt.subplots()\nax.plot([1])\nfig", 1, "<image 1>")
        self.check(
            (
                "from matplotlib.figure import Figure\nfig = Figure()\n"
                "fig.subplots().plot([1, 2])\nfig"
            ),
            1,
            "<image 1>",
        )
        for ending in (
            "plt.plot([1, 2])",
            "plt.hist([1, 2, 2])",
            "plt.subplots()[1]",
            "plt.title('a')",
            "plt.pie([1, 2])",
            "plt.boxplot([1, 2, 3])",
            "plt.bar([1], [2])",
            "plt.legend(plt.plot([1], label='a'))",
        ):
            with self.subTest(ending):
                result = native(PLT + ending)
                self.assertNotIn("object", result.stdout)
                self.assertRegex(result.stdout, r"^(<image 1>)?$")

    def test_rebound_names(self):
        self.check(
            (
                "io = base64 = os = sys = json = tempfile = None\nplt.plot([1])\nplt.show()\n"
                "plt = None\nprint('x')"
            ),
            1,
            "<image 1>x\n",
        )

    def test_pandas_seaborn_networkx(self):
        for library, code in (
            (
                "pandas",
                (
                    "import pandas as pd\n"
                    "pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).plot(x='a', y='b')\n"
                    "plt.show()\npd.Series([1, 2]).hist()"
                ),
            ),
            (
                "seaborn",
                (
                    "import seaborn as sns\nsns.histplot([1, 2, 2])\nplt.show()\n"
                    "sns.lineplot(x=[1, 2], y=[1, 2])"
                ),
            ),
            (
                "networkx",
                (
                    "import networkx as nx\nnx.draw(nx.path_graph(3))\nplt.show()\n"
                    "nx.draw(nx.path_graph(3), with_labels=True)"
                ),
            ),
        ):
            if importlib.util.find_spec(library):
                with self.subTest(library):
                    self.check(code, 2, "<image 1><image 2>")

    def test_seaborn_objects(self):
        if importlib.util.find_spec("seaborn"):
            code = "import seaborn.objects as so\np = so.Plot(x=[1, 2], y=[1, 3]).add(so.Line())\n"
            self.check(code + "p", 1, "<image 1>")
            self.check(code + "p.show()\nprint('x')", 1, "<image 1>x\n")

    def test_desktop_habits(self):
        code = (
            "m = plt.get_current_fig_manager()\nm.window.state('zoomed')\nm.full_screen_toggle()\n"
            "m.set_window_title('w')\n"
            "plt.plot([1])\nplt.gcf().canvas.mpl_connect('key_press_event', print)\n"
            "print(plt.ginput(1), plt.waitforbuttonpress())\nplt.show()"
        )
        self.check(code, 1, "<image 1>[] None\n")
        self.check("from pylab import *\nplot([1, 2])\nshow()\nprint('x')", 1, "<image 1>x\n")
        self.check("from matplotlib.pyplot import plot, show\nplot([1, 2])\nshow()", 1)
        self.check(
            "fig = plt.figure()\nplt.plot([1])\nplt.close(fig)\ndisplay(fig)", 1, "<image 1>"
        )

    def test_animation(self):
        note = [
            (
                "an animation is shown as its first frame; save it as a GIF (writer='pillow') to "
                "get all of it"
            )
        ]
        code = (
            "from matplotlib.animation import FuncAnimation\nfig, ax = plt.subplots()\n"
            "line, = ax.plot([0, 1])\n"
            "a = FuncAnimation(fig, lambda i: line.set_ydata([i, 5]), frames=9)\nplt.show()\n"
        )
        self.check(
            code.replace("plt.show()", "a.save('a.gif', writer='pillow', dpi=30)\nprint('x')"),
            0,
            "x\n",
        )
        self.assertIn("first 0, last 5", self.check(code, 1, notes=note).images[0].header["text"])

    def test_forgotten_between_jobs(self):
        self.check("plt.plot([1, 2, 3])\nprint('one')", 1)
        self.check("plt.plot([9, 8])\nprint(len(plt.gca().lines))\nplt.show()", 1, "1\n<image 1>")

    def test_switched_off_text(self):
        self.assertEqual(
            self.check("plt.plot([1])", 1, figure_text=False).images[0].header["text"], ""
        )

    def test_errors_while_drawing_are_the_jobs(self):
        bad = (
            "class Bad(plt.Line2D):\n    def draw(self, renderer):\n        raise ValueError\n"
            "plt.gca().add_line(Bad([0, 1], [0, 1]))\nplt.show()"
        )
        result = native(PLT + bad)
        self.assertEqual(result.report["error"]["type"], "ValueError")
        self.assertIn('File "main.py", line 6, in <module>\n    plt.show()', result.traceback)
        self.assertNotIn("sandbox_bootstrap", result.traceback)
