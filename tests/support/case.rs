//! Case files: Python programs that carry what they must answer. `tests/cases/README.md` describes
//! the format.

use super::Client;
use super::answer_lines::{changes, lines, matches};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const NEXT_CALL: &str = "# --- call";

/// A file of `tests/cases`.
#[derive(Debug, Default)]
pub struct Case {
    path: PathBuf,
    /// Options of its server.
    pub options: Vec<String>,
    /// `wasm`, `native`, or `auto`, which lets the server choose.
    runtimes: Vec<String>,
    in_session: bool,
    calls: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    code: String,
    arguments: Map<String, Value>,
    /// What the answer must be, line by line: `| text` or a directive without its `#: `.
    expected: Vec<String>,
}

enum Line<'a> {
    Code,
    NextCall,
    Setup(&'a str, &'a str),
    Expected(String),
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Result<Self, String> {
        if line == NEXT_CALL {
            return Ok(Self::NextCall);
        }
        if let Some(text) = line.strip_prefix("# |") {
            if text.is_empty() || text.starts_with(' ') {
                return Ok(Self::Expected(format!("|{text}")));
            }
        } else if let Some(directive) = line.strip_prefix("#: ") {
            let (key, value) = directive.split_once(' ').unwrap_or((directive, ""));
            match key {
                "options" | "runtime" | "session" | "arguments" => {
                    return Ok(Self::Setup(key, value));
                }
                "in" | "ends" | "ran" | "meta" | "images" => {
                    return Ok(Self::Expected(directive.to_owned()));
                }
                _ => return Err(format!("unknown directive: {line}")),
            }
        }
        let comment = line.strip_prefix('#').map_or("", str::trim_start);
        if ["|", ":", "---"].iter().any(|mark| comment.starts_with(mark)) {
            return Err(format!("misspelt directive: {line}"));
        }
        Ok(Self::Code)
    }
}

impl Case {
    /// Reads the case file at `path`.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut case = Self::parse(&text)?;
        path.clone_into(&mut case.path);
        Ok(case)
    }

    /// Reads a case from the text of its file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut case = Self { calls: vec![Call::default()], ..Self::default() };
        for line in text.lines() {
            let first_call = case.calls.len() == 1;
            let call = case.calls.last_mut().expect("there is always one");
            match Line::of(line)? {
                Line::NextCall => case.calls.push(Call::default()),
                Line::Expected(line) => call.expected.push(line),
                _ if !call.expected.is_empty() => {
                    return Err(format!(
                        "nothing but the next call may follow what is expected: {line}"
                    ));
                }
                Line::Code => call.add_code(line),
                Line::Setup("arguments", value) => {
                    let arguments: Map<String, Value> =
                        serde_json::from_str(value).map_err(|error| format!("{line}: {error}"))?;
                    call.arguments.extend(arguments);
                    call.add_code(line);
                }
                Line::Setup(key, value) => {
                    call.add_code(line);
                    let words = value.split_whitespace().map(str::to_owned).collect();
                    match key {
                        _ if !first_call => return Err(format!("not in the first call: {line}")),
                        "options" => case.options = words,
                        "runtime" if matches!(value, "wasm" | "native" | "auto") => {
                            case.runtimes = words;
                        }
                        "session" if value.is_empty() => case.in_session = true,
                        _ => return Err(format!("wrong value: {line}")),
                    }
                }
            }
        }
        if case.runtimes.is_empty() {
            case.runtimes = vec!["wasm".into(), "native".into()];
        }
        case.calls.iter().try_for_each(|call| call.check_sections(&case.runtimes))?;
        Ok(case)
    }

    /// Runs the case; gives a text for each answer that is not as expected.
    pub fn run(&self, client: &mut Client) -> Vec<String> {
        let mut differences = Vec::new();
        for (runtime, answers) in self.runtimes.iter().zip(self.answers(client)) {
            for (number, (call, shown)) in self.calls.iter().zip(answers).enumerate() {
                if !matches(&call.expected_in(runtime).join("\n"), &shown.join("\n")) {
                    let changes = changes(&call.expected_in(runtime), &shown);
                    let place =
                        format!("{} in {runtime}, call {}", self.path.display(), number + 1);
                    differences.push(format!("{place}:\n{}\n", changes.join("\n")));
                }
            }
        }
        differences
    }

    /// Writes what is answered into the file, in the place of what does not match it.
    pub fn update(&self, client: &mut Client) {
        let answers = self.answers(client);
        let mut parts = Vec::new();
        for (number, call) in self.calls.iter().enumerate() {
            let mut sections: Vec<Vec<String>> = Vec::new();
            for (runtime, answers) in self.runtimes.iter().zip(&answers) {
                let expected = call.expected_in(runtime);
                let right = matches(&expected.join("\n"), &answers[number].join("\n"));
                sections.push(if right { expected } else { answers[number].clone() });
            }
            if sections.windows(2).all(|pair| pair[0] == pair[1]) {
                sections.truncate(1);
            } else {
                for (runtime, section) in self.runtimes.iter().zip(&mut sections) {
                    section.insert(0, format!("in {runtime}"));
                }
            }
            let comment = |line: &String| match line.strip_prefix('|') {
                Some(text) => format!("# |{text}\n"),
                None => format!("#: {line}\n"),
            };
            parts.push(
                call.code.clone() + &sections.iter().flatten().map(comment).collect::<String>(),
            );
        }
        fs::write(&self.path, parts.join(&format!("{NEXT_CALL}\n")))
            .expect("the case can be written");
    }

    /// What is answered to each call, in each runtime.
    fn answers(&self, client: &mut Client) -> Vec<Vec<Vec<String>>> {
        self.runtimes.iter().map(|runtime| self.answers_in(client, runtime)).collect()
    }

    fn answers_in(&self, client: &mut Client, runtime: &str) -> Vec<Vec<String>> {
        let mut session = json!("new");
        let mut answers = Vec::new();
        for call in &self.calls {
            let mut arguments = json!({ "code": call.code });
            if runtime != "auto" {
                arguments["runtime"] = runtime.into();
            }
            if self.in_session {
                arguments["session"] = session.clone();
            }
            arguments.as_object_mut().expect("an object").extend(call.arguments.clone());
            let answer = client.call(arguments);
            if self.in_session && answer.meta("session").is_string() {
                session = answer.meta("session").clone();
            }
            answers.push(lines(&answer, runtime, &call.expected_in(runtime)));
        }
        answers
    }
}

impl Call {
    fn add_code(&mut self, line: &str) {
        self.code.push_str(line);
        self.code.push('\n');
    }

    /// The lines that hold in `runtime`.
    fn expected_in(&self, runtime: &str) -> Vec<String> {
        let mut section = runtime;
        let mut lines = Vec::new();
        for line in &self.expected {
            match line.strip_prefix("in ") {
                Some(name) => section = name,
                None if section == runtime => lines.push(line.clone()),
                None => {}
            }
        }
        lines
    }

    /// A section of a runtime that the case does not run in would never be looked at.
    fn check_sections(&self, runtimes: &[String]) -> Result<(), String> {
        let mut sections = self.expected.iter().filter_map(|line| line.strip_prefix("in "));
        match sections.find(|name| !runtimes.iter().any(|runtime| runtime == name)) {
            Some(name) => Err(format!("the case does not run in `{name}`")),
            None => Ok(()),
        }
    }
}
