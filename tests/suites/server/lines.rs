//! The socket's lines: one answer to each request, whatever is sent, and who speaks on each.
//! What the methods do is not looked at.

use proofmark_protocol::frame::{
    BUILD, INVALID_PARAMS, INVALID_REQUEST, MAX_FRAME, METHOD_NOT_FOUND, PARSE_ERROR, PROTOCOL,
};
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::wire::{Wire, detach, request};

/// Fails unless the line says who speaks, and has one of `result` and `error`.
fn assert_form(line: &Value) {
    assert_eq!(
        line["proofmark"],
        json!({"protocol": PROTOCOL, "build": BUILD}),
        "{line}"
    );
    assert_eq!(line["jsonrpc"], "2.0", "{line}");
    let has = |member| line.as_object().unwrap().contains_key(member);
    assert!(has("id") && (has("result") != has("error")), "{line}");
}

#[test]
fn whatever_is_sent_gets_one_answer_and_the_connection_goes_on() {
    let world = World::new().unwrap();
    detach(&world);
    let mut wire = Wire::connect(&world);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let stop = r#""method":"onStop","params""#;
    #[rustfmt::skip]
    let cases: Vec<(String, Option<i32>, &str)> = vec![
        // What is no JSON.
        ("{".into(), Some(PARSE_ERROR), "null"),
        ("hello".into(), Some(PARSE_ERROR), "null"),
        (r#"{"id":1,"method":"status""#.into(), Some(PARSE_ERROR), "null"),
        (deep.clone(), Some(PARSE_ERROR), "null"),
        // What is no request.
        ("[]".into(), Some(INVALID_REQUEST), "null"),
        ("7".into(), Some(INVALID_REQUEST), "null"),
        ("null".into(), Some(INVALID_REQUEST), "null"),
        ("{}".into(), Some(INVALID_REQUEST), "null"),
        (r#"{"id":3}"#.into(), Some(INVALID_REQUEST), "3"),
        (r#"{"id":"x","method":7}"#.into(), Some(INVALID_REQUEST), "\"x\""),
        (r#"{"id":4,"method":"status","proofmark":"0.1.0"}"#.into(), Some(INVALID_REQUEST), "4"),
        // Batches are not served, and nothing in them is carried out.
        (r#"[{"id":5,"method":"shutdown"}]"#.into(), Some(INVALID_REQUEST), "null"),
        (r#"[{"id":5,"method":"shutdown"},{"id":6,"method":"shutdown"}]"#.into(), Some(INVALID_REQUEST), "null"),
        (r#"[6,"shutdown",null,null]"#.into(), Some(INVALID_REQUEST), "null"),
        // Methods and params.
        (r#"{"id":7,"method":"noSuch"}"#.into(), Some(METHOD_NOT_FOUND), "7"),
        (format!(r#"{{"id":8,"method":"{}"}}"#, "m".repeat(100_000)), Some(METHOD_NOT_FOUND), "8"),
        (r#"{"id":9,"method":"onStop"}"#.into(), Some(INVALID_PARAMS), "9"),
        (format!(r#"{{"id":10,{stop}:[]}}"#), Some(INVALID_PARAMS), "10"),
        (format!(r#"{{"id":11,{stop}:{{}}}}"#), Some(INVALID_PARAMS), "11"),
        (format!(r#"{{"id":12,{stop}:{{"harness":"none"}}}}"#), Some(INVALID_PARAMS), "12"),
        (format!(r#"{{"id":13,{stop}:{deep}}}"#), Some(INVALID_PARAMS), "13"),
        (r#"{"id":14,"method":"retireClaim","params":{"id":7}}"#.into(), Some(INVALID_PARAMS), "14"),
        // Ids come back as they were written.
        (r#"{"id":"a \" b","method":"status"}"#.into(), None, r#""a \" b""#),
        (r#"{"id":"\ud83d\ude00","method":"status"}"#.into(), None, r#""😀""#),
        (r#"{"id":18446744073709551615,"method":"status"}"#.into(), None, "18446744073709551615"),
        (r#"{"id":-1,"method":"status"}"#.into(), None, "-1"),
        (r#"{"id":null,"method":"status"}"#.into(), None, "null"),
        (r#"{"id":null,"method":"noSuch"}"#.into(), Some(METHOD_NOT_FOUND), "null"),
        (r#"{"id":[1],"method":"status"}"#.into(), Some(INVALID_REQUEST), "null"),
        (r#"{"id":true,"method":"status"}"#.into(), Some(INVALID_REQUEST), "null"),
        // What this build does not know is passed over.
        (r#"{"later":{"id":1},"id":15,"method":"status","params":{"later":1},"trace":[]}"#.into(), None, "15"),
        (format!(r#"{{"id":16,{stop}:{{"harness":"claude-code","later":[{{}}],"rewrite":false}}}}"#), None, "16"),
    ];
    for (sent, error, id) in cases {
        let shown: String = sent.chars().take(120).collect();
        wire.send(format!("{sent}\n").as_bytes());
        let answer = wire.line().unwrap_or_else(|| panic!("no answer to {shown}"));
        assert_form(&answer);
        assert_eq!(
            answer["error"]["code"].as_i64(),
            error.map(i64::from),
            "{shown}: {answer}"
        );
        assert_eq!(
            answer["id"],
            serde_json::from_str::<Value>(id).unwrap(),
            "{shown}: {answer}"
        );
        // A second answer to the same request would stand before this one.
        let next = wire.ask(&request(json!("next"), "status", json!(null)));
        assert_form(&next);
        assert_eq!(next["id"], "next", "{shown}");
        assert_eq!(next["result"]["server"]["running"], true, "{shown}: {next}");
    }
}

#[test]
fn an_id_beyond_every_number_type_comes_back_digit_by_digit() {
    let world = World::new().unwrap();
    detach(&world);
    let mut wire = Wire::connect(&world);
    for (method, sent) in [
        ("status", "123456789012345678901234567890"),
        ("noSuch", "1e400"),
        ("status", "0.10"),
    ] {
        wire.send(format!("{{\"id\":{sent},\"method\":\"{method}\"}}\n").as_bytes());
        let line = wire.raw_line();
        assert!(line.contains(&format!("\"id\":{sent}")), "{line}");
    }
}

#[test]
fn a_notification_gets_no_answer() {
    let world = World::new().unwrap();
    detach(&world);
    let mut wire = Wire::connect(&world);
    for sent in [
        r#"{"method":"status"}"#,
        r#"{"method":"noSuch"}"#,
        r#"{"method":"onStop","params":{}}"#,
        "",
        "  ",
    ] {
        wire.send(format!("{sent}\n").as_bytes());
        assert_eq!(wire.ask(&request(json!(1), "status", json!(null)))["id"], 1, "{sent}");
    }
}

#[test]
fn bytes_that_are_no_text_are_no_json() {
    let world = World::new().unwrap();
    detach(&world);
    let mut wire = Wire::connect(&world);
    wire.send(b"{\"id\":1,\"method\":\"status\",\"params\":\"\xff\xfe\"}\n");
    let answer = wire.line().unwrap();
    assert_form(&answer);
    assert_eq!(answer["error"]["code"], PARSE_ERROR);
    assert_eq!(wire.ask(&request(json!(2), "status", json!(null)))["id"], 2);
}

#[test]
fn a_line_of_the_full_length_is_served_and_one_byte_more_ends_the_connection() {
    let world = World::new().unwrap();
    detach(&world);
    let line = |len: usize| {
        let mut line = br#"{"id":1,"method":"status","params":""#.to_vec();
        line.resize(len - 3, b'x');
        line.extend(b"\"}\n");
        line
    };
    let mut wire = Wire::connect(&world);
    wire.send(&line(MAX_FRAME));
    assert_eq!(wire.line().unwrap()["result"]["server"]["running"], true);
    wire.send(&line(MAX_FRAME + 1));
    let answer = wire.line().unwrap();
    assert_form(&answer);
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&Value::Null, &json!(INVALID_REQUEST))
    );
    assert_eq!(wire.line(), None);
    // Only that connection.
    assert_eq!(
        Wire::connect(&world).ask(&request(json!(3), "status", json!(null)))["id"],
        3
    );
}
