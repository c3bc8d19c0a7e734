//! Payloads of another shape than the hook expects: the event passes, and stderr says why.
//! What a server makes of a payload that can be read is in other rooms.

use proofmark_protocol::frame::MAX_FRAME;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::world::World;

use crate::stage::{STOP, Session, send};

fn give(world: &World, payload: &[u8]) -> Finished {
    let mut hook = world.command(&world.program("proofmark-hook"));
    process::run(hook.arg("claude-code"), payload, STOP).unwrap()
}

#[test]
fn a_payload_that_cannot_be_read_passes_and_is_explained() {
    let world = World::new().unwrap();
    let long = format!("{{\"hook_event_name\":\"Stop\",\"x\":\"{}\"}}", "y".repeat(MAX_FRAME));
    let cases: [(&[u8], &str); 9] = [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"[1, 2]", "no JSON object"),
        (b"null", "no JSON object"),
        (b"\xff\xfe\x00", "no JSON object"),
        (b"{\"hook_event_name\":\"Stop\",", "broken JSON"),
        (
            b"{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"s\"}",
            "no usable `prompt`",
        ),
        (
            b"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"tool_name\":[]}",
            "no usable `tool_name`",
        ),
        (long.as_bytes(), "longer than 16 MiB"),
    ];
    for (payload, why) in cases {
        let done = give(&world, payload);
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{why}");
        assert!(
            done.stderr.contains(why) && done.stderr.contains("passes unchecked"),
            "{why}: {}",
            done.stderr
        );
        assert_eq!(done.stderr.lines().count(), 1);
    }
    assert!(!world.is_served().unwrap(), "nothing of this needs a server");
}

#[test]
fn members_of_a_wrong_type_cost_no_more_than_themselves() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let odd = serde_json::json!({
        "cwd": 5, "background_tasks": "none", "agent_id": [], "agent_type": {}, "stop_hook_active": "yes", "later": {"a": [1]},
    });
    send(&world, &session.tagged_stop().with(odd)).is_refused();
    for payload in ["{}", r#"{"hook_event_name": 5}"#, r#"{"hook_event_name": "Later"}"#] {
        let done = give(&world, payload.as_bytes());
        assert_eq!(
            (done.code, done.stdout.as_str(), done.stderr.as_str()),
            (Some(0), "", ""),
            "{payload}"
        );
    }
}
