//! Completion: a client is offered its own handles and files, and nobody else's.

use crate::support::http::{HttpClient, HttpServer};
use crate::support::{Answer, Client, initialize_params};
use serde_json::{Value, json};

const TEMPLATE: &str = "sandbox://{handle}/{+path}";

/// Parameters that ask for the values of an argument; `known` are those that were filled in before.
fn question(reference: Value, argument: &str, value: &str, known: Value) -> Value {
    json!({ "ref": reference, "argument": { "name": argument, "value": value }, "context": {
        "arguments": known } })
}

fn template() -> Value {
    json!({ "type": "ref/resource", "uri": TEMPLATE })
}

fn prompt() -> Value {
    json!({ "type": "ref/prompt", "name": "analyse_csv" })
}

fn values(message: &Value) -> Vec<String> {
    let completion = &message["result"]["completion"];
    let values: Vec<String> = completion["values"]
        .as_array()
        .unwrap_or_else(|| panic!("no completion: {message}"))
        .iter()
        .map(|value| value.as_str().expect("a string").to_owned())
        .collect();
    assert_eq!(
        (&completion["total"], &completion["hasMore"]),
        (&json!(values.len()), &json!(false))
    );
    values
}

const WRITE: &str = "open('sales.csv', 'w').write('a')\nopen('sales.txt', \
    'w').write('b')\nopen('x', 'w').write('c')";

#[test]
fn over_stdio_handles_and_files_are_offered_as_they_are_typed() {
    let mut client = Client::spawn(&["--native", "off"]);
    let offered =
        client.request("initialize", initialize_params())["result"]["capabilities"]["completions"]
            .clone();
    assert_eq!(offered, json!({}));
    let mut ask = |reference: Value, argument: &str, value: &str, known: Value| {
        client.request("completion/complete", question(reference, argument, value, known))
    };
    assert_eq!(values(&ask(template(), "handle", "", json!({}))), Vec::<String>::new());
    assert_eq!(values(&ask(prompt(), "question", "", json!({}))), Vec::<String>::new());

    let session = |answer: &Answer| answer.meta("session").as_str().expect("a handle").to_owned();
    let first = session(&client.call(json!({ "code": WRITE, "session": "new" })));
    let second = session(&client.call(json!({ "code": "1", "session": "new" })));
    let lonely = client.run("open('lonely.csv', 'w').write('a')");
    let uri = lonely.meta("files")[0]["uri"].as_str().expect("an address").to_owned();
    let call = uri
        .strip_prefix("sandbox://")
        .and_then(|rest| rest.split_once('/'))
        .expect("an address")
        .0
        .to_owned();

    let mut ask = |reference: Value, argument: &str, value: &str, known: Value| {
        values(&client.request("completion/complete", question(reference, argument, value, known)))
    };
    // What is younger is more likely.
    assert_eq!(ask(template(), "handle", "", json!({})), [call.as_str(), &second, &first]);
    assert_eq!(ask(template(), "handle", &first[..20], json!({})), [first.as_str()]);
    assert_eq!(ask(prompt(), "session", "", json!({})), [second.as_str(), &first]);
    assert_eq!(ask(template(), "path", "", json!({ "handle": call })), ["lonely.csv"]);
    assert_eq!(
        ask(prompt(), "csv", "sales", json!({ "session": first })),
        ["sales.csv", "sales.txt"]
    );
    assert_eq!(ask(prompt(), "csv", "", json!({})), Vec::<String>::new());
    assert_eq!(ask(template(), "path", "", json!({ "handle": "0123" })), Vec::<String>::new());
}

#[test]
fn what_cannot_be_completed_is_refused_with_what_can() {
    let mut client = Client::start(&["--native", "off"]);
    let template_missing =
        format!("there is no template `file:///{{x}}`; the template is `{TEMPLATE}`");
    let variables = format!("the template `{TEMPLATE}` has the variables `handle` and `path`");
    for (reference, argument, why) in [
        (json!({ "type": "ref/resource", "uri": "file:///{x}" }), "x", template_missing.as_str()),
        (template(), "x", &variables),
        (
            json!({ "type": "ref/prompt", "name": "nosuch" }),
            "csv",
            "there is no prompt `nosuch`; the prompt is `analyse_csv`",
        ),
        (prompt(), "x", "`analyse_csv` takes `csv`, `question` and `session`"),
    ] {
        let error = client
            .request("completion/complete", question(reference, argument, "", json!({})))["error"]
            .clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(why)));
    }
    let error = client.request("completion/complete", json!({}))["error"].clone();
    assert_eq!(error["message"], "the parameters do not fit: missing field `ref`");
}

#[test]
fn over_http_a_connection_is_offered_its_own_and_nothing_without_one() {
    let server = HttpServer::start(&["--native", "off"]);
    let (mine, other) = (server.connect(), server.connect());
    let ask = |client: &HttpClient, argument: &str, known: Value| {
        let asked = question(template(), argument, "", known);
        values(&client.request(5, "completion/complete", asked).message())
    };
    let call = json!({ "name": "run_python", "arguments": { "code": WRITE, "session": "new" } });
    let answer = Answer::of(&mine.request(4, "tools/call", call.clone()).message());
    let handle = answer.meta("session").as_str().expect("a handle");
    assert_eq!(ask(&mine, "handle", json!({})), [handle]);
    assert_eq!(ask(&mine, "path", json!({ "handle": handle })), ["sales.csv", "sales.txt", "x"]);
    assert_eq!(ask(&other, "handle", json!({})), Vec::<String>::new());
    assert_eq!(ask(&other, "path", json!({ "handle": handle })), Vec::<String>::new());

    // Behind no connection may be many people.
    let stateless = HttpServer::start(&["--native", "off", "--http-stateless"]);
    let client = stateless.client();
    client.request(4, "tools/call", call);
    assert_eq!(ask(&client, "handle", json!({})), Vec::<String>::new());
}
