//! What small transcripts make of the board of verdicts: a case for each way in which a record can mislead.
//! What commands check, and what outputs say, is tested in `evidence/`.

use serde_json::{Value, json};

use super::super::SPEC;
use crate::harness::testing::{board, folded, goes_on_when_stored, read_line};
use crate::harness::{Memory, Stream};
use crate::session::Entry;

/// The rows of a transcript in short, one a line:
///
/// `P text` a prompt, `T text` prose, `$ id command` a call, `E id path` an edit, `L id task` a look at a task,
/// `= id output` a result, `! id error` one of a call that failed, `& id task` one of a call that goes on,
/// `N id status summary` a task's report, `@ folder` where the agent works from now on, `? line` a line as it is.
/// `\n` in it is the end of a line.
fn rows(script: &str) -> Vec<String> {
    let mut cwd = "/p".to_owned();
    let mut rows = Vec::new();
    for (at, line) in script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .enumerate()
    {
        let (sign, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (id, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let more = more.replace("\\n", "\n");
        let user = |content: Value, beside: Value| {
            let mut row = json!({"type": "user", "uuid": format!("u{at}"), "cwd": cwd, "sessionId": "s", "version": "2.1.332",
                "message": {"role": "user", "content": content}});
            row.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
            row
        };
        let agent = |block: Value| json!({"type": "assistant", "uuid": format!("u{at}"), "cwd": cwd, "message": {"role": "assistant", "content": [block]}});
        let call =
            |tool: &str, input: Value| agent(json!({"type": "tool_use", "id": id, "name": tool, "input": input}));
        let result = |error: bool, beside: Value| {
            user(
                json!([{"type": "tool_result", "tool_use_id": id, "content": more, "is_error": error}]),
                json!({"toolUseResult": beside}),
            )
        };
        let row = match sign {
            "P" => user(json!(rest), json!({})),
            "T" => agent(json!({"type": "text", "text": rest})),
            "$" => call("Bash", json!({"command": more})),
            "E" => call("Edit", json!({"file_path": more})),
            "L" => call("TaskOutput", json!({"task_id": more})),
            "=" => result(false, json!({"interrupted": false})),
            "!" => result(true, json!(format!("Error: {more}"))),
            "&" => result(false, json!({"backgroundTaskId": more})),
            "N" => {
                let (status, summary) = more.split_once(' ').unwrap();
                user(
                    json!(format!(
                        "<task-notification>\n<tool-use-id>{id}</tool-use-id>\n<status>{status}</status>\n\
                         <summary>{summary}</summary>\n</task-notification>"
                    )),
                    json!({}),
                )
            }
            "@" => {
                rest.clone_into(&mut cwd);
                continue;
            }
            "?" => {
                rows.push(rest.to_owned());
                continue;
            }
            other => panic!("no such row: {other}"),
        };
        rows.push(row.to_string());
    }
    rows
}

fn entries(script: &str) -> Vec<Entry> {
    let mut memory = Memory::default();
    let rows = rows(script);
    rows.iter()
        .flat_map(|row| read_line(&SPEC, row.as_bytes(), Stream::Main, &mut memory))
        .collect()
}

#[track_caller]
fn check(script: &str, expected: &str) {
    goes_on_when_stored(&SPEC, rows(script).join("\n").as_bytes(), Stream::Main, 1);
    let shown = board(&folded(entries(script)));
    let expected: String = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(shown, expected, "{script}");
}

const PASS: &str = "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
const FAIL: &str = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

#[test]
fn a_flag_and_a_code_decide_what_nothing_masks() {
    check(
        &format!("P go\n$ t1 cargo test\n= t1 {PASS}\n$ t2 cargo test\n! t2 Exit code 101\\n{FAIL}\nP on\n$ t3 cargo test\n= t3 "),
        "check     1 cargo-test:workspace @/p Pass: cargo-test ended well and reports a pass: 4 passed, 0 failed.
         check     2 cargo-test:workspace @/p Fail: cargo-test ended with exit code 101 and reports failures: 3 passed, 1 failed.
         check     3 cargo-test:workspace @/p Pass: cargo-test ended well.",
    );
}

#[test]
fn a_piped_run_is_told_by_its_own_words_alone() {
    check(
        &format!("P go\n$ t1 cargo test | tail -1\n= t1 {FAIL}\n$ t2 cargo test | tail -1\n= t2 {PASS}\n$ t3 cargo test | tail -1\n= t3 "),
        "check     1 cargo-test:workspace @/p Fail: cargo-test reports failures: 3 passed, 1 failed.
         check     2 cargo-test:workspace @/p Pass: cargo-test reports a pass: 4 passed, 0 failed.
         check     3 cargo-test:workspace @/p Masked: cargo-test does not show in the output how it ended, and `| tail -1` hides its exit status.",
    );
    check(
        "P go\n$ t1 pytest -q | tail -1; echo \"exit=${PIPESTATUS[0]}\"\n= t1 exit=\n$ t2 pytest -q; echo $?\n= t2 1",
        "check     1 pytest:all @/p Masked: pytest does not show in the output how it ended, and `| tail -1` hides its exit status.
         check     2 pytest:all @/p Fail: pytest ended with exit code 1.",
    );
}

#[test]
fn a_run_that_checks_nothing_is_no_pass() {
    check(
        "P go\n$ t1 npx jest x\n= t1 No tests found, exiting with code 0\n$ t2 cargo test nothing\n\
         = t2 test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s",
        "check     1 jest:/p/x NothingChecked: jest reports that it checked nothing.
         check     2 cargo-test:nothing @/p NothingChecked: cargo-test reports that it checked nothing: 0 passed, 0 failed.",
    );
}

#[test]
fn a_call_that_did_not_run_is_no_run_and_no_change() {
    for refusal in [
        "The user doesn't want to proceed with this tool use. The tool use was rejected, and the user said:\\nExit code 1",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "PreToolUse:Bash hook error: [x]: no",
        "Permission to use Bash has been denied.",
    ] {
        check(
            &format!("P go\n$ t1 cargo test\n$ t2 rm a\nE t3 a\n! t1 {refusal}\n! t2 {refusal}\n! t3 {refusal}"),
            "",
        );
    }
}

#[test]
fn a_run_that_was_cut_off_has_no_verdict() {
    check(
        "P go\n$ t1 cargo test\n! t1 [Request interrupted by user for tool use]\n$ t2 cargo test",
        "runs      1 cargo-test:workspace @/p Unknown: It was cut off before its end.
         runs      2 cargo-test:workspace @/p Unknown: It has no end on record.",
    );
    // Stopped for its time, with and without a code.
    check(
        "P go\n$ t1 cargo test\n! t1 Exit code 143\\nCommand timed out after 2m\n$ t2 cargo test\n! t2 Command timed out after 2m 0.0s",
        "check     1 cargo-test:workspace @/p Unknown: cargo-test was stopped before its end: it ended with exit code 143.
         check     2 cargo-test:workspace @/p Unknown: cargo-test has no summary in the output, and its exit status is not known.",
    );
}

#[test]
fn a_run_in_the_background_ends_where_something_tells_its_end() {
    let begun = "P go\n$ t1 cargo test\n& t1 b1\nT so far\nP on\n";
    check(
        begun,
        "runs      1 cargo-test:workspace @/p Unknown: It goes on in the background, and has no end on record.",
    );
    for (end, expected) in [
        (
            "N t1 completed Background command \"x\" completed (exit code 0)",
            "Pass: cargo-test ended well.",
        ),
        (
            "N t1 failed Background command \"exit code 0\" failed with exit code 101",
            "Fail: cargo-test ended with exit code 101.",
        ),
        (
            "N t1 completed It is done",
            "Unknown: cargo-test has no summary in the output, and its exit status is not known.",
        ),
        (
            "N t1 failed It is done",
            "Unknown: cargo-test has no summary in the output, and its exit status is not known.",
        ),
    ] {
        check(
            &format!("{begun}{end}"),
            &format!("check     1 cargo-test:workspace @/p {expected}"),
        );
    }
    check(
        &format!("{begun}N t1 killed It is gone"),
        "runs      1 cargo-test:workspace @/p Unknown: It was cut off before its end.",
    );
}

#[test]
fn a_look_at_a_task_ends_the_call_that_began_it() {
    let head = "<retrieval_status>success</retrieval_status>\\n<task_id>b1</task_id>\\n";
    let look = |status: &str, output: &str| format!("L t9 b1\n= t9 {head}<status>{status}</status>\\n{output}\n");
    let begun = "P go\n$ t1 cargo test\n& t1 b1\nP on\n";
    let goes_on = look("running", "<output>running 9 tests</output>");
    let failed = look(
        "failed",
        &format!("<exit_code>101</exit_code>\\n<output>\\n{FAIL}\\n</output>"),
    );
    let fails = "check     1 cargo-test:workspace @/p Fail: cargo-test ended with exit code 101 and reports failures: 3 passed, 1 failed.";
    check(&format!("{begun}{goes_on}{failed}"), fails);
    // A report without the output neither takes that away, nor keeps it from being told later.
    check(
        &format!("{begun}{failed}N t1 failed \"x\" failed with exit code 101"),
        fails,
    );
    check(
        &format!("{begun}N t1 failed \"x\" failed with exit code 101\n{failed}"),
        fails,
    );
    check(&format!("{begun}N t1 completed done\n{failed}"), fails);
    // An end without a code is none that one could rely on.
    check(
        &format!("{begun}{}", look("completed", "<output>x</output>")),
        "check     1 cargo-test:workspace @/p Unknown: cargo-test has no summary in the output, and its exit status is not known.",
    );
}

#[test]
fn a_later_run_stays_the_newest_when_an_earlier_one_ends_after_it() {
    check(
        &format!("P go\n$ t1 cargo test\n& t1 b1\n$ t2 cargo test\n! t2 Exit code 101\\n{FAIL}\nN t1 completed \"x\" completed (exit code 0)"),
        "check     1 cargo-test:workspace @/p Pass: cargo-test ended well.
         check     2 cargo-test:workspace @/p Fail: cargo-test ended with exit code 101 and reports failures: 3 passed, 1 failed.",
    );
}

#[test]
fn what_progress_lines_repeat_counts_once() {
    let progress = json!({"type": "progress", "data": {"type": "agent_progress", "message": {"type": "assistant",
        "message": {"content": [{"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "cargo test"}}]}}}});
    check(
        &format!("P go\n$ t1 cargo test\n? {progress}\n? {progress}\n= t1 {PASS}"),
        "check     1 cargo-test:workspace @/p Pass: cargo-test ended well and reports a pass: 4 passed, 0 failed.",
    );
}

#[test]
fn the_same_check_in_two_folders_is_two_checks() {
    check(
        "P go\n$ t1 cd api && npm test\n= t1 \n@ /p/api\n$ t2 npm test\n! t2 Exit code 1\n@ /p\n$ t3 npm test\n! t3 Exit code 1",
        "check     1 npm-script:test @/p/api Pass: npm-script ended well.
         check     2 npm-script:test @/p/api Fail: npm-script ended with exit code 1.
         check     3 npm-script:test @/p Fail: npm-script ended with exit code 1.",
    );
}

#[test]
fn a_summary_at_the_end_of_a_long_output_is_read() {
    let noise = "test a ... ok\\n".repeat(40_000);
    check(
        &format!("P go\n$ t1 cargo test | cat\n= t1 {noise}{FAIL}"),
        "check     1 cargo-test:workspace @/p Fail: cargo-test reports failures: 3 passed, 1 failed.",
    );
    // What the harness cut off says neither.
    check(
        "P go\n$ t1 cargo test | cat\n= t1 running 9 tests\\n\\n... [9999 characters truncated] ...\\n",
        "check     1 cargo-test:workspace @/p Masked: cargo-test does not show in the output how it ended, and `| cat` hides its exit status.",
    );
}

#[test]
fn changes_stand_between_the_runs() {
    check(
        "P go\n$ t1 cargo test\n= t1 \nE t2 /p/src/a.rs\n= t2 ok\nE t3 /p/b.rs\n! t3 it broke\n$ t4 sed -i s/a/b/ c.rs && git add -A\n= t4 \n\
         $ t5 git commit -m x\n= t5 \n$ t6 cargo fmt\n= t6 \n$ t7 python x.py\n= t7 \n$ t8 make test\n= t8 \n$ t9 rm d; false\n! t9 Exit code 1\nE t10 /p/e.rs",
        "check     1 cargo-test:workspace @/p Pass: cargo-test ended well.
         check     8 make:test @/p Pass: make ended well.
         changed   2 /p/src/a.rs
         changed   3 /p/b.rs?
         changed   4 /p/c.rs
         changed   6 -
         changed   7 -?
         changed   9 /p/d?
         changed   10 /p/e.rs?",
    );
}

#[test]
fn what_could_not_be_read_leaves_a_gap() {
    check(
        "P go\n$ t1 cargo test\n= t1 \n? {\"type\":\"user\",\"message",
        "check     1 cargo-test:workspace @/p Pass: cargo-test ended well.
         gap       1",
    );
    let stream = folded(entries(
        "P go\n$ t1 cargo test\n= t1 \n$ t2 cargo test 'x\n= t2 \n$ t3 ls\n= t3 ",
    ));
    assert!(stream.board.may_lack_after(1) && !stream.board.may_lack_after(3));
}

#[test]
fn a_compaction_takes_nothing_away() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary"});
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"content": "All tests passed."}});
    check(
        &format!("P go\n$ t1 cargo test\n= t1 {PASS}\n? {boundary}\n? {summary}\n$ t2 cargo test\n! t2 Exit code 101\\n{FAIL}"),
        "check     1 cargo-test:workspace @/p Pass: cargo-test ended well and reports a pass: 4 passed, 0 failed.
         check     2 cargo-test:workspace @/p Fail: cargo-test ended with exit code 101 and reports failures: 3 passed, 1 failed.",
    );
}
