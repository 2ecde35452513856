"""Native runtime: /mnt/data and /tmp are where the job says, whatever it uses to get there."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .harness import HAS_MATPLOTLIB, native, without_calls


class Paths(unittest.TestCase):
    def check(self, code, stdout="", **options):
        """The job runs without an error, prints this, and never shows the real directory."""
        result = native(code, **options)
        self.assertEqual((result.stdout, result.code), (stdout, 0), result.report)
        self.assertNotIn(str(result.workdir.parent), result.stdout + result.stderr)
        return result

    def test_current_directory(self):
        self.check(
            (
                "import os, pathlib\n"
                "print(os.getcwd(), os.getcwdb(), pathlib.Path.cwd(), os.path.abspath('a'), "
                "pathlib.Path('a').resolve(), os.path.realpath('/mnt/data/a'))"
            ),
            "/mnt/data b'/mnt/data' /mnt/data /mnt/data/a /mnt/data/a /mnt/data/a\n",
        )
        self.check(
            (
                "import os\nos.mkdir('d')\nos.chdir('/mnt/data/d')\nprint(os.getcwd())\n"
                "os.chdir('..')\nprint(os.getcwd())"
            ),
            "/mnt/data/d\n/mnt/data\n",
        )

    def test_open(self):
        code = (
            "with open('/mnt/data/a.txt', 'w') as f:\n    f.write('x')\n    print(f.name)\n"
            "print(open('a.txt').read(), open(b'/mnt/data/a.txt', 'rb').name)\nimport io, os\n"
            "print(io.open is open, os.path.getsize('/mnt/data/a.txt'))"
        )
        result = self.check(code, "/mnt/data/a.txt\nx b'/mnt/data/a.txt'\nTrue 1\n")
        self.assertEqual((result.workdir / "a.txt").read_text(), "x")

    def test_errors_name_the_jobs_paths(self):
        missing = "[Errno 2] No such file or directory: '/mnt/data/no'"
        for call, message in {
            "open('/mnt/data/no')": missing,
            "os.stat('/mnt/data/no')": missing,
            "os.listdir('/mnt/data/no')": missing,
            "list(os.scandir('/mnt/data/no'))": missing,
            "os.rename('/mnt/data/no', '/mnt/data/b')": (
                "[Errno 2] No such file or directory: '/mnt/data/no' -> '/mnt/data/b'"
            ),
            "os.mkdir('/mnt/data/d')": "[Errno 17] File exists: '/mnt/data/d'",
            "open('no')": "[Errno 2] No such file or directory: 'no'",
            "pathlib.Path('/mnt/data/no').read_text()": missing,
            "shutil.copy('/mnt/data/no', '/mnt/data/b')": missing,
        }.items():
            with self.subTest(call):
                self.check(
                    (
                        f"import os, pathlib, shutil\nos.mkdir('d')\ntry:\n    {call}\n"
                        f"except OSError as e:\n    print(e)"
                    ),
                    message + "\n",
                )

    def test_tracebacks_show_no_wrapper(self):
        for call in (
            "open('/mnt/data/no')",
            "os.stat('/mnt/data/no')",
            "os.listdir(path='/mnt/data/no')",
        ):
            result = native(f"import os\n{call}\n")
            expected = (
                f'Traceback (most recent call last):\n  File "main.py", line 2, in <module>\n'
                f"    {call}\n"
                f"    {'~' * call.index('(')}{'^' * (len(call) - call.index('('))}\n"
                "FileNotFoundError: [Errno 2] No such file or directory: '/mnt/data/no'\n"
            )
            self.assertEqual(result.traceback, without_calls(expected))

    def test_os_functions(self):
        self.check(
            """
import os
b = '/mnt/data/'
os.makedirs(b + 'd/e', exist_ok=True)
fd = os.open(b + 'd/f', os.O_CREAT | os.O_RDWR)
os.write(fd, b'abc')
os.close(fd)
os.rename(src=b + 'd/f', dst=b + 'd/g')
os.replace(b + 'd/g', b + 'd/h')
os.link(b + 'd/h', b + 'd/i')
os.symlink(b + 'd/h', b + 'd/s')
print(os.readlink(b + 'd/s'), open('d/s').read(), os.path.islink(b + 'd/s'),
      os.path.realpath(b + 'd/s'))
os.chmod(b + 'd/h', 0o600)
os.truncate(b + 'd/h', 2)
os.utime(b + 'd/h', (1, 2))
print(os.stat(b + 'd/h').st_size, os.lstat(b + 'd/h').st_mtime, os.access(b + 'd/h', os.R_OK),
      os.path.exists(b + 'no'))
print(sorted(os.listdir(b + 'd')), sorted(e.path for e in os.scandir(b + 'd')),
      os.path.samefile(b + 'd', 'd'))
with os.scandir(b + 'd') as entries:
    print(sorted((e.name, e.is_dir(), e.is_file(follow_symlinks=False)) for e in entries))
print(sorted((top, sorted(dirs), sorted(files)) for top, dirs, files in os.walk(b)))
os.remove(b + 'd/i')
os.unlink(b + 'd/s')
os.rmdir(b + 'd/e')
print(os.listdir('d'), os.stat in os.supports_follow_symlinks, os.path.isdir('/mnt/data'),
      os.statvfs(b).f_bsize > 0)
""",
            "/mnt/data/d/h abc True /mnt/data/d/h\n2 2.0 True False\n"
            "['e', 'h', 'i', 's'] ['/mnt/data/d/e', '/mnt/data/d/h', '/mnt/data/d/i', "
            "'/mnt/data/d/s'] True\n"
            "[('e', True, False), ('h', False, True), ('i', False, True), ('s', False, False)]\n"
            "[('/mnt/data/', ['d'], []), ('/mnt/data/d', ['e'], ['h', 'i', 's']), "
            "('/mnt/data/d/e', [], [])]\n"
            "['h'] True True True\n",
        )

    def test_library(self):
        self.check(
            """
import bz2, filecmp, glob, gzip, logging, lzma, pathlib, pickle, shelve, shutil, sqlite3, tarfile
import tempfile, zipfile
p = pathlib.Path('/mnt/data')
(p / 'a.txt').write_text('one')
(p / 'sub').mkdir()
shutil.copy('/mnt/data/a.txt', '/mnt/data/sub')
shutil.copytree('/mnt/data/sub', '/mnt/data/copy')
shutil.move('/mnt/data/copy', '/mnt/data/moved')
print(sorted(map(str, p.rglob('*.txt'))), [str(x) for x in p.glob('*.txt')],
      sorted(x.name for x in p.iterdir()))
print(sorted(glob.glob('/mnt/data/**/*.txt', recursive=True)), glob.glob('*.txt'))
for module in (gzip, bz2, lzma):
    with module.open('/mnt/data/z', 'wt') as f:
        f.write('packed')
    print(module.open('/mnt/data/z', 'rt').read())
with zipfile.ZipFile('/mnt/data/a.zip', 'w') as z:
    z.write('/mnt/data/a.txt', 'inner.txt')
with tarfile.open('/mnt/data/a.tar.gz', 'w:gz') as t:
    t.add('/mnt/data/a.txt', 'inner.txt')
print(zipfile.ZipFile('a.zip').namelist(), tarfile.open('/mnt/data/a.tar.gz').getnames())
for name in ('/mnt/data/x.db', 'file:/mnt/data/y.db', 'file:///mnt/data/w.db'):
    with sqlite3.connect(name, uri=True) as db:
        db.execute('create table t(a)')
print(sorted(x.name for x in p.glob('*.db')))
with tempfile.NamedTemporaryFile(dir='/mnt/data', suffix='.tmp') as f:
    print(f.name.startswith('/mnt/data/tmp'), pathlib.Path(f.name).exists())
with tempfile.TemporaryDirectory(dir='/mnt/data') as d:
    print(d.startswith('/mnt/data/tmp'))
with shelve.open('/mnt/data/shelf') as s:
    s['k'] = 1
pickle.dump(1, open('/mnt/data/p', 'wb'))
logging.basicConfig(filename='/mnt/data/l.log', level=logging.INFO)
logging.info('logged')
print(shutil.make_archive('/mnt/data/arch', 'zip', '/mnt/data/sub'))
print(filecmp.cmp('/mnt/data/a.txt', '/mnt/data/sub/a.txt'))
shutil.rmtree('/mnt/data/moved')
print((p / 'l.log').read_text(), (p / 'moved').exists(), shutil.disk_usage('/mnt/data').total > 0)
""",
            "['/mnt/data/a.txt', '/mnt/data/moved/a.txt', '/mnt/data/sub/a.txt'] "
            "['/mnt/data/a.txt'] ['a.txt', 'moved', 'sub']\n"
            "['/mnt/data/a.txt', '/mnt/data/moved/a.txt', '/mnt/data/sub/a.txt'] ['a.txt']\n"
            "packed\npacked\npacked\n['inner.txt'] ['inner.txt']\n['w.db', 'x.db', 'y.db']\n"
            "True True\nTrue\n"
            "/mnt/data/arch.zip\nTrue\nINFO:root:logged\n False True\n",
        )

    def test_private_tmp(self):
        result = self.check(
            "import os, tempfile\nopen('/tmp/x.txt', 'w').write('private')\n"
            "print(os.listdir('/tmp'), open('/tmp/x.txt').read())\n"
            "f = tempfile.NamedTemporaryFile()\nprint(os.path.exists(f.name))",
            "['x.txt'] private\nTrue\n",
        )
        self.assertEqual((result.workdir.parent / "tmp" / "x.txt").read_text(), "private")

    def test_an_interpreter_below_tmp_keeps_its_files(self):
        """Under the name it was started by, and under the one without links, which caches hold."""
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            (real := Path(folder, "0123")).mkdir()
            (real / "font.ttf").write_text("glyphs")
            (link := Path(folder, "current")).symlink_to(real.name)
            program = (
                "import os, sys\nos.environ['TMPDIR'] = sys.argv[2]\nsys.prefix = sys.argv[1]\n"
                "from sandbox_bootstrap.native import paths\n"
                "paths.map_directory('/mnt/data', sys.argv[2])\n"
                "print(open(sys.argv[1] + '/font.ttf').read(), open(sys.argv[3] + "
                "'/font.ttf').read())\n"
                "print(os.path.exists('/tmp/font.ttf'), os.listdir('/tmp'))"
            )
            (other := Path(folder, "job")).mkdir()
            arguments = [sys.executable, "-c", program, str(link), str(other), str(real)]
            root = Path(__file__).parents[1]
            printed = subprocess.run(
                arguments, cwd=root, capture_output=True, text=True, check=True
            ).stdout
        self.assertEqual(printed, "glyphs glyphs\nFalse []\n")

    def test_real_names_of_temporary_files_resolve(self):
        self.check(
            "import pathlib, tempfile\nwith tempfile.TemporaryDirectory() as d:\n"
            "    p = pathlib.Path(d, 'x')\n"
            "    p.write_text('a')\n    print(p.resolve(strict=True).read_text())",
            "a\n",
        )

    def test_other_paths_are_left_alone(self):
        self.check(
            (
                "import os\n"
                "print(os.path.exists('/mnt/database'), os.path.exists('/'), "
                "os.path.isdir('/usr'))\n"
                "import sys\nprint(os.path.exists(sys.executable))"
            ),
            "False True True\nTrue\n",
        )

    def test_descriptors_and_wrong_types(self):
        self.check(
            (
                "import os\nf = open('a', 'w')\n"
                "print(os.stat(f.fileno()).st_size, open(os.dup(f.fileno()), 'w').name > 0)"
            ),
            "0 True\n",
        )
        result = native("open(None)")
        self.assertEqual(result.report["error"]["type"], "TypeError")
        self.assertIn("not NoneType", native("import os\nos.stat(None)").report["error"]["message"])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
    def test_numpy_and_pandas(self):
        self.check(
            """
import numpy as np, pandas as pd
b = '/mnt/data/'
np.save(b + 'a.npy', np.arange(3))
np.savetxt(b + 'a.txt', np.arange(3))
np.arange(3).tofile(b + 'a.bin')
np.savez(b + 'a.npz', x=1)
print(np.load(b + 'a.npy'), np.loadtxt(b + 'a.txt'), np.fromfile(b + 'a.bin', dtype=int))
print(np.genfromtxt('a.txt'), np.load(b + 'a.npz')['x'])
print(np.load(b + 'a.npy', mmap_mode='r').sum(), np.memmap(b + 'm', shape=3, mode='w+').shape)
df = pd.DataFrame({'x': [1, 2]})
df.to_csv(b + 'd.csv', index=False)
df.to_json(b + 'd.json')
df.to_pickle(b + 'd.pkl')
df.to_csv(b + 'd.csv.gz', index=False)
print(pd.read_csv('d.csv').equals(df), *(
    read(b + name).x.sum() for read, name in (
        (pd.read_csv, 'd.csv'), (pd.read_json, 'd.json'), (pd.read_pickle, 'd.pkl'),
        (pd.read_csv, 'd.csv.gz')
    )
))
try:
    pd.read_csv(b + 'no.csv')
except FileNotFoundError as e:
    print(e)
""",
            (
                "[0 1 2] [0. 1. 2.] [0 1 2]\n[0. 1. 2.] 1\n3 (3,)\nTrue 3 3 3 3\n"
                "[Errno 2] No such file or directory: '/mnt/data/no.csv'\n"
            ),
        )

    @unittest.skipUnless(
        importlib.util.find_spec("openpyxl") and importlib.util.find_spec("pandas"),
        "needs openpyxl",
    )
    def test_excel(self):
        self.check(
            (
                "import pandas as pd\npd.DataFrame({'x': [1]}).to_excel('/mnt/data/a.xlsx')\n"
                "print(pd.read_excel('/mnt/data/a.xlsx').x.sum())"
            ),
            "1\n",
        )

    @unittest.skipUnless(importlib.util.find_spec("lxml"), "needs lxml")
    def test_lxml(self):
        code = (
            "from lxml import etree, html\n"
            "print(etree.parse('/mnt/data/a.xml').getroot().tag, "
            "html.parse('/mnt/data/a.xml').find('.//a').text)"
        )
        self.check(code, "a x\n", files={"a.xml": "<a>x</a>"})

    @unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
    def test_pictures(self):
        self.check(
            "import matplotlib.pyplot as plt, os\nfrom PIL import Image\nplt.plot([1])\n"
            "plt.savefig('/mnt/data/a.png')\nplt.close()\n"
            "im = Image.open('/mnt/data/a.png')\nim.convert('RGB').save('/mnt/data/b.jpg')\n"
            "print(im.filename, sorted(os.listdir('.')), plt.imread('/mnt/data/a.png').ndim)",
            "/mnt/data/a.png ['a.png', 'b.jpg'] 3\n",
        )
