"""Figures: each once, in order, whatever way the code uses to show them."""

import io
import time
import unittest

from .harness import HAS_MATPLOTLIB, native

PLT = "import matplotlib.pyplot as plt\n"


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Shown(unittest.TestCase):
    def check(self, code, images, stdout=None, notes=(), saved=None, code_=0, **options):
        """So many images in this order of output, these notes and files, no error."""
        result = native(PLT + code, **options)
        self.assertEqual(len(result.images), images, (result.report, result.stderr))
        if stdout is not None:
            self.assertEqual(result.stdout, stdout)
        self.assertEqual(result.notes, list(notes))
        self.assertEqual(result.report.get("saved"), saved)
        self.assertEqual((result.code, result.stderr), (code_, ""), result.report)
        return result

    def titles(self, result):
        """The titles of the images in order."""
        return [image.header["title"] for image in result.images]

    def test_show(self):
        result = self.check(
            "print('a')\nplt.plot([1, 2])\nplt.title('T')\nplt.show()\nprint('b')", 1, "a\n<image 1>b\n"
        )
        header = result.images[0].header
        self.assertEqual(
            {k: header[k] for k in ("mime", "title", "source")}, {"mime": "image/png", "title": "T", "source": "figure"}
        )
        self.assertGreater(result.images[0].size[0], 400)

    def test_each_once_in_order(self):
        code = (
            "for k in range(3):\n    plt.figure()\n    plt.plot([k, 1])\n    plt.title(str(k))\n"
            "plt.show()\nprint('x')\nplt.show()"
        )
        self.assertEqual(self.titles(self.check(code, 3, "<image 1><image 2><image 3>x\n")), ["0", "1", "2"])
        code = (
            "for k in range(3):\n    plt.plot([k, 1])\n    plt.title(str(k))\n    plt.show()\n"
            "    print(k, len(plt.gca().lines) if plt.get_fignums() else 0)"
        )
        self.assertEqual(
            self.titles(self.check(code, 3, "<image 1>0 0\n<image 2>1 0\n<image 3>2 0\n")), ["0", "1", "2"]
        )

    def test_open_at_the_end(self):
        self.check("plt.plot([1, 2])\nprint('end')", 1, "end\n<image 1>")
        self.check("plt.plot([1, 2])\nplt.close()\nprint('end')", 0, "end\n")
        self.check("plt.figure()\nplt.show()\nplt.figure()", 0, "")

    def test_saved_and_closed(self):
        code = (
            "for name in 'ba':\n    plt.figure()\n    plt.plot([1, 2])\n    plt.title(f'fig {name}')\n"
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
        self.check("plt.plot([1])\nwith open('a.png', 'wb') as file: plt.savefig(file)\nplt.close()", 0)

    def test_open_when_the_job_fails(self):
        result = native(PLT + "plt.plot([1, 2])\nplt.show()\nplt.plot([3])\n1 / 0")
        self.assertEqual((len(result.images), result.report["error"]["type"]), (2, "ZeroDivisionError"))

    def test_open_at_the_deadline(self):
        result = native(PLT + "plt.plot([1, 2])\nprint('x')\nwhile True:\n    pass", signal_after=1.0)
        self.assertEqual((len(result.images), result.stdout, result.report["exit"]), (1, "x\n<image 1>", "deadline"))

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
                code = f"import matplotlib\nmatplotlib.use({name!r})\nplt.plot([1, 2])\nplt.show()\nprint('x')"
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
            ("plt.ion()\nplt.plot([1, 2])\nplt.draw()\nplt.pause(0.05)\nplt.show(block=True)\nprint('x')"),
            1,
            "<image 1>x\n",
        )
        self.check(
            ("plt.ion()\nplt.plot([1, 2])\nplt.show()\nplt.plot([2, 1])\nplt.show()\nplt.show()\nprint('x')"),
            2,
            "<image 1><image 2>x\n",
        )
        self.check("plt.plot([1, 2])\nplt.show(block=False)\nplt.pause(2)\nplt.close()\nprint('x')", 1, "<image 1>x\n")
        self.check("plt.ion()\nplt.plot([1, 2])\nplt.pause(9)\nplt.close()\nprint('x')", 1, "<image 1>x\n")

    def test_pause_does_not_wait(self):
        start = time.monotonic()
        note = "a figure was drawn again and again (20 times); its last state is shown"
        self.check(
            ("for k in range(20):\n    plt.cla()\n    plt.plot([k, 1])\n    plt.title(str(k))\n    plt.pause(10)"),
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
        self.check("fig, ax = plt.subplots()\nax.plot([1, 2])\ndisplay(fig)\nprint('x')", 1, "<image 1>x\n")
        self.check(
            (
                "fig, ax = plt.subplots()\nax.plot([1, 2])\nfig.canvas.draw()\nfig.show()\n"
                "fig.canvas.draw()\nplt.tight_layout()\nfig.show()"
            ),
            2,
        )
        self.check(
            ("fig, ax = plt.subplots()\nl, = ax.plot([1, 2])\nfig.show()\nl.set_ydata([2, 1])\nfig.canvas.draw()\n"), 2
        )

    def test_last_value(self):
        self.check("fig, ax = plt.subplots()\nax.plot([1])\nfig", 1, "<image 1>")
        self.check(
            ("from matplotlib.figure import Figure\nfig = Figure()\nfig.subplots().plot([1, 2])\nfig"), 1, "<image 1>"
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
            ("io = base64 = os = sys = json = tempfile = None\nplt.plot([1])\nplt.show()\nplt = None\nprint('x')"),
            1,
            "<image 1>x\n",
        )

    def test_pandas_seaborn_networkx(self):
        for library, code in (
            (
                "pandas",
                (
                    "import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': [3, 4]}).plot(x='a', y='b')\n"
                    "plt.show()\npd.Series([1, 2]).hist()"
                ),
            ),
            ("seaborn", "import seaborn as sns\nsns.histplot([1, 2, 2])\nplt.show()\nsns.lineplot(x=[1, 2], y=[1, 2])"),
            (
                "networkx",
                (
                    "import networkx as nx\nnx.draw(nx.path_graph(3))\nplt.show()\n"
                    "nx.draw(nx.path_graph(3), with_labels=True)"
                ),
            ),
        ):
            import importlib.util

            if importlib.util.find_spec(library):
                with self.subTest(library):
                    self.check(code, 2, "<image 1><image 2>")

    def test_seaborn_objects(self):
        import importlib.util

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
        self.check("fig = plt.figure()\nplt.plot([1])\nplt.close(fig)\ndisplay(fig)", 1, "<image 1>")

    def test_animation(self):
        note = ["an animation is shown as its first frame; save it as a GIF (writer='pillow') to get all of it"]
        code = (
            "from matplotlib.animation import FuncAnimation\nfig, ax = plt.subplots()\nline, = ax.plot([0, 1])\n"
            "a = FuncAnimation(fig, lambda i: line.set_ydata([i, 5]), frames=9)\nplt.show()\n"
        )
        self.check(code.replace("plt.show()", "a.save('a.gif', writer='pillow', dpi=30)\nprint('x')"), 0, "x\n")
        self.assertIn("first 0, last 5", self.check(code, 1, notes=note).images[0].header["text"])

    def test_forgotten_between_jobs(self):
        self.check("plt.plot([1, 2, 3])\nprint('one')", 1)
        self.check("plt.plot([9, 8])\nprint(len(plt.gca().lines))\nplt.show()", 1, "1\n<image 1>")

    def test_switched_off_text(self):
        self.assertEqual(self.check("plt.plot([1])", 1, figure_text=False).images[0].header["text"], "")

    def test_errors_while_drawing_are_the_jobs(self):
        result = native(PLT + "plt.plot([1])\nplt.title('$\\\\frac{$')\nplt.show()")
        self.assertEqual(result.report["error"]["type"], "ValueError")
        self.assertIn('File "main.py", line 4, in <module>\n    plt.show()', result.traceback)
        self.assertNotIn("sandbox_bootstrap", result.traceback)


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Saved(unittest.TestCase):
    check = Shown.check

    def test_saved_and_open(self):
        result = self.check("plt.plot([1])\nplt.savefig('a.png')\nprint('x')", 1, "x\n<image 1>", saved=["a.png"])
        self.assertEqual(result.images[0].header["file"], "/mnt/data/a.png")
        self.assertTrue((result.workdir / "a.png").read_bytes().startswith(b"\x89PNG"))

    def test_saved_and_shown(self):
        self.check("plt.plot([1])\nplt.savefig('a.png', dpi=50, bbox_inches='tight')\nplt.show()", 1, saved=["a.png"])
        self.check("fig = plt.figure()\nplt.plot([1])\nplt.show()\nfig.savefig('/mnt/data/b.png')", 1, saved=["b.png"])

    def test_saved_then_changed(self):
        self.check("plt.plot([1])\nplt.savefig('a.png')\nplt.plot([2, 3])\nplt.show()", 1, saved=None)

    def test_saved_and_closed(self):
        self.check("plt.plot([1])\nplt.savefig('a.png')\nplt.close()", 0, saved=None)

    def test_saved_elsewhere(self):
        self.check("plt.plot([1])\nplt.savefig('/tmp/a.png')", 1, saved=None)

    def test_buffer_that_is_displayed(self):
        code = (
            "import io\nfrom IPython.display import Image, display\nb = io.BytesIO()\n"
            "plt.plot([1])\nplt.savefig(b, format='png')\n"
        )
        self.check(code + "plt.close()\ndisplay(Image(data=b.getvalue()))\nprint('x')", 1, "<image 1>x\n")
        self.check(code + "display(Image(data=b.getvalue()))\nprint('x')", 1, "<image 1>x\n")
        self.check(code + "plt.close()", 0)
        self.check(code, 1)

    def test_file_that_is_displayed(self):
        code = "from IPython.display import Image, display\nplt.plot([1])\nplt.savefig('a.png')\n"
        self.check(code + "display(Image('a.png'))\nprint('x')", 1, "<image 1>x\n", saved=["a.png"])
        code = "from PIL import Image\nimport io\nplt.plot([1])\nplt.savefig('a.png')\n"
        self.check(code + "Image.open('a.png').show()\nprint('x')", 1, "<image 1>x\n", saved=["a.png"])
        code += "b = io.BytesIO()\nplt.savefig(b)\nImage.open(b).show()\nplt.plot([2, 1])\nprint('x')"
        self.check(code, 2, "<image 1>x\n<image 2>")

    def test_empty_after_show(self):
        note = "savefig() after show() saved an empty figure to `a.png`: show() closes it, so save first"
        self.check("plt.plot([1])\nplt.show()\nplt.savefig('a.png')", 1, saved=["a.png"], notes=[note])


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Sizes(unittest.TestCase):
    check = Shown.check

    def test_cropped_to_the_content(self):
        self.assertEqual(self.check("plt.plot([1, 2])", 1).images[0].size, (549, 411))

    def test_content_outside_of_the_figure_is_kept(self):
        code = (
            "fig, ax = plt.subplots()\nax.plot([1, 2], label='l' * 40)\n"
            "ax.legend(loc='center left', bbox_to_anchor=(1, 0.5))"
        )
        width, height = self.check(code, 1).images[0].size
        self.assertGreater(width, 700)

    def test_what_lies_wholly_outside_is_kept(self):
        for outside in (
            "plt.figtext(1.3, 0.5, 'far')",
            "plt.legend(['l'], loc='upper left', bbox_to_anchor=(1.3, 1))",
            "plt.annotate('a', (0, 1), (1.6, 1), arrowprops={})",
            "plt.axes([1.1, 0.1, 0.2, 0.2])",
            "plt.plot([1.5, 1.6], [1, 1], clip_on=False)\nplt.xlim(0, 1)",
        ):
            with self.subTest(outside):
                self.assertGreater(self.check(f"plt.plot([1, 2])\n{outside}", 1).images[0].size[0], 700)

    def test_a_picture_keeps_its_white_margin(self):
        code = "plt.imshow([[(1.0, 1, 1), (0.0, 0, 0), (1.0, 1, 1)]])\nplt.axis('off')"
        self.assertGreater(self.check(code, 1).images[0].size[0], 400)

    def test_tiny(self):
        self.assertGreater(self.check("plt.figure(figsize=(0.1, 0.1))\nplt.plot([1])", 1).images[0].size[0], 30)

    def test_text_far_outside_is_cut_off(self):
        note = ["content far outside of the figure was cut off"]
        self.assertEqual(self.check("plt.plot([1])\nplt.text(1e4, 1, 'far')", 1, notes=note).images[0].size, (640, 480))

    def test_large_figures_are_drawn_smaller(self):
        start = time.monotonic()
        image = self.check(
            "plt.figure(figsize=(60, 60), dpi=900)\nplt.plot([1])", 1,
            notes=["a figure of 60x60 inches at 900 dpi was drawn at 26.1 dpi, to keep each side within 1568 pixels"],
        ).images[0]  # fmt: skip
        self.assertLessEqual(max(image.size), 1568)
        self.assertLess(time.monotonic() - start, 10)
        self.assertLessEqual(
            max(
                self.check("plt.rcParams['figure.dpi'] = 190\nplt.figure(figsize=(16, 12))\nplt.plot([1])", 1)
                .images[0]
                .size
            ),
            1568,
        )

    def test_very_tall(self):
        image = self.check(
            "plt.figure(figsize=(10, 900))\nplt.plot([1])", 1,
            notes=["a figure of 10x900 inches at 100 dpi was drawn at 20 dpi, to keep each side within 1568 pixels"],
        ).images[0]  # fmt: skip
        self.assertLessEqual(max(image.size), 1568)

    def test_saving_is_bounded(self):
        code = "plt.figure(figsize=(60, 60))\nplt.plot([1])\nplt.savefig('big.png', dpi=900)\nplt.close()"
        note = ["a figure of 60x60 inches was saved at 66.7 instead of 900 dpi, to keep within 16000000 pixels"]
        self.check(code, 0, notes=note)
        self.check("plt.plot([1])\nplt.savefig('a.svg', dpi=9000)\nplt.savefig('a.pdf', dpi=9000)\nplt.close()", 1)

    def test_latex_is_not_asked_for(self):
        note = ["`text.usetex` was ignored: there is no LaTeX here, formulas are drawn by matplotlib itself"]
        self.check("plt.rc('text', usetex=True)\nplt.title('$x^2$')\nplt.plot([1])\nplt.show()", 1, notes=note)

    def test_one_broken_figure_does_not_hide_the_others(self):
        result = native(
            "import matplotlib.pyplot as plt\nplt.title('$\\\\frac{a$')\nplt.figure()\nplt.title('good')\nplt.plot([1])"
        )
        self.assertEqual([image.header["title"] for image in result.images], ["good"])
        self.assertEqual((result.code, result.stderr), (0, ""))
        self.assertIn("an open figure could not be drawn: ValueError: \\frac{a", result.notes[0])

    def test_transparent_figures_stand_on_white(self):
        import numpy
        from PIL import Image

        image = self.check("plt.figure(facecolor='none')\nplt.plot([1])", 1).images[0]
        self.assertEqual(numpy.asarray(Image.open(io.BytesIO(image.data)))[0, 0].tolist(), [255, 255, 255])
