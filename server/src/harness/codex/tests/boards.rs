//! What small rollouts make of the board of verdicts: a case for each way in which a record can mislead.
//! What commands check, and what outputs say, is tested in `evidence/`.

use serde_json::{Value, json};

use super::super::SPEC;
use crate::harness::Stream;
use crate::harness::testing::{board, folded, goes_on_when_stored, read_all};

/// The lines of a rollout in short, one a line:
///
/// `P text` a prompt in a turn of its own, `T text` prose, `$ id command` a call, `$ id in:folder command` one that
/// names its folder, `A id file` a patch, `W id process` a look at a running command, `C id script` a script of code mode,
/// `= id code output` a result with a code, `& id process output` one of a command that goes on, `? id text` one as it
/// is, `X id code output` the event that tells a command's end, `| json` a line as it is. `\n` in it is the end of a line.
fn lines(script: &str) -> String {
    let mut lines = vec![line(
        "session_meta",
        json!({"id": "s", "cli_version": "0.142.0", "cwd": "/p"}),
    )];
    for row in script.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (sign, rest) = row.split_once(' ').unwrap_or((row, ""));
        let (id, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let more = more.replace("\\n", "\n");
        let (word, output) = more.split_once(' ').unwrap_or((&more, ""));
        let call = |name: &str, arguments: Value| {
            item(json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}))
        };
        let custom = |name: &str, input: &str| {
            item(json!({"type": "custom_tool_call", "name": name, "input": input, "call_id": id}))
        };
        let result = |text: String| item(json!({"type": "function_call_output", "call_id": id, "output": text}));
        let shown = match sign {
            "P" => {
                lines.push(event(
                    json!({"type": "task_started", "turn_id": format!("turn{}", lines.len())}),
                ));
                event(json!({"type": "user_message", "message": rest}))
            }
            "T" => event(json!({"type": "agent_message", "message": rest})),
            "$" => match word.strip_prefix("in:") {
                Some(folder) => call("exec_command", json!({"cmd": output, "workdir": folder})),
                None => call("exec_command", json!({"cmd": more})),
            },
            "A" => custom(
                "apply_patch",
                &format!("*** Begin Patch\n*** Update File: {more}\n*** End Patch"),
            ),
            "W" => call(
                "write_stdin",
                json!({"session_id": more.parse::<i64>().unwrap(), "chars": ""}),
            ),
            "C" => custom("exec", &more),
            "=" => result(format!(
                "Chunk ID: 1\nProcess exited with code {word}\nOutput:\n{output}"
            )),
            "&" => result(format!(
                "Chunk ID: 1\nProcess running with session ID {word}\nOutput:\n{output}"
            )),
            "?" => result(more),
            "X" => event(
                json!({"type": "exec_command_end", "call_id": id, "exit_code": word.parse::<i64>().unwrap(),
                "aggregated_output": output}),
            ),
            "|" => rest.to_owned(),
            other => panic!("no such line: {other}"),
        };
        lines.push(shown);
    }
    lines.join("\n")
}

fn line(kind: &str, payload: Value) -> String {
    json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload}).to_string()
}

fn item(payload: Value) -> String {
    line("response_item", payload)
}

fn event(payload: Value) -> String {
    line("event_msg", payload)
}

#[track_caller]
fn check(script: &str, expected: &str) {
    let record = lines(script);
    goes_on_when_stored(&SPEC, record.as_bytes(), Stream::Main, 1);
    let shown = board(&folded(read_all(&SPEC, record.as_bytes(), Stream::Main)));
    let expected: String = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(shown, expected, "{script}");
}

const PASS: &str = "==== 3 passed in 0.10s ====";
const FAIL: &str = "==== 1 failed, 2 passed in 0.10s ====";

#[test]
fn an_exit_code_decides() {
    check(
        &format!("P go\n$ c1 pytest\n= c1 0 {PASS}\nP on\n$ c2 pytest\n= c2 1 {FAIL}"),
        "check     1 pytest:all @/p Pass: pytest ended well and reports a pass: 3 passed, 0 failed.
         check     2 pytest:all @/p Fail: pytest ended with exit code 1 and reports failures: 2 passed, 1 failed.",
    );
}

#[test]
fn a_result_without_a_code_is_no_success() {
    check(
        &format!(
            "P go\n$ c1 pytest\n? c1 \n$ c2 pytest\n? c2 {PASS}\n$ c3 pytest\n? c3 aborted by user after 2.1s\n$ c4 pytest\n? c4 exec_command failed: no"
        ),
        "check     1 pytest:all @/p Unknown: pytest has no summary in the output, and its exit status is not known.
         check     2 pytest:all @/p Pass: pytest reports a pass: 3 passed, 0 failed.
         runs      3 pytest:all @/p Unknown: It was cut off before its end.",
    );
}

#[test]
fn a_command_that_goes_on_is_followed_over_turns() {
    let begun = "P go\n$ c1 pytest\n& c1 7 running\n$ c2 cargo test\n& c2 8 running\nP on\nW c3 7\n& c3 7 still\n";
    let goes_on = "It goes on in the background, and has no end on record.";
    check(
        begun,
        &format!(
            "runs      1 pytest:all @/p Unknown: {goes_on}\nruns      2 cargo-test:workspace @/p Unknown: {goes_on}"
        ),
    );
    check(
        &format!("{begun}W c4 8\n= c4 101 \nW c5 7\n= c5 0 {PASS}"),
        "check     1 pytest:all @/p Pass: pytest ended well and reports a pass: 3 passed, 0 failed.
         check     2 cargo-test:workspace @/p Fail: cargo-test ended with exit code 101.",
    );
    // The event tells an end that the agent never looked at.
    check(
        &format!("{begun}X c1 1 {FAIL}"),
        &format!(
            "check     1 pytest:all @/p Fail: pytest ended with exit code 1 and reports failures: 2 passed, 1 failed.
             runs      2 cargo-test:workspace @/p Unknown: {goes_on}"
        ),
    );
}

#[test]
fn a_code_that_comes_late_counts() {
    check(
        &format!("P go\n$ c1 pytest\n? c1 \nX c1 1 {FAIL}"),
        "check     1 pytest:all @/p Fail: pytest ended with exit code 1 and reports failures: 2 passed, 1 failed.",
    );
}

#[test]
fn a_folder_that_a_call_names_is_its_own() {
    check(
        "P go\n$ c1 in:api npm test\n= c1 0 \n$ c2 npm test\n= c2 1 \n$ c3 in:/p/api npm test\n= c3 1 ",
        "check     1 npm-script:test @/p/api Pass: npm-script ended well.
         check     2 npm-script:test @/p Fail: npm-script ended with exit code 1.
         check     3 npm-script:test @/p/api Fail: npm-script ended with exit code 1.",
    );
}

#[test]
fn a_script_tells_its_commands_and_no_more_than_it_printed() {
    check(
        "P go\n\
         C c1 const r = await tools.exec_command({cmd: 'pytest'}); text(r.output)\n? c1 Script completed\n\
         C c2 tools.exec_command({cmd: 'pytest', workdir: d})\n? c2 Script completed\n\
         C c3 tools.exec_command({cmd: 'pytest', workdir: d})\n? c3 Script completed",
        "check     2 pytest:all @/p Unknown: pytest has no summary in the output, and its exit status is not known.
         check     4 pytest:all @/p/$workdir@c2/0 Unknown: pytest has no summary in the output, and its exit status is not known.
         check     6 pytest:all @/p/$workdir@c3/0 Unknown: pytest has no summary in the output, and its exit status is not known.",
    );
}

#[test]
fn a_patch_changes_what_it_names() {
    check(
        "P go\nA c1 src/a.rs\n? c1 Exit code: 0\\nOutput:\\nM src/a.rs\nA c2 b.rs\n? c2 apply_patch verification failed: no\n\
         A c3 c.rs\n? c3 Exit code: 1\\nOutput:\\n\n$ c4 in:web apply_patch <<'E'\\n*** Begin Patch\\n*** Add File: d.ts\\n*** End Patch\\nE\n= c4 0 ",
        "changed   1 /p/src/a.rs
         changed   3 /p/c.rs?
         changed   4 /p/web/d.ts",
    );
}

#[test]
fn what_a_forked_helper_copied_is_not_its_own() {
    let copied = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload}).to_string()
    };
    let own = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-11-30T10:05:00.000Z", "type": kind, "payload": payload}).to_string()
    };
    let call = |id: &str| json!({"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"pytest\"}", "call_id": id});
    let result = |id: &str, code: i32| json!({"type": "function_call_output", "call_id": id, "output": format!("Process exited with code {code}\nOutput:\n")});
    let meta = json!({"id": "h", "cli_version": "0.118.0", "cwd": "/p", "forked_from_id": "s",
        "source": {"subagent": {"thread_spawn": {"parent_thread_id": "s"}}}});
    let record = [
        copied("session_meta", meta),
        copied("event_msg", json!({"type": "user_message", "message": "go"})),
        copied("response_item", call("c1")),
        copied("response_item", result("c1", 0)),
        own("response_item", call("c2")),
        own("response_item", result("c2", 1)),
    ];
    let shown = board(&folded(read_all(&SPEC, record.join("\n").as_bytes(), Stream::Helper)));
    assert_eq!(
        shown,
        "check     1 pytest:all @/p Fail: pytest ended with exit code 1.\n"
    );
}
