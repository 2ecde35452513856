//! Files as MCP resources: `sandbox://HANDLE/PATH`, of a session, or of one call that had none. A
//! connection lists what was begun over it, and a caller reads all that is its own: a handle of
//! another is as unknown as one that was made up.

use super::invalid;
use crate::error::Error;
use crate::host::{printable, printable_within};
use crate::job::{Caller, Client};
use crate::service::{SCHEME, Service, address};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

/// Largest file that is read.
pub(super) const MAX_BYTES: u64 = 12 << 20;
/// Largest content of an answer, as JSON: clients built on the TypeScript SDK close a connection at
/// a line of 10 MiB.
const MAX_ENCODED: usize = (10 << 20) - (64 << 10);
pub(super) const TEMPLATE: &str = "sandbox://{handle}/{+path}";
/// Characters of an address in an error.
const MAX_SHOWN: usize = 500;
/// Files of one page of a listing.
const PAGE: usize = 500;

/// The resources that `client` lists, from the one that `cursor` says.
pub(super) fn list(
    service: &Service,
    client: Client,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let Ok(start) = cursor.map_or(Ok(0), str::parse::<usize>) else {
        return invalid("`cursor` is none of this server's".into());
    };
    let mut all = Vec::new();
    for (handle, folder) in service.folders(|other| client.lists(other)) {
        // A folder that is gone meanwhile has no files.
        for (path, size) in folder.files().unwrap_or_default() {
            let name = printable(path.rsplit('/').next().unwrap_or(&path));
            let resource = Resource::new(address(&handle, &path), name);
            all.push(resource.with_mime_type(mime(&path)).with_size(size));
        }
    }
    let more = (all.len() > start.saturating_add(PAGE)).then(|| (start + PAGE).to_string());
    let mut result =
        ListResourcesResult::with_all_items(all.into_iter().skip(start).take(PAGE).collect());
    result.next_cursor = more;
    Ok(result)
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "file")
        .with_title("File of a session or of a call")
        .with_description(
            "`handle` is a session's, or that of a call (`_meta`); `path` is relative to \
             `/mnt/data`.",
        );
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// The content of a resource of `caller`, and its bytes as JSON: as text if it is UTF-8, otherwise
/// as a blob. What belongs to another caller is not found.
pub(super) fn read(
    service: &Service,
    caller: Caller,
    uri: &str,
) -> Result<(ReadResourceResult, u64), ErrorData> {
    let shown = printable_within(uri, MAX_SHOWN);
    let missing = || ErrorData::resource_not_found(format!("there is no resource `{shown}`"), None);
    let (handle, path) =
        uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or_else(missing)?;
    let path = decoded(path).ok_or_else(missing)?;
    let elsewhere = |error: Error| ErrorData::resource_not_found(error.to_string(), None);
    let unknown = || service.config.instance.elsewhere(handle).map_or_else(missing, elsewhere);
    let mut folders = service.folders(|other| other.caller == caller).into_iter();
    let (_, folder) = folders.find(|(known, _)| known == handle).ok_or_else(unknown)?;
    let too_large = || {
        let why = format!(
            "`{shown}` is too large for one answer, which holds {MAX_ENCODED} bytes; have a job \
             read it in parts"
        );
        ErrorData::invalid_params(why, None)
    };
    let content = folder.read(&path, MAX_BYTES).map_err(|_| missing())?.ok_or_else(too_large)?;
    let (contents, encoded) = match String::from_utf8(content) {
        Ok(text) => {
            let encoded = serde_json::to_string(&text).map_or(usize::MAX, |json| json.len());
            (ResourceContents::text(text, uri), encoded)
        }
        Err(binary) => {
            let blob = STANDARD.encode(binary.as_bytes());
            let encoded = blob.len();
            (ResourceContents::blob(blob, uri), encoded)
        }
    };
    if encoded > MAX_ENCODED {
        return Err(too_large());
    }
    let result = ReadResourceResult::new(vec![contents.with_mime_type(mime(&path))]);
    Ok((result, encoded as u64))
}

fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("txt" | "log" | "py" | "toml" | "ini" | "yaml" | "yml") => "text/plain",
        Some("md") => "text/markdown",
        Some("csv") => "text/csv",
        Some("tsv") => "text/tab-separated-values",
        Some("html" | "htm") => "text/html",
        Some("xml") => "application/xml",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("pdf") => "application/pdf",
        Some("zip") => "application/zip",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
#[path = "../../tests/unit/mcp_resources.rs"]
mod tests;
