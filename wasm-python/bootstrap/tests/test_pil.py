"""Pictures of PIL: `Image.show()`, values, files."""

import importlib.util
import io
import unittest

from .harness import native

HAS_PIL = importlib.util.find_spec("PIL") is not None


@unittest.skipUnless(HAS_PIL, "needs Pillow")
class Pillow(unittest.TestCase):
    def check(self, code, images, stdout):
        """So many PNGs."""
        result = native("from PIL import Image\n" + code)
        self.assertEqual(
            (len(result.images), result.stdout, result.code), (images, stdout, 0), result.report
        )
        return result

    def test_show(self):
        result = self.check(
            "im = Image.new('RGB', (40, 30), 'red')\nim.show()\nprint('x')", 1, "<image 1>x\n"
        )
        self.assertEqual(
            (result.images[0].size, result.images[0].header["source"]), ((40, 30), "pil")
        )

    def test_modes(self):
        for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "I", "F", "I;16"):
            with self.subTest(mode):
                self.check(f"Image.new({mode!r}, (4, 3)).show()", 1, "<image 1>")

    def test_deep_greys_keep_their_range(self):
        import numpy
        from PIL import Image

        for array, first, last in (
            ("numpy.arange(65536, dtype='uint16').reshape(256, 256)", 0, 255),
            ("numpy.linspace(0, 1, 100, dtype='float32').reshape(10, 10)", 0, 255),
            ("numpy.linspace(-5, 5, 100, dtype='float32').reshape(10, 10)", 0, 255),
            ("numpy.arange(0, 10000, 100, dtype='int32').reshape(10, 10)", 0, 255),
            ("numpy.arange(100, 200, dtype='int32').reshape(10, 10)", 100, 199),
        ):
            with self.subTest(array):
                image = self.check(
                    f"import numpy\nImage.fromarray({array}).show()", 1, "<image 1>"
                ).images[0]
                shown = numpy.asarray(Image.open(io.BytesIO(image.data)))
                self.assertEqual((shown[0, 0], shown[-1, -1]), (first, last))

    def test_large_ones_are_scaled(self):
        self.assertEqual(
            self.check("Image.new('RGB', (5000, 2500)).show()", 1, "<image 1>").images[0].size,
            (1568, 784),
        )

    def test_value_and_display(self):
        self.check("im = Image.new('RGB', (4, 3))\ndisplay(im)\nim", 2, "<image 1><image 2>")

    def test_file_that_is_shown(self):
        result = self.check(
            "Image.new('RGB', (4, 3)).save('a.png')\nImage.open('a.png').show()", 1, "<image 1>"
        )
        self.assertEqual(result.report["saved"], ["a.png"])
        self.assertNotIn(
            "saved",
            self.check(
                "Image.new('RGB', (4, 3)).save('a.png')\nImage.open('a.png').rotate(90).show()",
                1,
                "<image 1>",
            ).report,
        )

    def test_empty(self):
        result = self.check("Image.new('RGB', (0, 3)).show()", 0, "")
        self.assertEqual(result.notes, ["an image of 0x3 pixels cannot be shown"])

    def test_other_formats(self):
        code = (
            "import io\nfrom IPython.display import Image as I, display\nb = io.BytesIO()\n"
            "Image.new('RGB', (4, 3)).save(b, 'BMP')\ndisplay(I(data=b.getvalue()))"
        )
        self.check(code, 1, "<image 1>")
