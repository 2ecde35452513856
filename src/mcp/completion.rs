//! Completion of handles and names of files, as people fill in a prompt or an address.
//!
//! It knows what `resources/list` lists: see [`Client::lists`].

use super::resources::TEMPLATE;
use super::{invalid, prompt};
use crate::host::{PrivateDir, printable};
use crate::job::Client;
use crate::service::Service;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use std::sync::Arc;

/// What `client` may want to write into the argument of a template or a prompt.
pub(super) fn complete(
    service: &Service,
    client: Client,
    params: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = params.argument.name.as_str();
    let listed = |other| client.lists(other);
    let given = |name: &str| params.context.as_ref().and_then(|context| context.get_argument(name));
    let values = match &params.r#ref {
        Reference::Resource(template) if template.uri == TEMPLATE => match argument {
            "handle" => handles(service.folders(listed)),
            "path" => files(service.folders(listed), given("handle")),
            _ => {
                let why =
                    format!("the template `{TEMPLATE}` has the variables `handle` and `path`");
                return invalid(why);
            }
        },
        Reference::Prompt(prompt) if prompt.name == prompt::ANALYSE_CSV => match argument {
            "session" => handles(service.sessions.folders(listed)),
            "csv" => files(service.sessions.folders(listed), given("session")),
            "question" => Vec::new(),
            _ => return invalid(prompt::ARGUMENTS.into()),
        },
        Reference::Resource(template) => {
            let uri = &template.uri;
            return invalid(format!("there is no template `{uri}`; the template is `{TEMPLATE}`"));
        }
        Reference::Prompt(prompt) => return invalid(prompt::missing(&prompt.name)),
        _ => return invalid("`ref` must be a template or a prompt".into()),
    };
    Ok(page(values.into_iter().filter(|value| value.starts_with(&params.argument.value)).collect()))
}

fn handles(folders: Vec<(String, Arc<PrivateDir>)>) -> Vec<String> {
    folders.into_iter().rev().map(|(handle, _)| handle).collect()
}

/// The files of `handle`, if it is there and known already.
fn files(folders: Vec<(String, Arc<PrivateDir>)>, handle: Option<&String>) -> Vec<String> {
    let folder = folders.into_iter().find(|(known, _)| Some(known) == handle);
    // One that is gone meanwhile has no files.
    let files = folder.map(|(_, folder)| folder.files().unwrap_or_default());
    let paths = files.unwrap_or_default().into_iter().map(|(path, _)| path);
    // A value must be taken as it is: what could not be shown so is not offered.
    paths.filter(|path| printable(path) == *path).collect()
}

fn page(mut values: Vec<String>) -> CompleteResult {
    let mut completion = CompletionInfo::default();
    completion.total = u32::try_from(values.len()).ok();
    completion.has_more = Some(values.len() > CompletionInfo::MAX_VALUES);
    values.truncate(CompletionInfo::MAX_VALUES);
    completion.values = values;
    CompleteResult::new(completion)
}
