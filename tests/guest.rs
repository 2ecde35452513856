//! The guest's own packages: what runs there, what is sent on to the native runtime, and an operator's packages.

use crate::support::Client;
use serde_json::{Value, json};
use std::fs;

/// Runs `code` in the guest alone.
fn guest(client: &mut Client, code: &str) -> String {
    let answer = client.run(code);
    assert_eq!(answer.meta("runtime"), "wasm", "{}", answer.text);
    answer.ok().to_owned()
}

#[test]
fn the_packages_of_the_guest_work() {
    let mut client = Client::start(&[]);
    for (code, printed) in [
        (
            "from sympy import *\nx = symbols('x')\nintegrate(sin(x)**2*exp(x), x)",
            "3*exp(x)*sin(x)**2/5 - 2*exp(x)*sin(x)*cos(x)/5 + 2*exp(x)*cos(x)**2/5",
        ),
        (
            "from sympy import *\nx = symbols('x')\nprint(solve(x**3 - 6*x**2 + 11*x - 6, x))",
            "[1, 2, 3]",
        ),
        (
            "import networkx as nx\ng = nx.path_graph(5)\nprint(nx.shortest_path(g, 0, 4), nx.density(g))",
            "[0, 1, 2, 3, 4] 0.4",
        ),
        (
            "from bs4 import BeautifulSoup\nprint(BeautifulSoup('<p>a<b>c', 'html.parser'))",
            "<p>a<b>c</b></p>",
        ),
        (
            "from dateutil.parser import parse\nprint(parse('5 March 2023 5pm'))",
            "2023-03-05 17:00:00",
        ),
        ("import yaml\nprint(yaml.safe_load('a: [1, yes]'))", "{'a': [1, True]}"),
        (
            "import jinja2\nprint(jinja2.Template('{% for i in x %}{{ i }};{% endfor %}').render(x=[1, 2]))",
            "1;2;",
        ),
        (
            "import openpyxl\nb = openpyxl.Workbook()\nb.active['A1'] = 5\nb.save('a.xlsx')\nprint(openpyxl.load_workbook('a.xlsx').active['A1'].value)",
            "5\n[files written: a.xlsx",
        ),
        ("from tqdm import tqdm\nimport io\nprint(sum(tqdm(range(4), file=io.StringIO())))", "6"),
        ("import tabulate\nprint(tabulate.tabulate([[1, 2]], tablefmt='plain'))", "1  2"),
        ("import markdown\nprint(markdown.markdown('*a*'))", "<p><em>a</em></p>"),
        (
            "import PyPDF2, xlrd, attrs, toolz, six, rich, mpmath, pygments, typing_extensions\nprint(mpmath.mp.dps)",
            "15",
        ),
    ] {
        let text = guest(&mut client, code);
        assert!(text.starts_with(printed), "{code}\n{text}");
    }
}

#[test]
fn what_only_the_native_runtime_can_do_goes_there() {
    let mut client = Client::start(&[]);
    for (code, module) in [
        ("from bs4 import BeautifulSoup\nprint(BeautifulSoup('<p>a<b>c', 'lxml').p)", "lxml"),
        ("from bs4 import BeautifulSoup\nprint(BeautifulSoup('<a/>', 'xml'))", "lxml"),
        ("import networkx as nx\nprint(nx.to_numpy_array(nx.path_graph(2)))", "numpy"),
        ("import networkx as nx\nprint(len(nx.pagerank(nx.path_graph(3))))", "numpy"),
        ("import sympy\nsympy.plot(sympy.Symbol('x'), show=False)", "matplotlib"),
        (
            "import sympy\nprint(sympy.lambdify(sympy.Symbol('x'), sympy.Symbol('x'), 'numpy')(3))",
            "numpy",
        ),
        ("import importlib.util\nprint(importlib.util.find_spec('numpy').name)", "numpy"),
    ] {
        let answer = client.call(json!({ "code": code, "timeout": 50 }));
        assert_eq!(answer.meta("runtime"), "native", "{code}\n{}", answer.text);
        let reason = answer.meta("reason").as_str().expect("a reason").to_owned();
        assert!(
            reason.starts_with(&format!("`{module}` needs the native runtime")),
            "{code}: {reason}"
        );
        answer.ok();
    }
}

#[test]
fn a_question_after_a_module_is_answered() {
    let mut client = Client::start(&["--native", "off"]);
    let code = "import importlib.util\nprint([importlib.util.find_spec(name) for name in ('winreg', 'numpy', 'nosuch', 'tkinter_')])\n\
        try:\n    import numpy\nexcept ImportError as error:\n    print(type(error).__name__)\n\
        import ctypes\nprint(ctypes.sizeof(ctypes.c_long))\n\
        try:\n    ctypes.CDLL('libc.so.6')\nexcept NotImplementedError as error:\n    print(str(error)[:53])\n\
        import pickle\ndef spam(): pass\nspam.__module__, spam.__qualname__ = None, 'eggs'\n\
        try:\n    pickle.dumps(spam)\nexcept pickle.PicklingError as error:\n    print(str(error)[-40:])";
    assert_eq!(
        guest(&mut client, code),
        "[None, None, None, None]\nModuleNotFoundError\n4\nctypes.CDLL() needs the native runtime, which is off:\n\
         attribute lookup eggs on __main__ failed"
    );
}

#[test]
fn packages_of_the_operator_can_be_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("mine")).expect("a package");
    fs::write(folder.path().join("mine/__init__.py"), "answer = 42\n").expect("its file");
    let option = folder.path().to_str().expect("UTF-8").to_owned();
    let mut client = Client::start(&["--packages", &option]);
    assert_eq!(guest(&mut client, "import mine\nprint(mine.answer)"), "42");
    let refused = client.run("open('/packages/mine/x', 'w')");
    assert!(
        refused.failed().contains("OSError: [Errno 69] Read-only file system"),
        "{}",
        refused.text
    );
}

#[test]
fn what_is_nested_too_deeply_ends_in_words() {
    let mut client = Client::start(&[]);
    let hashed = client.run("t = ()\nfor _ in range(300_000):\n    t = (t,)\nhash(t)");
    assert!(
        hashed
            .failed()
            .contains("RecursionError: maximum recursion depth exceeded while hashing a tuple"),
        "{}",
        hashed.text
    );
    // Iterators do not count how deep they are. The first goes over the stack in memory, the second over that of calls.
    for wrapped in ["itertools.chain(it)", "map(abs, it)"] {
        let code = format!(
            "import itertools\nit = iter(())\nfor _ in range(300_000):\n    it = {wrapped}\nlist(it)"
        );
        let answer = client.run(&code);
        assert_eq!(answer.meta("exit"), "crashed", "{}", answer.text);
        let told = "  File \"main.py\", line 5, in <module>\n[the Python process crashed: its stack overflowed; something is nested too deeply]";
        assert!(answer.failed().contains(told), "{}", answer.text);
    }
    assert_eq!(client.run("print(1)").ok(), "1");
}

/// Fuel of one more round of a loop around `body`: what a job costs beside it cancels out.
fn fuel_of_a_round(client: &mut Client, body: &str) -> u64 {
    const ROUNDS: u64 = 1000;
    let mut used = |rounds: u64| {
        let code = format!("def work(n):\n    for i in range(n):\n        {body}\nwork({rounds})");
        let answer = client.run(&code);
        answer.ok();
        answer.meta("fuel").as_u64().expect("the fuel that it used")
    };
    // Both beyond the point where Python has specialised the loop, and with as many digits.
    (used(4 * ROUNDS) - used(2 * ROUNDS)) / (2 * ROUNDS)
}

/// A slower guest is noticed here, without a stopwatch: fuel counts the work below Python's own instructions, whatever else
/// the machine does.
#[test]
fn python_costs_no_more_instructions_than_it_did() {
    let mut client = Client::start(&[]);
    for (body, most) in FUEL_OF_A_ROUND {
        let fuel = fuel_of_a_round(&mut client, body);
        assert!(
            fuel <= most && fuel * 10 >= most * 7,
            "`{body}` takes {fuel}; noted is at most {most}"
        );
    }
}

/// Measured with the toolchain of `pins.toml`, and 5 % more.
const FUEL_OF_A_ROUND: [(&str, u64); 6] = [
    ("pass", 84),
    ("x = i + 1", 126),
    ("x = [i, i]", 252),
    ("x = str(i)", 539),
    ("x = {i: i}", 399),
    ("x = len(range(i))", 454),
];

#[test]
fn fuel_repeats_to_the_instruction() {
    let mut client = Client::start(&[]);
    let code = "import json, re\nprint(len(json.dumps([{'a': i} for i in range(100)])), re.sub('a+', 'b', 'caat'))";
    let used: Vec<Value> = (0..3).map(|_| client.run(code).meta("fuel").clone()).collect();
    assert!(used[0].as_u64().is_some_and(|fuel| fuel > 0), "{used:?}");
    assert_eq!(used, vec![used[0].clone(); 3]);
}
