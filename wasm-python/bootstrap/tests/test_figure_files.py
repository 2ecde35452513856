"""Figures that are saved: shown once, by the file or by themselves."""

import unittest

from .figure_case import FigureTest
from .harness import HAS_MATPLOTLIB


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Saved(FigureTest):
    def test_saved_and_open(self):
        result = self.check(
            "plt.plot([1])\nplt.savefig('a.png')\nprint('x')", 1, "x\n<image 1>", saved=["a.png"]
        )
        self.assertEqual(result.images[0].header["file"], "/mnt/data/a.png")
        self.assertTrue((result.workdir / "a.png").read_bytes().startswith(b"\x89PNG"))

    def test_saved_and_shown(self):
        self.check(
            "plt.plot([1])\nplt.savefig('a.png', dpi=50, bbox_inches='tight')\nplt.show()",
            1,
            saved=["a.png"],
        )
        self.check(
            "fig = plt.figure()\nplt.plot([1])\nplt.show()\nfig.savefig('/mnt/data/b.png')",
            1,
            saved=["b.png"],
        )

    def test_saved_then_changed(self):
        self.check(
            "plt.plot([1])\nplt.savefig('a.png')\nplt.plot([2, 3])\nplt.show()", 1, saved=None
        )

    def test_saved_and_closed(self):
        self.check("plt.plot([1])\nplt.savefig('a.png')\nplt.close()", 0, saved=None)

    def test_saved_elsewhere(self):
        self.check("plt.plot([1])\nplt.savefig('/tmp/a.png')", 1, saved=None)

    def test_buffer_that_is_displayed(self):
        code = (
            "import io\nfrom IPython.display import Image, display\nb = io.BytesIO()\n"
            "plt.plot([1])\nplt.savefig(b, format='png')\n"
        )
        self.check(
            code + "plt.close()\ndisplay(Image(data=b.getvalue()))\nprint('x')", 1, "<image 1>x\n"
        )
        self.check(code + "display(Image(data=b.getvalue()))\nprint('x')", 1, "<image 1>x\n")
        self.check(code + "plt.close()", 0)
        self.check(code, 1)

    def test_file_that_is_displayed(self):
        code = "from IPython.display import Image, display\nplt.plot([1])\nplt.savefig('a.png')\n"
        self.check(code + "display(Image('a.png'))\nprint('x')", 1, "<image 1>x\n", saved=["a.png"])
        code = "from PIL import Image\nimport io\nplt.plot([1])\nplt.savefig('a.png')\n"
        self.check(
            code + "Image.open('a.png').show()\nprint('x')", 1, "<image 1>x\n", saved=["a.png"]
        )
        code += (
            "b = io.BytesIO()\nplt.savefig(b)\nImage.open(b).show()\nplt.plot([2, 1])\nprint('x')"
        )
        self.check(code, 2, "<image 1>x\n<image 2>")

    def test_empty_after_show(self):
        note = (
            "savefig() after show() saved an empty figure to `a.png`: show() closes it, so save "
            "first"
        )
        self.check(
            "plt.plot([1])\nplt.show()\nplt.savefig('a.png')", 1, saved=["a.png"], notes=[note]
        )
