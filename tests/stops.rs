//! Limits of the WASI runtime: each ends its job with its name, with what was printed, and with the line that ran.

use crate::support::Client;
use serde_json::json;
use std::time::{Duration, Instant};

/// Far more than a stop takes, far less than a job that is not stopped.
const SOON: Duration = Duration::from_secs(15);

#[test]
fn a_busy_loop_ends_at_the_deadline_with_its_output_and_its_line() {
    let mut client = Client::start(&[]);
    let started = Instant::now();
    let answer = client
        .call(json!({ "code": "print('so far')\nx = 0\nwhile True:\n    x += 1", "timeout": 1 }));
    assert!(started.elapsed() < SOON);
    let text = answer.failed();
    assert!(text.starts_with("so far\nStopped at:\n"), "{text}");
    assert!(text.contains("File \"main.py\", line "), "{text}");
    assert!(
        text.contains(" of 1 s wall time; do less in one call, or pass a longer `timeout`]"),
        "{text}"
    );
    assert_eq!(answer.meta("limit")["name"], "wall");
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn a_sleep_ends_at_the_deadline() {
    let mut client = Client::start(&[]);
    let started = Instant::now();
    let answer = client
        .call(json!({ "code": "import time\nprint('sleeping')\ntime.sleep(999)", "timeout": 1 }));
    assert!(started.elapsed() < SOON);
    let text = answer.failed();
    assert!(text.starts_with("sleeping\nStopped at:\n"), "{text}");
    assert!(text.contains("line 3, in <module>\n    time.sleep(999)"), "{text}");
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn code_that_catches_everything_is_stopped_all_the_same() {
    let mut client = Client::start(&[]);
    let started = Instant::now();
    let code = "print('stubborn')\nwhile True:\n    try:\n        while True: pass\n    except BaseException:\n        pass";
    let answer = client.call(json!({ "code": code, "timeout": 1 }));
    assert!(started.elapsed() < SOON);
    assert!(answer.failed().starts_with("stubborn\n"), "{}", answer.text);
    assert_eq!(answer.meta("limit")["name"], "wall");
}

/// The meter counts where Python's compiler can have code come back to. Code that was put together by hand comes back
/// elsewhere as well, and to itself without any check for a signal.
#[test]
fn code_that_no_compiler_would_write_is_stopped_all_the_same() {
    let mut client = Client::start(&[]);
    for (code, ends) in [
        // Jumps back without a look at signals, as `await` does.
        ("run([('RESUME', 0), ('JUMP_BACKWARD_NO_INTERRUPT', 1)])", "wall"),
        // An exception that is handled where it is raised.
        ("run([('RESUME', 0), ('RAISE_VARARGS', 0)], bytes([0x81, 1, 1, 0]))", "wall"),
        // A jump forward by nearly 4 GiB, which would wrap around to itself.
        ("run([('RESUME', 0), *[('EXTENDED_ARG', 255)] * 3, ('JUMP_FORWARD', 251)])", "trap"),
        // A function that traces, and whose own code is prepared for being traced.
        ("def trace(*_):\n    while True: pass\nsys.settrace(trace)\n(lambda: 0)()", "wall"),
    ] {
        let started = Instant::now();
        let answer = client.call(json!({ "code": format!("{BY_HAND}{code}"), "timeout": 1 }));
        assert!(started.elapsed() < SOON, "{code}");
        assert!(answer.failed().starts_with("so far\n"), "{}", answer.text);
        assert!(answer.text.contains("  File \"main.py\", line "), "{}", answer.text);
        if ends == "trap" {
            assert!(
                answer.text.contains("the guest trapped: wasm trap: out of bounds memory access"),
                "{}",
                answer.text
            );
        } else {
            assert_eq!(answer.meta("limit")["name"], ends, "{code}: {}", answer.text);
        }
        assert_eq!(client.run("print('alive')").ok(), "alive");
    }
}

/// `run` makes a function of instructions and a table of handlers, and calls it.
const BY_HAND: &str = "import sys
from opcode import opmap
def run(instructions, handlers=b''):
    code = bytes(byte for name, argument in instructions for byte in (opmap[name], argument))
    f = lambda: None
    f.__code__ = f.__code__.replace(co_code=code, co_exceptiontable=handlers, co_stacksize=9)
    f()
print('so far')
";

/// Whatever random instructions do to the interpreter, its loop cannot keep the host waiting. Most crash it.
#[test]
fn random_instructions_come_to_an_end() {
    let mut client = Client::start(&[]);
    let mut stopped = 0;
    for seed in 0..60 {
        let started = Instant::now();
        let code = format!("seed = {seed}\n{AT_RANDOM}");
        let answer = client.call(json!({ "code": code, "timeout": 0.2, "runtime": "wasm" }));
        assert!(started.elapsed() < SOON, "{seed}: {}", answer.text);
        stopped += i32::from(answer.meta("exit") == "limit");
    }
    // Loops without a way out are among them.
    assert!(stopped > 0);
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

/// Functions of random instructions, jumps above all, with random tables of handlers.
const AT_RANDOM: &str = "
import random, sys
from opcode import opmap
chance = random.Random(seed)
all = [code for code in opmap.values() if code < 256]
some = [opmap[name] for name in '''JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE
    FOR_ITER SEND RESUME EXTENDED_ARG LOAD_CONST POP_TOP COPY SWAP RETURN_VALUE YIELD_VALUE RERAISE RAISE_VARARGS PUSH_NULL
    CALL NOP'''.split()]
def plain(a=1, *b, c=2, **d):
    x = y = 1
    return lambda: (x, y)
def generator():
    for i in range(3):
        try:
            yield from [i, plain()]
        except Exception:
            pass
for _ in range(8):
    size = chance.randrange(2, 40)
    choice = some if chance.random() < 0.7 else all
    argument = lambda: chance.choice([0, 1, 2, 3, 255, chance.randrange(256)])
    code = [opmap['RESUME'], 0] + [byte for _ in range(size) for byte in (chance.choice(choice), argument())]
    place = lambda: chance.randrange(size)
    handlers = [byte for _ in range(chance.randrange(3)) for byte in (0x80 | place(), place() + 1, place(), chance.randrange(8))]
    function = chance.choice([plain, generator])
    function.__code__ = function.__code__.replace(co_code=bytes(code), co_exceptiontable=bytes(handlers), co_stacksize=60)
    if chance.random() < 0.2:
        sys.settrace(lambda *_: None)
    try:
        value = function()
        if function is generator:
            for _ in zip(value, range(5)):
                pass
    except Exception:
        pass
";

#[test]
fn fuel_runs_out_with_a_name() {
    let mut client = Client::start(&["--limit-fuel", "1000"]);
    let answer = client.run("print('so far')\nwhile True: pass");
    assert!(answer.failed().starts_with("so far\n"), "{}", answer.text);
    assert_eq!(answer.meta("limit")["name"], "fuel");
    assert_eq!(answer.meta("limit")["limit"], 1_000_000_000);
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn memory_is_refused_as_python_knows_it() {
    let mut client = Client::start(&["--limit-memory", "128"]);
    let answer = client.run("print('so far')\nx = bytearray(10**9)");
    assert!(answer.failed().starts_with("so far\n"), "{}", answer.text);
    assert!(answer.failed().contains("MemoryError"), "{}", answer.text);
    let answer = client.run("x = []\nwhile True: x.append(bytearray(1 << 20))");
    assert_eq!(answer.meta("limit")["name"], "memory");
    assert!(answer.failed().contains(" of 128 MiB; "), "{}", answer.text);
    let caught = "try:\n    x = bytearray(200 << 20)\nexcept MemoryError:\n    print('caught')";
    assert_eq!(client.run(caught).ok(), "caught");
}

#[test]
fn endless_output_is_cut_in_the_middle_and_then_stopped() {
    let mut client = Client::start(&["--limit-output", "1"]);
    let answer = client.run("while True:\n    print('1234567890' * 50)");
    assert_eq!(answer.meta("limit")["name"], "stdout");
    assert!(answer.text.contains(" bytes omitted ...]\n"), "{}", answer.text);
    assert!(answer.text.len() < 30_000, "{}", answer.text.len());
    let answer = client.run("import sys\nwhile True:\n    sys.stderr.write('e' * 1000)");
    assert_eq!(answer.meta("limit")["name"], "stderr");
    assert_eq!(client.run("print('alive')").ok(), "alive");
}

#[test]
fn deep_recursion_is_an_exception() {
    let mut client = Client::start(&[]);
    for (code, expected) in [
        (
            "def f(n): return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as e:\n    print(str(e)[:32])",
            "maximum recursion depth exceeded",
        ),
        (
            "import json\nd = {}\nfor _ in range(100000): d = {'k': d}\ntry:\n    json.dumps(d)\nexcept RecursionError:\n    print('caught')\nwhile d: d = d['k']",
            "caught",
        ),
        (
            "import json\ntry:\n    json.loads('[' * 100000)\nexcept RecursionError:\n    print('caught')",
            "caught",
        ),
        (
            "x = []\nfor _ in range(100000): x = [x]\ntry:\n    repr(x)\nexcept RecursionError:\n    print('caught')",
            "caught",
        ),
        (
            "import ast\ntry:\n    ast.parse('(' * 5000 + ')' * 5000)\nexcept (SyntaxError, MemoryError, RecursionError) as e:\n    print('caught')",
            "caught",
        ),
        (
            "try:\n    eval('-' * 50000 + '1')\nexcept (SyntaxError, MemoryError, RecursionError) as e:\n    print('caught')",
            "caught",
        ),
        ("def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\nprint(depth(900))", "900"),
    ] {
        assert_eq!(client.run(code).ok(), expected, "{code}");
    }
}
