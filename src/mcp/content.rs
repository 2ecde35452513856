//! An answer in MCP's terms: one text block, then the images; the same facts as data in `_meta`.

use crate::answer::Answer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};

const META_PREFIX: &str = "mcp-python-sandbox/";

/// The result of a call. A failed job is a result with `isError`, never a JSON-RPC error: clients
/// hide those from the model. There is no `structuredContent`: several clients show the model
/// nothing else if it is there.
pub(super) fn result(answer: Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    content.extend(
        answer
            .images
            .into_iter()
            .map(|image| ContentBlock::image(STANDARD.encode(&image.bytes), image.mime)),
    );
    let mut result = CallToolResult::success(content);
    result.is_error = Some(answer.is_error);
    let data = answer.data.into_iter();
    let meta = data.map(|(key, value)| (format!("{META_PREFIX}{key}"), value)).collect();
    result.with_meta(Some(MetaObject(meta)))
}
