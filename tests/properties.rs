//! The promises of `fuzz/properties.rs`, asked with inputs that proptest makes: a few on every run,
//! hundreds of thousands in `make fuzz` (`PROPTEST_CASES`).

#[path = "../fuzz/properties.rs"]
mod promises;
#[path = "../src/mcp/jsonrpc/mod.rs"]
#[expect(dead_code, reason = "the parser's other callers are not here")]
mod wire;

use mcp_python_sandbox::testing::frames;
use proptest::prelude::*;

/// A JSON text, whole or nearly.
fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        "[0-9]{1,25}",
        "\"[a-zé\\\\u0dc8-9{}\\[\\]:,]{0,16}\"",
        Just("\"\\ud83d\"".to_owned()),
        Just("\"\\ud83c\\udf0d\"".to_owned()),
    ];
    let key = prop_oneof![
        Just("jsonrpc"),
        Just("id"),
        Just("method"),
        Just("params"),
        Just("result"),
        Just("error"),
        Just("name"),
        Just("arguments"),
        Just("code"),
        Just("_meta"),
        Just("requestId"),
    ];
    scalar.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|pairs| {
                let pairs: Vec<String> =
                    pairs.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    })
}

/// A message as clients send it, with parts that may be anything.
fn message() -> impl Strategy<Value = String> {
    let id =
        prop_oneof![Just("1".to_owned()), Just("\"x\"".to_owned()), Just("-7".to_owned()), json()];
    let method = prop_oneof![
        Just("\"ping\"".to_owned()),
        Just("\"initialize\"".to_owned()),
        Just("\"tools/call\"".to_owned()),
        Just("\"tools/list\"".to_owned()),
        Just("\"server/discover\"".to_owned()),
        Just("\"notifications/cancelled\"".to_owned()),
        json(),
    ];
    let version = prop_oneof![8 => Just("\"2.0\"".to_owned()), 1 => json()];
    (version, prop::option::of(id), prop::option::of(method), prop::option::of(json())).prop_map(
        |(version, id, method, params)| {
            let mut parts = vec![format!("\"jsonrpc\":{version}")];
            parts.extend(id.map(|id| format!("\"id\":{id}")));
            parts.extend(method.map(|method| format!("\"method\":{method}")));
            parts.extend(params.map(|params| format!("\"params\":{params}")));
            format!("{{{}}}", parts.join(","))
        },
    )
}

/// A line: a message, a batch, any JSON, noise, or one of these with bytes changed.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        4 => message(),
        2 => prop::collection::vec(message(), 0..4).prop_map(|batch| format!("[{}]",
            batch.join(","))),
        1 => json(),
    ];
    let changed = (
        text.clone(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        any::<bool>(),
    )
        .prop_map(|(text, changes, cut)| {
            let mut bytes = text.into_bytes();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
                if cut {
                    bytes.truncate(at.max(1));
                }
            }
            bytes
        });
    prop_oneof![
        4 => text.prop_map(String::into_bytes),
        2 => changed,
        1 => prop::collection::vec(any::<u8>(), 0..80),
    ]
}

proptest! {
    #[test]
    fn fuzz_markers(script in prop::collection::vec(any::<u8>(), 0..400)) {
        promises::markers(&script);
    }

    #[test]
    fn fuzz_lines(line in line()) {
        promises::line(&line);
    }
}
