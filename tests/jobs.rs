//! Pure-Python jobs through the real server: what they print, what they raise, and that they share nothing.

use crate::support::Client;
use serde_json::json;
use std::collections::HashSet;

#[test]
fn output_value_and_traceback_come_in_order() {
    let mut client = Client::start(&[]);
    assert_eq!(client.run("print('hello', 1 + 1)").ok(), "hello 2");
    assert_eq!(
        client.run("print('a', end='')\nprint('b')\nprint('c\\nd')\nprint('e', end='')").ok(),
        "ab\nc\nd\ne"
    );
    assert_eq!(client.run("x = 6\nx * 7").ok(), "42");
    assert_eq!(client.run("").ok(), "[no output]");
    let failed = client.run("def f(a):\n    return a / 0\n\nprint('before')\nf(1)");
    assert_eq!(
        failed.failed(),
        "before\nTraceback (most recent call last):\n  File \"main.py\", line 5, in <module>\n    f(1)\n    ~^^^\n  \
         File \"main.py\", line 2, in f\n    return a / 0\n           ~~^~~\nZeroDivisionError: division by zero"
    );
    assert_eq!(failed.meta("error")["type"], "ZeroDivisionError");
    assert_eq!(failed.meta("exit"), "exception");
    assert_eq!(failed.meta("exitCode"), 1);
    assert_eq!(failed.meta("runtime"), "wasm");
}

#[test]
fn stderr_stands_apart() {
    let mut client = Client::start(&[]);
    let answer =
        client.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('more')");
    assert_eq!(answer.ok(), "out\nmore\n[stderr]\nerr");
}

#[test]
fn exit_codes_are_told() {
    let mut client = Client::start(&[]);
    assert_eq!(client.run("import sys\nprint(1)\nsys.exit(0)").ok(), "1");
    let exit = client.run("import sys\nprint(1)\nsys.exit(3)");
    assert_eq!(exit.failed(), "1\n[the program left with exit code 3]");
    assert_eq!(exit.meta("exitCode"), 3);
    assert_eq!(
        client.run("import os\nprint(1)\nos._exit(7)").failed(),
        "1\n[the program left with exit code 7]"
    );
    assert_eq!(
        client.run("raise SystemExit('gone')").failed(),
        "[stderr]\ngone\n[the program left with exit code 1]"
    );
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn the_standard_library_with_c_parts_works() {
    let mut client = Client::start(&[]);
    let code = "import zlib, bz2, lzma, sqlite3, zoneinfo, decimal, hashlib, asyncio, datetime\n\
        data = b'x' * 1000\n\
        print(all(m.decompress(m.compress(data)) == data for m in (zlib, bz2, lzma)))\n\
        db = sqlite3.connect(':memory:')\n\
        print(db.execute('select 6 * 7').fetchone())\n\
        print(datetime.datetime(2024, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo('Asia/Shanghai')).isoformat())\n\
        print(decimal.Decimal(1) / 7)\n\
        print(hashlib.sha256(b'').hexdigest()[:16])\n\
        async def main():\n    await asyncio.sleep(0.01)\n    return 'done'\n\
        print(asyncio.run(main()))";
    assert_eq!(
        client.run(code).ok(),
        "True\n(42,)\n2024-07-01T12:00:00+08:00\n0.1428571428571428571428571429\ne3b0c44298fc1c14\ndone"
    );
}

#[test]
fn every_job_draws_its_own_random_numbers() {
    let mut client = Client::start(&[]);
    let code = "import random, uuid, secrets, tempfile\nprint(random.random(), uuid.uuid4(), secrets.token_hex(8), tempfile.mktemp())";
    let mut seen: [HashSet<String>; 4] = Default::default();
    for _ in 0..100 {
        let answer = client.run(code);
        for (set, word) in seen.iter_mut().zip(answer.ok().split_whitespace()) {
            set.insert(word.to_owned());
        }
    }
    assert_eq!(seen.map(|set| set.len()), [100; 4]);
}

#[test]
fn a_job_finds_nothing_of_the_one_before() {
    let mut client = Client::start(&[]);
    let code = "import builtins, sys, os\n\
        print(getattr(builtins, 'left', None), 'leftover' in sys.modules, os.listdir('/mnt/data'), os.environ.get('LEFT'))\n\
        builtins.left = 1\nsys.modules['leftover'] = sys\nopen('/mnt/data/left', 'w').close()\nos.environ['LEFT'] = '1'";
    let expected = "None False [] None";
    for _ in 0..3 {
        let answer = client.run(code);
        assert_eq!(answer.ok().lines().next(), Some(expected));
    }
}

#[test]
fn sixty_four_jobs_at_once_are_answered_each_with_its_own_output() {
    let mut client = Client::start(&[]);
    let ids: Vec<i64> = (0..64)
        .map(|n| {
            client.send_call(
                json!({ "code": format!("import time\nfor i in range(5):\n    print({n}, i); time.sleep(0.01)") }),
            )
        })
        .collect();
    for _ in &ids {
        let message = client.receive();
        let id = message["id"].as_i64().expect("an id");
        let n = ids.iter().position(|&known| known == id).expect("a known id");
        let expected: Vec<String> = (0..5).map(|i| format!("{n} {i}")).collect();
        assert_eq!(crate::support::Answer::of(&message).ok(), expected.join("\n"));
    }
}

#[test]
fn a_module_that_needs_native_says_so_and_can_be_caught() {
    let mut client = Client::start(&["--native", "off"]);
    let answer = client.run("print('before')\nimport numpy");
    let text = answer.failed();
    assert!(
        text.starts_with(
            "before\nTraceback (most recent call last):\n  File \"main.py\", line 2, in <module>\n    import numpy\n"
        ),
        "{text}"
    );
    assert!(text.ends_with("ModuleNotFoundError: No module named 'numpy': it needs the native runtime, which is off: `--native off` was given"), "{text}");
    let caught = "try:\n    import numpy\nexcept ImportError:\n    print('fallback')";
    assert_eq!(client.run(caught).ok(), "fallback");
    assert_eq!(
        client.call(json!({ "code": "1", "runtime": "native" })).failed(),
        "the native runtime is off: `--native off` was given"
    );
}

#[test]
fn a_plot_comes_back_as_one_image_in_its_place() {
    let mut client = Client::start(&[]);
    let code = "import numpy as np\nimport matplotlib.pyplot as plt\n\
        print('before')\nplt.plot(np.arange(5), label='line')\nplt.title('A title')\nplt.show()\nprint('after')";
    let answer = client.run(code);
    let text = answer.ok();
    assert!(text.starts_with("before\n[image 1: "), "{text}");
    assert!(text.contains(" PNG, \"A title\"]\nline plot \"A title\", "), "{text}");
    assert!(text.ends_with("\nafter"), "{text}");
    assert_eq!(answer.images.len(), 1);
    assert_eq!(answer.images[0].0, "image/png");
    assert_eq!(answer.meta("runtime"), "native");
    assert_eq!(answer.meta("reason"), "`numpy` needs the native runtime");
    assert_eq!(answer.meta("confined"), true);
}

#[test]
fn an_image_file_comes_back_and_one_that_was_shown_does_not_come_twice() {
    let mut client = Client::start(&[]);
    let code = "from PIL import Image\nImage.new('RGB', (40, 30), (200, 10, 10)).save('red.png')";
    let answer = client.run(code);
    assert!(
        answer.ok().starts_with("[image 1: 40x30 PNG, file red.png]\n[files written: red.png ("),
        "{}",
        answer.text
    );
    assert_eq!(answer.images.len(), 1);
    let code =
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('plot.png')\nplt.show()";
    assert_eq!(client.run(code).images.len(), 1);
}

#[test]
fn saved_figures_come_back_in_the_order_of_saving_with_what_they_show() {
    let mut client = Client::start(&[]);
    let code = "import matplotlib.pyplot as plt\nfor name in 'ba':\n    plt.figure(figsize=(3, 2))\n    plt.plot([1, 2])\n    \
                plt.title(name)\n    plt.savefig(f'{name}.png')\n    plt.close()\n\
                from PIL import Image\nImage.new('RGB', (40, 30), 'red').save('A.png')\nprint('done')";
    let answer = client.run(code);
    let line = |name: &str| {
        format!(
            "line plot \"{name}\", x -0.05 to 1.05, y 0.95 to 2.05; 2 points for x 0 to 1, first 1, last 2, min 1, max 2."
        )
    };
    let expected = format!(
        "done\n[image 1: 300x200 PNG, \"b\", file b.png]\n{}\n[image 2: 300x200 PNG, \"a\", file a.png]\n{}\n\
         [image 3: 40x30 PNG, file A.png]\n[files written: A.png (",
        line("b"),
        line("a")
    );
    assert!(answer.ok().starts_with(&expected), "{}", answer.text);
    assert_eq!(answer.images.len(), 3);
}

#[test]
fn a_traceback_of_a_hundred_thousand_entries_is_shown_by_its_ends() {
    let mut client = Client::start(&[]);
    let code = "import sys\nsys.setrecursionlimit(100_000)\ndef f(n): return f(n + 1)\nf(0)";
    for runtime in ["wasm", "native"] {
        let answer = client.call(json!({ "code": code, "runtime": runtime }));
        let text = answer.failed();
        let end = "  [Previous line repeated 1996 more times]\nRecursionError: maximum recursion depth exceeded\n\
                   [note: of this traceback ";
        assert!(text.contains(end), "{runtime}: {text}");
        assert!(
            text.ends_with(" entries in the middle are neither shown nor counted]"),
            "{runtime}: {text}"
        );
    }
}

#[test]
fn an_import_that_nobody_could_see_is_rerun_and_said() {
    let mut client = Client::start(&[]);
    let answer =
        client.run("print('once')\nnp = __import__('num' + 'py')\nprint(np.ones(2).sum())");
    assert_eq!(
        answer.ok(),
        "once\n2.0\n[run again from the start in the native runtime: `numpy` needs the native runtime, which was noticed when the code ran]"
    );
}

#[test]
fn what_only_the_native_library_has_is_rerun_there() {
    let mut client = Client::start(&[]);
    for (code, printed, name) in [
        (
            "import os, signal\nsignal.signal(signal.SIGUSR2, lambda *_: print('signal'))\nos.kill(os.getpid(), signal.SIGUSR2)",
            "signal",
            "os.kill",
        ),
        ("from os import pipe\nprint(len(pipe()))", "2", "os.pipe"),
        ("import signal\nprint(int(signal.ITIMER_REAL))", "0", "signal.ITIMER_REAL"),
        (
            "import os\nsaved = os.dup(1)\nos.dup2(os.open('log', os.O_CREAT | os.O_WRONLY), 1)\nos.write(1, b'hidden')\n\
             os.dup2(saved, 1)\nprint(open('log').read())",
            "hidden\n[files written: log (6 bytes)]",
            "os.dup",
        ),
    ] {
        let answer = client.run(code);
        let note = format!(
            "[run again from the start in the native runtime: `{name}` needs the native runtime, which was noticed when \
             the code ran]"
        );
        assert_eq!(answer.ok(), format!("{printed}\n{note}"));
    }
    let typo = client.run("import os\nos.lisdir()");
    let why = "AttributeError: module 'os' has no attribute 'lisdir'. Did you mean: 'listdir'?";
    assert!(typo.failed().ends_with(why), "{}", typo.text);
    assert_eq!(typo.meta("runtime"), "wasm");
}

#[test]
fn walls_of_the_sandbox_are_explained() {
    let mut client = Client::start(&[]);
    let processes = "no process can be started here";
    let workers = "a job has no worker processes";
    for (code, words) in [
        ("import subprocess\nsubprocess.run(['ls'])", processes),
        ("import multiprocessing\nmultiprocessing.Pool(2)", workers),
        ("from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor()", workers),
    ] {
        for runtime in ["wasm", "native"] {
            let answer = client.call(json!({ "code": code, "runtime": runtime }));
            assert!(answer.failed().contains(words), "{runtime}: {}", answer.text);
        }
    }
    let system = client
        .call(json!({ "code": "import os\nprint(os.system('ls') != 0)", "runtime": "native" }));
    assert!(
        system.ok().starts_with("True\n[note: no process can be started here"),
        "{}",
        system.text
    );
}

#[test]
fn an_unconfined_answer_says_so() {
    let mut client = Client::start(&["--native", "unconfined"]);
    let answer = client.run("import numpy\nnumpy.ones(2).sum()");
    assert_eq!(
        answer.ok(),
        "np.float64(2.0)\n[the native runtime is not confined: `--native unconfined`]"
    );
    assert_eq!(answer.meta("confined"), false);
}

#[test]
fn given_files_are_there_in_both_runtimes() {
    let mut client = Client::start(&[]);
    let files = json!([{ "path": "in/data.csv", "text": "a,b\n1,2\n3,4\n" }, { "path": "/mnt/data/raw.bin", "base64": "AAEC" }]);
    let code = "import csv\nprint(list(csv.reader(open('in/data.csv'))), open('/mnt/data/raw.bin', 'rb').read())";
    assert_eq!(
        client.call(json!({ "code": code, "files": files })).ok(),
        "[['a', 'b'], ['1', '2'], ['3', '4']] b'\\x00\\x01\\x02'"
    );
    let code = "import pandas as pd\nprint(pd.read_csv('/mnt/data/in/data.csv').sum().to_dict())";
    assert_eq!(client.call(json!({ "code": code, "files": files })).ok(), "{'a': 4, 'b': 6}");
}
