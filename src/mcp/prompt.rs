//! A prompt that clients offer to people: analyse a table. It shows how a call is meant to be made.

use super::invalid;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;

pub(super) const ANALYSE_CSV: &str = "analyse_csv";
pub(super) const ARGUMENTS: &str = "`analyse_csv` takes `csv`, `question` and `session`";
/// Longest argument that is put into a prompt, in bytes.
const MAX_ARGUMENT: usize = 100_000;

pub(super) fn list() -> ListPromptsResult {
    let argument = |name: &str, title: &str, text: &str| {
        PromptArgument::new(name).with_title(title).with_description(text)
    };
    let csv = "The table as CSV text, or the name of a file in the working directory.";
    let question = "What you want to know. Without it, the table is described.";
    let session = "Handle of the session that has the file.";
    let arguments = vec![
        argument("csv", "Table", csv).with_required(true),
        argument("question", "Question", question).with_required(false),
        argument("session", "Session", session).with_required(false),
    ];
    let description = "Describes a CSV table, answers a question about it, and plots what matters.";
    let prompt = Prompt::new(ANALYSE_CSV, Some(description), Some(arguments))
        .with_title("Analyse a CSV table");
    ListPromptsResult::with_all_items(vec![prompt])
}

pub(super) fn get(params: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    if params.name != ANALYSE_CSV {
        return invalid(missing(&params.name));
    }
    let mut arguments = params.arguments.clone().unwrap_or_default();
    let mut take = |name: &str| match arguments.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) if text.len() <= MAX_ARGUMENT => Ok(Some(text)),
        Some(Value::String(_)) => invalid(format!(
            "`{name}` is longer than {MAX_ARGUMENT} bytes; give the name of a file"
        )),
        Some(_) => invalid(format!("`{name}` must be a string")),
    };
    let (csv, question, session) = (take("csv")?, take("question")?, take("session")?);
    let Some(csv) = csv.filter(|csv| !csv.trim().is_empty()) else {
        return invalid("`csv` is missing: give the table, or the name of a file".into());
    };
    if let Some(unknown) = arguments.keys().next() {
        return invalid(format!("unknown argument `{unknown}`: {ARGUMENTS}"));
    }
    let (question, session) = (question.unwrap_or_default(), session.unwrap_or_default());
    let text = text(&csv, question.trim(), session.trim());
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
        .with_description("Analyse a CSV table"))
}

pub(super) fn missing(name: &str) -> String {
    format!("there is no prompt `{name}`; the prompt is `{ANALYSE_CSV}`")
}

fn text(csv: &str, question: &str, session: &str) -> String {
    let task = if question.is_empty() {
        "Describe this table: its columns, their types, missing values, ranges, and what stands \
         out."
            .to_owned()
    } else {
        format!("Answer this from the table: {question}")
    };
    let table = if csv.trim_end().contains('\n') {
        format!(
            "Pass the table to `run_python` in `files` as `table.csv`, read it with \
             `pandas.read_csv('table.csv')`.\n\n```csv\n{}\n```",
            csv.trim_end()
        )
    } else {
        format!("The table is the file `{}`; read it with pandas.", csv.trim())
    };
    let place =
        if session.is_empty() { String::new() } else { format!(" Pass `session: \"{session}\"`.") };
    format!(
        "{task}\nCompute with the tool `run_python`; do not estimate.{place} Print the figures \
         that you use, and show a plot with `plt.show()` if it helps. Then answer in a few \
         sentences.\n\n{table}"
    )
}
