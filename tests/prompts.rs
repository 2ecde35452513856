//! The prompt that clients offer to people, and the icon that they show.

use crate::support::{Client, initialize_params};
use serde_json::{Value, json};

#[test]
fn the_server_has_an_icon() {
    let mut client = Client::spawn(&[]);
    let info = client.request("initialize", initialize_params())["result"]["serverInfo"].clone();
    assert_eq!(info["title"], "Python sandbox");
    assert_eq!(info["icons"][0]["mimeType"], "image/svg+xml");
    let source = info["icons"][0]["src"].as_str().expect("an address");
    assert!(source.starts_with("data:image/svg+xml;base64,"), "{source}");
}

#[test]
fn a_table_is_put_into_the_prompt() {
    let mut client = Client::start(&[]);
    let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    assert_eq!(prompts.as_array().map(Vec::len), Some(1));
    assert_eq!(prompts[0]["name"], "analyse_csv");
    assert_eq!(prompts[0]["arguments"][0]["name"], "csv");
    assert_eq!(prompts[0]["arguments"][0]["required"], true);

    let mut text = |arguments: Value| {
        let answer =
            client.request("prompts/get", json!({ "name": "analyse_csv", "arguments": arguments }));
        let message = &answer["result"]["messages"][0];
        assert_eq!(message["role"], "user", "{answer}");
        message["content"]["text"].as_str().expect("a text").to_owned()
    };
    let inline = text(json!({ "csv": "a,b\n1,2\n", "question": "How large is b?" }));
    assert!(inline.starts_with("Answer this from the table: How large is b?\n"), "{inline}");
    assert!(inline.ends_with("```csv\na,b\n1,2\n```"), "{inline}");
    let named = text(json!({ "csv": "sales.csv" }));
    assert!(named.ends_with("The table is the file `sales.csv`; read it with pandas."), "{named}");
    let kept = text(json!({ "csv": "sales.csv", "session": "0123" }));
    assert!(kept.contains("do not estimate. Pass `session: \"0123\"`. Print"), "{kept}");
}

#[test]
fn wrong_prompts_are_refused_with_what_to_change() {
    let mut client = Client::start(&[]);
    for (params, why) in [
        (json!({ "name": "nosuch" }), "there is no prompt `nosuch`; the prompt is `analyse_csv`"),
        (
            json!({ "name": "analyse_csv" }),
            "`csv` is missing: give the table, or the name of a file",
        ),
        (
            json!({ "name": "analyse_csv", "arguments": { "csv": "" } }),
            "`csv` is missing: give the table, or the name of a file",
        ),
        (json!({ "name": "analyse_csv", "arguments": { "csv": 1 } }), "`csv` must be a string"),
        (
            json!({ "name": "analyse_csv", "arguments": { "csv": "a", "file": "b" } }),
            "unknown argument `file`: `analyse_csv` takes `csv`, `question` and `session`",
        ),
        (
            json!({ "name": "analyse_csv", "arguments": { "csv": "x".repeat(100_001) } }),
            "`csv` is longer than 100000 bytes; give the name of a file",
        ),
    ] {
        let error = client.request("prompts/get", params)["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(why)));
    }
}
