"""What the tests of figures share."""

import unittest
from collections.abc import Sequence
from typing import Any

from .harness import Result, native

PLT = "import matplotlib.pyplot as plt\n"


class FigureTest(unittest.TestCase):
    """Runs jobs that draw."""

    def check(  # noqa: PLR0913, PLR0917  # one for each thing that can differ
        self,
        code: str,
        images: int,
        stdout: str | None = None,
        notes: Sequence[str] = (),
        saved: list[str] | None = None,
        code_: int = 0,
        **options: Any,
    ) -> Result:
        """The job sends so many images, in this order of output, with these notes and files."""
        result = native(PLT + code, **options)
        self.assertEqual(len(result.images), images, (result.report, result.stderr))
        if stdout is not None:
            self.assertEqual(result.stdout, stdout)
        self.assertEqual(result.notes, list(notes))
        self.assertEqual(result.report.get("saved"), saved)
        self.assertEqual((result.code, result.stderr), (code_, ""), result.report)
        return result

    def titles(self, result: Result) -> list[str]:
        """The titles of the images in order."""
        return [image.header["title"] for image in result.images]
