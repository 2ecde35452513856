//! `run` and the other commands from a shell.

use crate::support::BINARY;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).stdin(Stdio::null()).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn run_passes_streams_and_exit_code_on() {
    let output =
        run(&["run", "-c", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)"]);
    assert_eq!(
        (text(&output.stdout), text(&output.stderr), output.status.code()),
        ("out\n", "err\n", Some(3))
    );
    let output = run(&["run", "-c", "1 / 0"]);
    assert_eq!(text(&output.stdout), "");
    assert_eq!(
        text(&output.stderr),
        "Traceback (most recent call last):\n  File \"-c\", line 1, in <module>\n    1 / 0\n    \
         ~~^~~\nZeroDivisionError: division by zero\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn run_takes_a_file_with_arguments_and_a_program_from_stdin() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("job.py");
    std::fs::write(&file, "import sys\nprint(sys.argv)\n").expect("written");
    let output = run(&["run", file.to_str().expect("UTF-8"), "--", "a", "-b"]);
    assert_eq!(text(&output.stdout), "['job.py', 'a', '-b']\n");

    for arguments in [&["run", "-"][..], &["run"][..], &["run", "-", "--", "a"][..]] {
        let mut child = Command::new(BINARY)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        child
            .stdin
            .take()
            .expect("piped")
            .write_all(b"import sys; print(sys.argv)")
            .expect("written");
        let expected = if arguments.len() == 4 { "['-', 'a']\n" } else { "['-']\n" };
        assert_eq!(text(&child.wait_with_output().expect("ends").stdout), expected);
    }
}

#[test]
fn run_prints_the_whole_result_as_json() {
    let output = run(&["run", "--json", "-c", "print('x')\n6 * 7"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["text"], "x\n42");
    assert_eq!(result["runtime"], "wasm");
    assert_eq!(result["exit"], "ok");
    assert!(result["fuel"].as_u64().is_some_and(|fuel| fuel > 100_000), "{result}");
}

#[test]
fn run_gives_no_address_of_a_file_that_is_gone_with_it() {
    let output = run(&["run", "--json", "-c", "_ = open('a.txt', 'w').write('abc')"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["files"], serde_json::json!([{ "path": "a.txt", "size": 3 }]));
}

/// A program that shows a picture in either runtime: one black pixel.
const SHOWS_A_PICTURE: &str = "\
import base64
class Pixel:
    def _repr_png_(self):
        return base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGN\
        gAAAAAgABSK+kcQAAAABJRU5ErkJggg==')
display(Pixel())
";

#[test]
fn run_saves_pictures_where_asked_and_says_so_where_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("new/pictures");
    let name = out.to_str().expect("UTF-8");
    let output = run(&["run", "--images", name, "-c", SHOWS_A_PICTURE]);
    assert_eq!(text(&output.stderr), format!("mcp-python-sandbox: saved {name}/image-1.png\n"));
    let bytes = std::fs::read(out.join("image-1.png")).expect("saved");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(output.status.code(), Some(0));

    let output = run(&["run", "-c", SHOWS_A_PICTURE]);
    assert_eq!(
        text(&output.stderr),
        "mcp-python-sandbox: 1 image was shown; `--images DIR` saves, `--open` opens what a job \
         shows\n"
    );
}

#[test]
fn run_opens_pictures_with_the_desktops_viewer() {
    let folder = tempfile::tempdir().expect("a folder");
    let viewer = folder.path().join("xdg-open");
    let seen = folder.path().join("seen");
    std::fs::write(
        &viewer,
        format!("#!/bin/sh\nhead -c 4 \"$1\" > '{0}.new'; mv '{0}.new' '{0}'\n", seen.display()),
    )
    .expect("written");
    std::fs::set_permissions(&viewer, Permissions::from_mode(0o755)).expect("a mode");
    let output = Command::new(BINARY)
        .args(["run", "--open", "-c", SHOWS_A_PICTURE])
        .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()))
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // The viewer is not waited for.
    let opened = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        seen.exists()
    });
    assert!(opened, "{}", text(&output.stderr));
    assert_eq!(std::fs::read(&seen).expect("seen"), b"\x89PNG");
}

#[test]
fn version_names_what_is_inside() {
    assert_eq!(
        text(&run(&["-V"]).stdout),
        concat!("mcp-python-sandbox ", env!("CARGO_PKG_VERSION"), "\n")
    );
    let long = run(&["--version"]);
    let lines: Vec<&str> = text(&long.stdout).lines().collect();
    assert_eq!(
        lines,
        [
            concat!("mcp-python-sandbox ", env!("CARGO_PKG_VERSION")),
            "CPython 3.13.5",
            "wasmtime 48.0.8",
            "MCP 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28",
        ]
    );
    // What `--version` says of Python is what Python says of itself.
    let output = run(&["run", "-c", "import sys; print('CPython', sys.version.split()[0])"]);
    assert_eq!(text(&output.stdout).trim_end(), lines[1]);
}

#[test]
fn help_groups_the_options_and_shows_examples() {
    let long = run(&["--help"]);
    let long = text(&long.stdout);
    let headings: Vec<&str> =
        long.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    let expected = [
        "Commands:",
        "Options:",
        "Where things are:",
        "Native runtime:",
        "Files, packages, network:",
        "Limits of a job:",
        "Answers:",
        "Load:",
        "Sessions and background jobs:",
        "Log:",
        "Examples:",
        "Exit codes:",
    ];
    assert_eq!(headings, expected);
    assert!(long.contains("\nExamples:\n  mcp-python-sandbox  "), "{long}");
    assert!(long.contains("\nExit codes:\n  0    done"), "{long}");
    // `-h` fits a screen.
    assert!(text(&run(&["-h"]).stdout).lines().count() <= 30);
    assert!(text(&run(&["run", "-h"]).stdout).lines().count() <= 40);
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        for command in ["serve", "run", "doctor", "precompile", "completions", "man"] {
            assert!(text(&output.stdout).contains(command), "{shell}: {command}");
        }
    }
    let page = run(&["man"]);
    assert!(
        text(&page.stdout).contains(".SH NAME\nmcp\\-python\\-sandbox \\- "),
        "{}",
        text(&page.stdout)
    );
    assert!(
        text(&page.stdout)
            .contains(".SH SYNOPSIS\n\\fBmcp\\-python\\-sandbox\\fR [OPTIONS] [COMMAND]\n")
    );
    assert!(
        text(&page.stdout).contains("\nFolder of the Python guest ("),
        "an option without its help"
    );
    assert!(
        text(&page.stdout).contains("MCP_PYTHON_SANDBOX_ARTEFACT"),
        "an option without its environment variable"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(&["man", "--out", folder.path().to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(0));
    for page in ["mcp-python-sandbox.1", "mcp-python-sandbox-run.1", "mcp-python-sandbox-doctor.1"]
    {
        assert!(folder.path().join(page).exists(), "{page}");
    }
}

#[test]
fn doctor_prints_what_to_paste_into_each_client() {
    let pasted = |client: &str| {
        let output = run(&["doctor", "--config", client]);
        assert_eq!(output.status.code(), Some(0), "{client}");
        text(&output.stdout).to_owned()
    };
    // The program names itself as the kernel does, without links on the way.
    let binary = std::fs::canonicalize(BINARY).expect("the binary");
    let binary = binary.to_str().expect("UTF-8");
    let json = |client: &str| -> serde_json::Value {
        serde_json::from_str(&pasted(client)).expect("JSON")
    };
    let server = serde_json::json!({ "command": binary, "args": ["serve"] });
    for client in ["claude-desktop", "cursor"] {
        assert_eq!(json(client), serde_json::json!({ "mcpServers": { "python-sandbox": server } }));
    }
    assert_eq!(json("vscode")["servers"]["python-sandbox"]["type"], "stdio");
    assert_eq!(json("vscode")["servers"]["python-sandbox"]["command"], binary);
    assert_eq!(
        pasted("librechat"),
        format!(
            "mcpServers:\n  python-sandbox:\n    command: \"{binary}\"\n    args: \
             [\"serve\"]\n    timeout: 90000\n    serverInstructions: true\n"
        )
    );
    assert_eq!(
        pasted("codex"),
        format!(
            "[mcp_servers.python-sandbox]\ncommand = \"{binary}\"\nargs = \
             [\"serve\"]\ntool_timeout_sec = 90\n"
        )
    );
    assert_eq!(
        pasted("claude-code"),
        format!("claude mcp add python-sandbox -- '{binary}' serve\n")
    );
}

/// What starts the image is the same everywhere: in what `doctor` prints, in `librechat.yaml` and
/// in `server.json`.
#[test]
fn doctor_of_an_image_prints_what_starts_the_image() {
    let output = run(&["doctor", "--config", "cursor", "--image", "sandbox:1"]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let server = &printed["mcpServers"]["python-sandbox"];
    let args: Vec<&str> =
        server["args"].as_array().expect("a list").iter().filter_map(|arg| arg.as_str()).collect();
    assert_eq!(
        (server["command"].as_str(), args[0], args.last()),
        (Some("docker"), "run", Some(&"sandbox:1"))
    );
    let options = &args[1..args.len() - 1];

    let pasted = run(&["doctor", "--config", "librechat", "--image", "mcp-python-sandbox:latest"]);
    let file = include_str!("../librechat.yaml");
    let list = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("      - "));
        lines.map(|item| item.trim_matches('"').to_owned()).collect()
    };
    assert_eq!(list(text(&pasted.stdout)), list(file));
    assert_eq!(list(file)[1..=options.len()], *options);

    let registered: serde_json::Value =
        serde_json::from_str(include_str!("../server.json")).expect("JSON");
    let registered = registered["packages"][0]["runtimeArguments"].as_array().expect("a list");
    let registered: Vec<String> = registered
        .iter()
        .map(|argument| match argument["value"].as_str() {
            Some(value) => format!("{}={value}", argument["name"].as_str().expect("a name")),
            None => argument["name"].as_str().expect("a name").to_owned(),
        })
        .collect();
    // A client adds `run -i --rm` by itself.
    assert_eq!(registered, options[2..]);

    let said = run(&["doctor", "--image", "sandbox:1"]);
    let end = "\nFor other clients: docker run --rm sandbox:1 doctor --config \
        claude-desktop|claude-code|vscode|cursor|codex\n\nnative: on (confined)\n";
    assert!(text(&said.stdout).ends_with(end), "{}", text(&said.stdout));
}

#[test]
fn mistakes_are_told_with_the_option_to_change() {
    for (arguments, expected, code) in [
        (
            &["run", "-c", "1", "--artefact", "/nonexistent"][..],
            "no usable Python guest at `/nonexistent`",
            70,
        ),
        (&["run", "/nonexistent.py"][..], "/nonexistent.py", 2),
        (
            &["run", "-c", "1", "--limit-wall=-1"][..],
            "`--limit-wall` must be a number of seconds above 0, not -1",
            2,
        ),
        (
            &["run", "-c", "1", "--timeout=-1"][..],
            "`--timeout` must be a number of seconds above 0, not -1",
            2,
        ),
        (&["run", "-c", "1", "--log", "a=b=c"][..], "`--log a=b=c` is no log filter", 2),
        (
            &["run", "-c", "while 1: pass", "--timeout=0.5"][..],
            "of 0.5 s wall time; `--timeout` sets it\n",
            124,
        ),
        (
            &["run", "-c", "while 1: pass", "--limit-wall=0.5"][..],
            "of 0.5 s wall time; `--limit-wall` sets it\n",
            124,
        ),
    ] {
        let output = run(arguments);
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn doctor_says_what_holds_and_fails_where_native_is_off() {
    let output = run(&["doctor"]);
    let said = text(&output.stdout);
    assert!(said.contains("wasm       CPython 3.13.5 on wasi\n"), "{said}");
    assert!(said.contains("\nholds      truncate by path (1 attempt: EACCES)\n"), "{said}");
    assert!(
        said.lines().filter(|line| line.starts_with("holds")).all(|line| line.len() <= 100),
        "{said}"
    );
    assert!(!said.contains("\nOPEN"), "{said}");
    assert!(
        said.contains("\n\nFor LibreChat, paste into librechat.yaml:\n\nmcpServers:\n"),
        "{said}"
    );
    let end =
        "doctor --config claude-desktop|claude-code|vscode|cursor|codex\n\nnative: on (confined)\n";
    assert!(said.ends_with(end), "{said}");
    assert_eq!(output.status.code(), Some(0));

    // A user of a service may have a home that is not there.
    let home = std::env::var("HOME").expect("a home");
    let cache = std::env::var("XDG_CACHE_HOME").unwrap_or_else(|_| format!("{home}/.cache"));
    let mut homeless = Command::new(BINARY);
    let output =
        homeless.arg("doctor").env("XDG_CACHE_HOME", cache).env("HOME", "/nonexistent").output();
    assert_eq!(output.expect("the binary starts").status.code(), Some(0));

    let output = run(&["doctor", "--json", "--test-landlock-abi", "0"]);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(said["native"].as_str().is_some_and(|native| native.starts_with("off: ")), "{said}");
    assert_eq!(said["wasm"]["Ok"], "CPython 3.13.5 on wasi");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_guest_needs_little_address_space_where_it_is_limited() {
    // A guest whose address space is ample reserves more than 4 GiB, and moves when it outgrows 64.
    let code = "print(len(bytearray(100 << 20)))";
    let limited = |kibibytes: &str| {
        Command::new("sh")
            .args(["-c", r#"ulimit -v "$0" && exec "$@""#, kibibytes, BINARY, "run", "-c", code])
            .stdin(Stdio::null())
            .output()
            .expect("the shell starts")
    };
    // The first one compiles the guest anew, for code that checks its addresses.
    let output = limited("4000000");
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("104857600\n", ""));
    assert_eq!(text(&limited("2000000").stdout), "104857600\n");
}
