"""The table of substitutes names what is installed, and misses nothing that is."""

import importlib.util
import unittest

from . import harness
from .harness import guest, native

harness._find_bootstrap()

from sandbox_bootstrap.hints import substitutes  # noqa: E402


class Substitutes(unittest.TestCase):
    @unittest.skipUnless(harness.HAS_MATPLOTLIB, "needs the venv")
    def test_what_serves_is_installed(self):
        for name in sorted(substitutes.all_serving()):
            self.assertIsNotNone(importlib.util.find_spec(name), name)

    def test_what_is_missed_is_not_installed(self):
        for name in substitutes.all_missed():
            self.assertIsNone(importlib.util.find_spec(name), name)

    def test_each_is_missed_once(self):
        missed = substitutes.all_missed()
        self.assertEqual(len(missed), len(set(missed)))

    @unittest.skipUnless(harness.HAS_MATPLOTLIB, "needs the venv")
    def test_note(self):
        expected = ["no module `plotly` here; for plots there is: matplotlib, seaborn"]
        self.assertEqual(native("import plotly.express as px").notes, expected)

    def test_only_what_is_there_is_named(self):
        result = guest("import duckdb")
        expected = ["no module `duckdb` here; for queries over tables there is: sqlite3"]
        self.assertEqual(result.notes, expected)
        self.assertEqual(
            guest("import polars").notes,
            ["no module `polars` here, and packages cannot be installed in a job"],
        )


if __name__ == "__main__":
    unittest.main()
