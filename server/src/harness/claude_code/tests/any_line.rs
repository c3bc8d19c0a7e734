//! Lines of any form: broken, over-long, of unknown type, of any bytes.
//! What rows of known types show stays out.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::record::too_long;
use super::{main, read, user};
use crate::harness::{Stream, skim, spec};
use crate::session::Entry;

#[test]
fn a_line_that_cannot_be_read_is_said_to_be_so() {
    let user_row = user(json!("a")).to_string();
    let unreadable = [Entry::Unreadable];
    let cases: Vec<(&[u8], &[Entry])> = vec![
        (b"", &[]),
        (b" \t\r", &[]),
        (b"{}", &[]),
        (br#"{"type":"user"}"#, &[]),
        (br#"{"type":"later","message":{"content":"a"}}"#, &[]),
        (br#"{"type":"progress","data":{"message":{"type":"user"}}}"#, &[]),
        (b"not json", &unreadable),
        (b"[]", &unreadable),
        (br#"["user"]"#, &unreadable),
        (b"7", &unreadable),
        (b"\0\0\0\0", &unreadable),
        (&user_row.as_bytes()[..user_row.len() - 2], &unreadable),
        (br#"{"type":"progress","data":{"mess"#, &unreadable),
        (
            br#"{"attachment":{"type":"file","content":"a"},"type":"attachment","uuid":7}"#,
            &[],
        ),
        (
            br#"{"attachment":{"type":"queued_command"},"type":"attachment","uuid":7}"#,
            &unreadable,
        ),
        (br#"{"type":"attachment","attachment":[1]}"#, &[]),
        // Two writers at once: what stands on the line is neither the one row nor the other.
        (br#"{"type":"progress"}{"type":"summary"}"#, &[]),
        (
            br#"{"type":"user","message":{"content":"a"}}{"type":"summary"}"#,
            &unreadable,
        ),
        (br#"{"type":"user","uuid":7,"message":{"content":"a"}}"#, &unreadable),
        (br#"{"type":"user","message":{"content":["a"]}}"#, &unreadable),
        (br#"{"type":"user","message":{"content":{"text":"a"}}}"#, &unreadable),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line, Stream::Main), expected, "{}", String::from_utf8_lossy(line));
    }
    let torn_character = [
        br#"{"type":"user","message":{"content":"caf"#.as_slice(),
        b"\xc3",
        br#""}}"#,
    ]
    .concat();
    assert!(
        matches!(&read(&torn_character, Stream::Main)[..], [_, Entry::Prompt { text, .. }] if text == "caf\u{fffd}")
    );
}

#[test]
fn an_overlong_line_is_unreadable_unless_it_is_bookkeeping() {
    let cases: [(&[u8], bool); 5] = [
        (br#"{"type":"api-request","params":{"messages":["#, false),
        (
            br#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"content":[{"#,
            true,
        ),
        (
            br#"{"parentUuid":null,"attachment":{"type":"hook_success","stdout":"aaaa"#,
            false,
        ),
        (
            br#"{"parentUuid":null,"attachment":{"type":"queued_command","prompt":"aaaa"#,
            true,
        ),
        (b"aaaa", true),
    ];
    for (head, unreadable) in cases {
        let mut out = Vec::new();
        too_long(head, &mut out);
        assert_eq!(
            out == [Entry::Unreadable],
            unreadable,
            "{}",
            String::from_utf8_lossy(head)
        );
        assert_eq!(out.is_empty(), !unreadable);
    }
}

#[test]
fn deep_and_long_lines_take_linear_time() {
    let deep = format!(
        r#"{{"a":{}{},"type":"user"}}"#,
        "[".repeat(1 << 20),
        "]".repeat(1 << 20)
    );
    assert_eq!(read(deep.as_bytes(), Stream::Main), []);
    let wrapped = user(json!(
        "<system-reminder></system-reminder>".repeat(50_000) + "<ide_selection>"
    ));
    assert!(matches!(&main(&wrapped)[..], [_, Entry::Prompt { text, .. }] if text == "<ide_selection>"));
    let quotes = format!(r#"{{"a":"{}","type":"mode"}}"#, "\\\"".repeat(1 << 20));
    assert_eq!(read(quotes.as_bytes(), Stream::Main), []);
}

#[test]
fn every_harness_has_a_reader() {
    use proofmark_protocol::Harness;
    let readable: Vec<Harness> = Harness::ALL
        .into_iter()
        .filter(|harness| spec(*harness).is_some())
        .collect();
    assert_eq!(readable, Harness::ALL);
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just(r#"{"type":"progress"}"#.to_owned()),
        Just(r#"\","type":"system","#.to_owned()),
        "[a-z\"\\\\{}\\[\\]:,é]{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("type".to_owned()),
        Just("message".to_owned()),
        Just("isMeta".to_owned()),
        Just("attachment".to_owned()),
        "[a-z\"\\\\]{0,4}"
    ]
}

/// A row as JSON text, with its members in any order and each key once.
fn row() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        "user",
        "assistant",
        "progress",
        "system",
        "attachment",
        "api-request",
        "us[a-z]r"
    ];
    let members = proptest::collection::vec((key(), value()), 0..5);
    let order = (members, kind).prop_map(|(members, kind)| {
        let mut row: Map<String, Value> = members.into_iter().collect();
        row.insert("type".to_owned(), kind.into());
        row.into_iter().collect::<Vec<_>>()
    });
    order.prop_shuffle().prop_map(|members| {
        let member = |(key, value): &(String, Value)| format!("{}:{value}", Value::from(key.as_str()));
        format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(" , "))
    })
}

proptest! {
    #[test]
    fn a_skimmed_type_is_the_parsed_type(row in row()) {
        let parsed: Value = serde_json::from_str(&row).unwrap();
        if let Some(kind) = skim::row_type(row.as_bytes()) {
            prop_assert_eq!(kind, parsed["type"].as_str().unwrap().as_bytes());
        } else {
            prop_assert!(row.contains("message") || row.contains('\\'), "{}", row);
        }
    }

    #[test]
    fn a_row_of_an_unknown_type_shows_nothing(row in row()) {
        let parsed: Value = serde_json::from_str(&row).unwrap();
        if !["user", "assistant"].contains(&parsed["type"].as_str().unwrap()) {
            prop_assert_eq!(read(row.as_bytes(), Stream::Main), []);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), row in row(), at in 0_usize..200) {
        for stream in [Stream::Main, Stream::Helper] {
            read(&bytes, stream);
            let cut = at.min(row.len());
            read(&row.as_bytes()[..cut], stream);
            read(&[&row.as_bytes()[..cut], &bytes[..bytes.len().min(3)], &row.as_bytes()[cut..]].concat(), stream);
        }
        too_long(&bytes, &mut Vec::new());
    }
}
