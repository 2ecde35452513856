"""`display()`, rich representations, and the stand-ins for IPython."""

import unittest

from .harness import both

PNG = b"\x89PNG\r\n\x1a\n..."


class DisplayTest(unittest.TestCase):
    def check(self, code, stdout, images=0, **options):
        """The job prints this, with so many images, in both runtimes."""
        for result in both(code, **options):
            self.assertEqual(result.stdout, stdout, result.report)
            self.assertEqual(len(result.images), images)
            self.assertEqual((result.code, result.stderr), (0, ""))
        return result


class Display(DisplayTest):
    def test_builtin(self):
        self.check("display(1, 'a', [2])\ndisplay(None)", "1\n'a'\n[2]\nNone\n")
        self.check(
            "display({'text/plain': 'raw'}, raw=True)\ndisplay({'text/plain': 'raw'})",
            "raw\n{'text/plain': 'raw'}\n",
        )

    def test_representations(self):
        template = "class A:\n    def {}(self, **k):\n        return {}\n{}"
        for method, value, expected, images in (
            ("_repr_png_", repr(PNG), "<image 1>", 1),
            ("_repr_jpeg_", repr(b"\xff\xd8\xff..."), "<image 1>", 1),
            ("_repr_png_", "None", "<__main__.A object at 0x>\n", 0),
            ("_repr_png_", "1 / 0", "<__main__.A object at 0x>\n", 0),
            ("_repr_svg_", "'<svg></svg>'", "<svg></svg>\n", 0),
            ("_repr_html_", "'<b>bold</b> &amp; <i>it</i>'", "bold & it\n", 0),
            ("_repr_markdown_", "'# Title'", "# Title\n", 0),
            ("_repr_latex_", "'$x$'", "$x$\n", 0),
            ("_repr_mimebundle_", f"{{'image/png': {PNG!r}, 'text/plain': 'x'}}", "<image 1>", 1),
            (
                "_repr_mimebundle_",
                "{'image/png': 'iVBORw0KGgou', 'text/plain': 'x'}",
                "<image 1>",
                1,
            ),
            ("_repr_mimebundle_", "({'text/html': '<p>one</p><p>two</p>'}, {})", "one\ntwo\n", 0),
            ("_repr_mimebundle_", "{'application/json': [1]}", "[1]\n", 0),
            ("__repr__", "'plain'", "plain\n", 0),
        ):
            for ending in ("A()", "display(A())"):
                with self.subTest((method, value, ending)):
                    for result in both(template.format(method, value, ending)):
                        import re

                        self.assertEqual(re.sub("0x[0-9a-f]+", "0x", result.stdout), expected)
                        self.assertEqual(len(result.images), images)

    def test_repr_wins_over_html(self):
        self.check(
            (
                "class A:\n    def _repr_html_(self):\n        return '<table>'\n"
                "    def __repr__(self):\n        return 'text'\nA()"
            ),
            "text\n",
        )

    def test_class_is_no_instance(self):
        self.check(
            "class A:\n    def _repr_html_(self):\n        return 'x'\nA", "<class '__main__.A'>\n"
        )

    def test_objects_that_answer_to_any_name(self):
        self.check(
            (
                "class A:\n    def __getattr__(self, name):\n        return lambda *a, **k: 'odd'\n"
                "    def __repr__(self):\n        return 'me'\nA()"
            ),
            "me\n",
        )

    def test_html_tables(self):
        table = (
            "<table><thead><tr><th></th><th>a</th></tr></thead>"
            "<tbody><tr><th>0</th><td>1</td></tr></tbody></table>"
        )
        html = table + "<style>x</style><ul><li>p</li></ul>"
        self.check(f"from IPython.display import HTML\nHTML({html!r})", "a\n0  1\n- p\n")

    def test_pictures_embedded_in_markup(self):
        import base64

        address = "data:image/png;base64," + base64.b64encode(PNG).decode()
        html = (
            f"<h1>T</h1><img src='{address}' alt='gone'><p>end</p><img src='http://x/y.png' "
            f"alt='far'>"
        )
        result = self.check(
            f"from IPython.display import HTML\nHTML({html!r})", "T\nend\nfar\n<image 1>", 1
        )
        self.assertEqual(result.images[0].data, PNG)
        self.check(
            f"from IPython.display import Markdown\nMarkdown('**a** ![b]({address})')",
            "**a** b\n<image 1>",
            1,
        )
        self.check(
            f"from IPython.display import HTML\nHTML('<img src=\"{address}\">')", "<image 1>", 1
        )
        self.check(
            (
                "from IPython.display import HTML\n"
                'HTML(\'<img src="data:image/png;base64,A" alt="broken">\')'
            ),
            "broken\n",
        )


class IPythonStandIn(DisplayTest):
    def test_text(self):
        self.check(
            (
                "from IPython.display import display, HTML, Markdown, SVG, Latex\n"
                "display(Markdown('**a**'), HTML('<h1>b</h1>'), SVG('<svg/>'), Latex('$c$'))"
            ),
            "**a**\nb\n<svg/>\n$c$\n",
        )
        self.check("from IPython.core.display import display, HTML\ndisplay(HTML('x'))", "x\n")
        self.check(
            (
                "import IPython\nIPython.display.display(IPython.display.Markdown('m'))\n"
                "print(IPython.get_ipython())"
            ),
            "m\nNone\n",
        )
        self.check(
            "from IPython import display\ndisplay.display(1)\ndisplay.clear_output(wait=True)",
            "1\n",
        )
        self.check("from IPython import get_ipython\nprint(get_ipython())", "None\n")

    def test_images(self):
        result = self.check(
            "from IPython.display import Image\nImage('p.png')",
            "<image 1>",
            1,
            files={"p.png": PNG},
        )
        self.assertEqual(result.images[0].data, PNG)
        self.assertEqual(result.report["saved"], ["p.png"])
        self.assertEqual(result.images[0].header["file"], "/mnt/data/p.png")
        self.check(
            f"from IPython.display import Image, display\ndisplay(Image(data={PNG!r}, width=10))",
            "<image 1>",
            1,
        )
        self.check(
            "from IPython.display import Image\nImage(url='https://example.org/a.png')",
            "<Image: https://example.org/a.png (nothing is fetched from the network)>\n",
        )

    def test_missing_file(self):
        for result in both("from IPython.display import Image\nImage(filename='no.png')"):
            self.assertEqual(result.report["error"]["type"], "FileNotFoundError")
            self.assertIn('File "main.py", line 2, in <module>', result.traceback)
            self.assertNotIn("sandbox_bootstrap", result.traceback)

    def test_what_cannot_be_shown(self):
        self.check(
            (
                "from IPython.display import Audio, Javascript\n"
                "display(Audio('a.wav'), Javascript('alert(1)'))"
            ),
            "<Audio a.wav: cannot be shown here>\n<Javascript alert(1): cannot be shown here>\n",
        )

    def test_bytes_that_are_no_picture(self):
        self.check(
            "class A:\n    def _repr_png_(self):\n        return b'nothing'\nA()",
            "<7 bytes of image/png>\n",
        )

    def test_updates(self):
        self.check("h = display('a', display_id=True)\nh.update('b')", "'a'\n'b'\n")

    def test_parts_without_stand_in(self):
        for result in both("from IPython.terminal import embed"):
            self.assertEqual(
                result.report["error"]["message"], "No module named 'IPython.terminal'"
            )
