//! Files as resources: what a job wrote is read back byte for byte, by the client whose job it was.

use crate::support::{Answer, Client};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

fn read(client: &mut Client, uri: &str) -> Value {
    client.request("resources/read", json!({ "uri": uri }))
}

fn list(client: &mut Client) -> Vec<Value> {
    let answer = client.request("resources/list", json!({}));
    answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("no list: {answer}")).clone()
}

fn uris(answer: &Answer) -> Vec<String> {
    let files = answer.meta("files").as_array().expect("files").clone();
    files.iter().map(|file| file["uri"].as_str().expect("an address").to_owned()).collect()
}

/// Writes a CSV as it came and all byte values.
const WRITE: &str = "data = open('in.csv', newline='').read()\nopen('out/ä b.csv', 'w', \
    newline='').write(data)\n\
                     open('all.bin', 'wb').write(bytes(range(256)))";

#[test]
fn files_of_a_call_are_read_back_byte_for_byte_from_both_runtimes() {
    let csv = "name,value\r\nä,1\nlast,2";
    for runtime in ["wasm", "native"] {
        let mut client = Client::start(&[]);
        let answer = client.call(json!({
            "code": format!("import os\nos.mkdir('out')\n{WRITE}"), "runtime": runtime,
            "files": [{ "path": "in.csv", "text": csv }],
        }));
        answer.ok();
        let [binary, text] = &uris(&answer)[..] else { panic!("{:?}", answer.meta) };
        assert!(text.ends_with("/out/%C3%A4%20b.csv"), "{text}");
        let read_text = &read(&mut client, text)["result"]["contents"][0];
        assert_eq!(read_text["text"], csv);
        assert_eq!(read_text["mimeType"], "text/csv");
        assert_eq!(read_text["uri"], text.as_str());
        let read_binary = read(&mut client, binary)["result"]["contents"][0].clone();
        let bytes = STANDARD.decode(read_binary["blob"].as_str().expect("a blob")).expect("base64");
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(read_binary["mimeType"], "application/octet-stream");

        let listed: Vec<(String, u64)> = list(&mut client)
            .iter()
            .map(|resource| {
                (
                    resource["uri"].as_str().expect("uri").to_owned(),
                    resource["size"].as_u64().expect("size"),
                )
            })
            .collect();
        assert!(listed.contains(&(binary.clone(), 256)), "{listed:?}");
        assert!(listed.contains(&(text.clone(), csv.len() as u64)), "{listed:?}");
    }
}

#[test]
fn files_of_a_session_are_what_its_last_call_left() {
    let mut client = Client::start(&["--native", "off"]);
    let first = client.call(json!({ "code": "open('a.txt', 'w').write('one')", "session": "new" }));
    let session = first.meta("session").as_str().expect("a handle").to_owned();
    let uri = format!("sandbox://{session}/a.txt");
    assert_eq!(uris(&first), [uri.as_str()]);
    assert_eq!(read(&mut client, &uri)["result"]["contents"][0]["text"], "one");
    client
        .call(json!({ "code": "open('a.txt', 'a').write(' two')", "session": session.as_str() }))
        .ok();
    assert_eq!(read(&mut client, &uri)["result"]["contents"][0]["text"], "one two");
    client
        .call(json!({ "code": "import os\nos.remove('a.txt')", "session": session.as_str() }))
        .ok();
    assert_eq!(read(&mut client, &uri)["error"]["code"], -32002);
    assert_eq!(list(&mut client), Vec::<Value>::new());
}

#[test]
fn nothing_outside_of_a_directory_is_read() {
    let mut client = Client::start(&[]);
    let code = "import os\nos.symlink('/etc/passwd', 'link')\nos.symlink('/', 'root')\nopen('a', \
        'w').write('a')\nos.mkdir('d')";
    let answer = client.call(json!({ "code": code, "session": "new", "runtime": "native" }));
    let session = answer.meta("session").as_str().expect("a handle").to_owned();
    answer.ok();
    for path in [
        "link",
        "root/etc/passwd",
        "../../../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        "d",
        "",
        "a/b",
        "%zz",
    ] {
        let uri = format!("sandbox://{session}/{path}");
        assert_eq!(read(&mut client, &uri)["error"]["code"], -32002, "{uri}");
    }
    for uri in ["sandbox://", "file:///etc/passwd", "sandbox:///a", &format!("sandbox://{session}")]
    {
        assert_eq!(read(&mut client, uri)["error"]["code"], -32002, "{uri}");
    }
    let listed: Vec<Value> =
        list(&mut client).iter().map(|resource| resource["name"].clone()).collect();
    assert_eq!(listed, ["a"]);
}

#[test]
fn handles_of_others_and_old_ones_give_the_same_error() {
    let mut client = Client::start(&["--native", "off", "--keep-files-for", "0.5"]);
    let mut other = Client::start(&["--native", "off"]);
    let old = uris(&client.run("open('a', 'w').write('a')")).remove(0);
    let foreign = uris(&other.run("open('a', 'w').write('a')")).remove(0);
    assert_eq!(read(&mut client, &old)["result"]["contents"][0]["text"], "a");
    sleep(Duration::from_millis(700));
    for uri in [old, foreign, "sandbox://0123456789abcdef0123456789abcdef/a".into()] {
        let error = &read(&mut client, &uri)["error"];
        assert_eq!(error["code"], -32002);
        assert_eq!(error["message"], format!("there is no resource `{uri}`"));
    }
}

#[test]
fn what_is_kept_has_a_bound_and_the_oldest_goes_first() {
    let mut client = Client::start(&["--native", "off", "--keep-files", "1"]);
    let half = "open('a', 'w').write('x' * (1 << 19))";
    let kept: Vec<String> = (0..3).map(|_| uris(&client.run(half)).remove(0)).collect();
    let codes: Vec<bool> =
        kept.iter().map(|uri| read(&mut client, uri).get("result").is_some()).collect();
    assert_eq!(codes, [false, true, true]);
    let larger = client.run("open('a', 'w').write('x' * (1 << 20) + 'y')");
    assert_eq!(larger.meta("files"), &json!([{ "path": "a", "size": (1 << 20) + 1 }]));
}

#[test]
fn an_answer_fits_into_what_clients_read() {
    let mut client = Client::start(&["--native", "off"]);
    let code = "open('fits', 'wb').write(b'\\xff' * (7 << 20))\nopen('bytes', \
        'wb').write(b'\\xff' * (8 << 20))\n\
                open('text', 'w').write('\\x01' * (2 << 20))\nopen('large', 'wb').write(b'x' * \
                (13 << 20))";
    let answer = client.run(code);
    assert!(!answer.is_error, "{}", answer.text);
    let handle = uris(&answer).remove(0).rsplit_once('/').expect("an address").0.to_owned();
    assert_eq!(
        read(&mut client, &format!("{handle}/fits"))["result"]["contents"][0]["mimeType"],
        "application/octet-stream"
    );
    for name in ["bytes", "text", "large"] {
        let uri = format!("{handle}/{name}");
        let why = format!(
            "`{uri}` is too large for one answer, which holds 10420224 bytes; have a job read it \
             in parts"
        );
        let error = &read(&mut client, &uri)["error"];
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(why)));
    }
}

#[test]
fn templates_say_how_addresses_are_made() {
    let mut client = Client::start(&["--native", "off"]);
    let answer = client.request("resources/templates/list", json!({}));
    assert_eq!(
        answer["result"]["resourceTemplates"][0]["uriTemplate"],
        "sandbox://{handle}/{+path}"
    );
}

#[test]
fn the_whole_of_a_shortened_output_can_be_read() {
    let mut client = Client::start(&["--native", "off", "--limit-shown", "1000"]);
    let answer = client.run("for i in range(1000): print('line', i)");
    let lines: Vec<String> = (0..1000).map(|i| format!("line {i}")).collect();
    let expected = lines.join("\n") + "\n";
    let uri = answer.meta("wholeOutput").as_str().expect("an address").to_owned();
    let line =
        format!("[the whole output, {} bytes, can be read for a while: {uri}]", expected.len());
    assert_eq!(answer.ok().lines().last(), Some(line.as_str()));
    assert_eq!(read(&mut client, &uri)["result"]["contents"][0]["text"], expected);
    assert_eq!(client.run("print('short')").meta("wholeOutput"), &Value::Null);
}
