"""Figures of any size and content: cropped, bounded, readable."""

import io
import time
import unittest

from .figure_case import FigureTest
from .harness import HAS_MATPLOTLIB, native


@unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
class Sizes(FigureTest):
    def test_cropped_to_the_content(self):
        self.assertEqual(self.check("plt.plot([1, 2])", 1).images[0].size, (549, 411))

    def test_content_outside_of_the_figure_is_kept(self):
        code = (
            "fig, ax = plt.subplots()\nax.plot([1, 2], label='l' * 40)\n"
            "ax.legend(loc='center left', bbox_to_anchor=(1, 0.5))"
        )
        self.assertGreater(self.check(code, 1).images[0].size[0], 700)

    def test_what_lies_wholly_outside_is_kept(self):
        for outside in (
            "plt.figtext(1.3, 0.5, 'far')",
            "plt.legend(['l'], loc='upper left', bbox_to_anchor=(1.3, 1))",
            "plt.annotate('a', (0, 1), (1.6, 1), arrowprops={})",
            "plt.axes([1.1, 0.1, 0.2, 0.2])",
            "plt.plot([1.5, 1.6], [1, 1], clip_on=False)\nplt.xlim(0, 1)",
        ):
            with self.subTest(outside):
                self.assertGreater(
                    self.check(f"plt.plot([1, 2])\n{outside}", 1).images[0].size[0], 700
                )

    def test_a_picture_keeps_its_white_margin(self):
        code = "plt.imshow([[(1.0, 1, 1), (0.0, 0, 0), (1.0, 1, 1)]])\nplt.axis('off')"
        self.assertGreater(self.check(code, 1).images[0].size[0], 400)

    def test_tiny(self):
        self.assertGreater(
            self.check("plt.figure(figsize=(0.1, 0.1))\nplt.plot([1])", 1).images[0].size[0], 30
        )

    def test_text_far_outside_is_cut_off(self):
        note = ["content far outside of the figure was cut off"]
        self.assertEqual(
            self.check("plt.plot([1])\nplt.text(1e4, 1, 'far')", 1, notes=note).images[0].size,
            (640, 480),
        )

    def test_large_figures_are_drawn_smaller(self):
        start = time.monotonic()
        image = self.check(
            "plt.figure(figsize=(60, 60), dpi=900)\nplt.plot([1])", 1,
            notes=[(
                "a figure of 60x60 inches at 900 dpi was drawn at 26.1 dpi, to keep each side "
                "within 1568 pixels"
            )],
        ).images[0]  # fmt: skip
        self.assertLessEqual(max(image.size), 1568)
        self.assertLess(time.monotonic() - start, 10)
        self.assertLessEqual(
            max(
                self.check(
                    "plt.rcParams['figure.dpi'] = 190\nplt.figure(figsize=(16, 12))\nplt.plot([1])",
                    1,
                )
                .images[0]
                .size
            ),
            1568,
        )

    def test_very_tall(self):
        image = self.check(
            "plt.figure(figsize=(10, 900))\nplt.plot([1])", 1,
            notes=[(
                "a figure of 10x900 inches at 100 dpi was drawn at 20 dpi, to keep each side "
                "within 1568 pixels"
            )],
        ).images[0]  # fmt: skip
        self.assertLessEqual(max(image.size), 1568)

    def test_saving_is_bounded(self):
        code = (
            "plt.figure(figsize=(60, 60))\nplt.plot([1])\nplt.savefig('big.png', dpi=900)\n"
            "plt.close()"
        )
        note = [
            (
                "a figure of 60x60 inches was saved at 66.7 instead of 900 dpi, to keep within "
                "16000000 pixels"
            )
        ]
        self.check(code, 0, notes=note)
        self.check(
            (
                "plt.plot([1])\nplt.savefig('a.svg', dpi=9000)\nplt.savefig('a.pdf', dpi=9000)\n"
                "plt.close()"
            ),
            1,
        )

    def test_latex_is_not_asked_for(self):
        note = [
            (
                "`usetex` was ignored: there is no LaTeX here, formulas are drawn by "
                "matplotlib itself"
            )
        ]
        self.check(
            "plt.rc('text', usetex=True)\nplt.title('$x^2$')\nplt.plot([1])\nplt.show()",
            1,
            notes=note,
        )

    def test_one_broken_figure_does_not_hide_the_others(self):
        result = native(
            "import matplotlib.pyplot as plt\nfrom matplotlib.lines import Line2D\n"
            "class Broken(Line2D):\n    def draw(self, renderer): raise ValueError('no line')\n"
            "plt.gca().add_line(Broken([], []))\nplt.figure()\nplt.title('good')\nplt.plot([1])"
        )
        self.assertEqual([image.header["title"] for image in result.images], ["good"])
        self.assertEqual((result.code, result.stderr), (0, ""))
        self.assertIn("an open figure could not be drawn: ValueError: no line", result.notes[0])

    def test_transparent_figures_stand_on_white(self):
        import numpy
        from PIL import Image

        image = self.check("plt.figure(facecolor='none')\nplt.plot([1])", 1).images[0]
        self.assertEqual(
            numpy.asarray(Image.open(io.BytesIO(image.data)))[0, 0].tolist(), [255, 255, 255]
        )
