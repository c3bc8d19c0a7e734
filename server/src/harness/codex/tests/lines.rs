//! Single lines, and what they are worth beside each other: prompts and their ids, calls and their kinds.
//! Whole sessions are snapshots in the file beside this one.

use serde_json::{Value, json};

use super::super::SPEC;
use crate::evidence::call::{Known, facts};
use crate::harness::Stream;
use crate::harness::testing::read_all;
use crate::session::stream::Stream as Fold;
use crate::session::{Ending, Entry, ToolKind};

fn line(kind: &str, payload: Value) -> String {
    json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload}).to_string()
}

fn item(payload: Value) -> String {
    line("response_item", payload)
}

fn event(payload: Value) -> String {
    line("event_msg", payload)
}

fn read(lines: &[String]) -> Vec<Entry> {
    read_all(&SPEC, lines.join("\n").as_bytes(), Stream::Main)
}

fn function(id: &str, name: &str, arguments: Value) -> String {
    item(json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}))
}

fn output(id: &str, text: &str) -> String {
    item(json!({"type": "function_call_output", "call_id": id, "output": text}))
}

fn folded(lines: &[String]) -> Fold {
    let mut fold = Fold::default();
    for entry in read(lines) {
        fold.fold(entry);
    }
    fold
}

#[test]
fn a_prompt_keeps_its_name_in_a_copy() {
    let prompt = |text: &str| {
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
    };
    let begun = |turn: &str| event(json!({"type": "task_started", "turn_id": turn}));
    let meta = |id: &str| line("session_meta", json!({"id": id, "cli_version": "0.142.0"}));
    let copied = [begun("t1"), prompt("a"), prompt("b"), begun("t2"), prompt("c")];
    let origin = [&[meta("one")], &copied[..]].concat();
    let fork = [&[meta("two"), meta("one")], &copied[..]].concat();
    let (origin, fork) = (folded(&origin), folded(&fork));
    assert_eq!(origin.lineage.rows(), ["t1#1", "t1#2", "t2#3"]);
    assert_eq!(origin.lineage, fork.lineage);
    assert_eq!(
        (origin.session.as_deref(), fork.session.as_deref()),
        (Some("one"), Some("two"))
    );
    // Without a turn nothing tells one first prompt from another's: no name, so no lineage.
    assert_eq!(folded(&[meta("one"), prompt("a")]).lineage.first(), Some(""));
    let named = item(json!({"type": "message", "role": "user", "id": "m1", "content": [{"text": "a"}]}));
    assert_eq!(folded(&[begun("t1"), named]).lineage.rows(), ["m1"]);
}

#[test]
fn a_patch_typed_into_the_shell_changes_files_and_is_no_look() {
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF";
    for call in [
        function("c1", "exec_command", json!({"cmd": patch})),
        function("c1", "exec_command", json!({"cmd": format!("cd src && {patch}")})),
        function("c1", "shell", json!({"command": ["bash", "-lc", patch]})),
        function(
            "c1",
            "shell",
            json!({"command": ["apply_patch", "*** Begin Patch\n*** End Patch"]}),
        ),
        item(json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c1", "input": "*** Begin Patch"})),
    ] {
        let entries = read(&[call]);
        let [Entry::Call { kind, .. }] = &entries[..] else {
            panic!("{entries:?}")
        };
        let facts = facts(kind, Some(Ending::Succeeded));
        assert_eq!(
            (facts.attempted, facts.observed, facts.mutated),
            (Known::No, Known::No, Known::Yes),
            "{kind:?}"
        );
    }
}

#[test]
fn a_script_without_a_look_is_no_attempt_and_a_refused_one_is() {
    let begun = [
        event(json!({"type": "task_started", "turn_id": "t1"})),
        event(json!({"type": "user_message", "message": "a"})),
    ];
    let script =
        |source: &str| item(json!({"type": "custom_tool_call", "name": "exec", "call_id": "c1", "input": source}));
    let done = |text: &str| {
        let blocks = json!([{"type": "input_text", "text": "Script completed\nOutput:\n"}, {"type": "input_text", "text": text}]);
        item(json!({"type": "custom_tool_call_output", "call_id": "c1", "output": blocks}))
    };
    let refused = "Command blocked by PreToolUse hook: no. Command: cat a";
    for (source, printed, attempted) in [
        ("text('I think')", "I think", Known::No),
        ("await tools.exec_command({cmd: 'echo ok'})", "ok", Known::No),
        ("await tools.update_plan({plan: []})", "", Known::No),
        ("await tools.exec_command({cmd: 'cat a'})", "x", Known::Yes),
        ("await tools.exec_command({cmd: 'cat a'})", refused, Known::Yes),
        ("await tools.exec_command({cmd: name + ' a'})", "x", Known::Yes),
        ("const {exec_command} = tools", "x", Known::Yes),
    ] {
        for mode in ["legacy", "paginated"] {
            let meta = line("session_meta", json!({"id": "s", "history_mode": mode}));
            let fold = folded(&[&[meta], &begun[..], &[script(source), done(printed)]].concat());
            let unknown = |_: &crate::session::CallRecord| facts(&ToolKind::Delegates, None);
            assert_eq!(fold.attempted(&unknown), attempted, "{mode} {source}");
        }
    }
}

#[test]
fn a_nested_command_has_its_own_id_and_code() {
    let meta = line("session_meta", json!({"id": "s", "history_mode": "paginated"}));
    let source = "await tools.exec_command({cmd: 'cargo test'}); await tools.exec_command({cmd: 'sleep 9'});";
    let ran = |id: &str, command: &str, code: i64| {
        event(json!({"type": "item_completed", "turn_id": "t1", "item": {
            "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "status": "failed",
            "exit_code": code, "aggregated_output": "no",
        }}))
    };
    let lines = [
        meta,
        item(json!({"type": "custom_tool_call", "name": "exec", "call_id": "c1", "input": source})),
        ran("exec-1", "cargo test", 101),
        item(json!({"type": "custom_tool_call_output", "call_id": "c1", "output": "Script running with cell ID 3\n"})),
        ran("exec-2", "sleep 9", 4),
    ];
    let ends: Vec<(String, Ending, Option<i32>)> = read(&lines)
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Result { id, ending, exit, .. } => Some((id, ending, exit)),
            _ => None,
        })
        .collect();
    let end = |id: &str, ending, exit| (id.to_owned(), ending, exit);
    assert_eq!(
        ends,
        [
            end("exec-1", Ending::Failed, Some(101)),
            end("c1/0", Ending::Background, None),
            end("c1", Ending::Succeeded, None),
            // It was shown under this id when the script went on without it.
            end("c1/0", Ending::Failed, Some(4)),
        ]
    );
}

#[test]
fn what_a_hook_put_in_place_of_a_result_hides_no_end() {
    let lines = [
        line("session_meta", json!({"id": "s", "history_mode": "paginated"})),
        function("c1", "exec_command", json!({"cmd": "cargo test"})),
        event(json!({"type": "item_completed", "item": {
            "type": "CommandExecution", "id": "c1", "command": ["bash", "-lc", "cargo test"], "exit_code": 101,
        }})),
        output("c1", "redo it"),
    ];
    let fold = folded(&lines);
    assert_eq!(
        (fold.turn.calls[0].ending, fold.turn.calls[0].exit),
        (Some(Ending::Failed), Some(101))
    );
    assert_eq!(fold.turn.calls.len(), 1);
}

#[test]
fn several_waited_for_helpers_stay_unknown() {
    let waited = |targets: Value| {
        let lines = [
            function("c1", "wait_agent", json!({"targets": targets})),
            output("c1", r#"{"status":{},"timed_out":true}"#),
        ];
        folded(&lines).turn.calls[0].helper.clone()
    };
    assert_eq!(waited(json!(["a"])).as_deref(), Some("a"));
    assert_eq!(waited(json!(["a", "b"])), None);
    assert_eq!(waited(json!([])), None);
}

#[test]
fn a_forked_helper_whose_task_is_not_on_record_has_a_turn_of_its_own() {
    let at = |clock: &str, kind: &str, payload: Value| {
        json!({"timestamp": format!("2026-07-11T12:32:{clock}Z"), "type": kind, "payload": payload}).to_string()
    };
    let spawned = json!({"subagent": {"thread_spawn": {"parent_thread_id": "p"}}});
    let meta = json!({"id": "h", "session_id": "p", "forked_from_id": "p", "source": spawned});
    let lines = [
        at("41.968", "session_meta", meta),
        at("41.969", "event_msg", json!({"type": "task_started", "turn_id": "t1"})),
        at(
            "41.969",
            "event_msg",
            json!({"type": "user_message", "message": "look"}),
        ),
        at(
            "41.970",
            "event_msg",
            json!({"type": "agent_message", "message": "copied"}),
        ),
        at("41.985", "event_msg", json!({"type": "task_started", "turn_id": "t2"})),
        at(
            "45.100",
            "event_msg",
            json!({"type": "agent_message", "message": "own"}),
        ),
        at(
            "46.200",
            "event_msg",
            json!({"type": "agent_message", "message": "more"}),
        ),
    ];
    let fold = folded(&lines);
    assert_eq!((fold.turns, fold.newest_turn.as_deref()), (1, Some("t2")));
    assert_eq!(fold.turn.texts, ["own", "more"]);
    assert_eq!(fold.lineage.rows(), ["t2#1"]);
}

#[test]
fn a_command_that_was_told_to_have_ended_ends_once() {
    let ended = json!({"type": "exec_command_end", "call_id": "c1", "command": ["sh", "-c", "a"], "exit_code": 3});
    let lines = [
        function("c1", "exec_command", json!({"cmd": "a"})),
        event(ended),
        output("c1", "Process running with session ID 7\nOutput:\n"),
        function("c2", "write_stdin", json!({"session_id": 7, "chars": ""})),
        output("c2", "Process exited with code 3\nOutput:\n"),
    ];
    let ends = |entry: &Entry| matches!(entry, Entry::Result { id, .. } if id == "c1");
    assert_eq!(read(&lines).iter().filter(|entry| ends(entry)).count(), 1);
}
