//! What a tool call costs the hook in system calls: a count that no load on the machine changes.
//! Times are the benchmark's business.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proofmark_protocol::Harness;
use proofmark_tests::need;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::world::World;
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);
/// How often the call is made until it passes within its deadline.
const TRIES: usize = 5;
/// From the first look at the payload to the end: read it, see whether the socket can be trusted, ask, and go. It takes 15;
/// an answer that comes in two pieces takes two more.
const OWN: usize = 17;
/// The whole process, where it is linked statically: 46 with glibc, of which an empty program takes 33.
const WHOLE: usize = 48;
/// All that the hook may do with a call that passes: nothing is written to a disk, nothing is started.
const NAMES: [&str; 13] = [
    "brk",
    "close",
    "connect",
    "exit_group",
    "mmap",
    "munmap",
    "read",
    "recvfrom",
    "sendto",
    "setsockopt",
    "sigaltstack",
    "socket",
    "statx",
];

#[test]
fn a_tool_call_that_passes_costs_few_system_calls() -> Result<()> {
    let traced = process::run(Command::new("strace").args(["-o", "/dev/null", "true"]), b"", LIMIT);
    if !traced.is_ok_and(|done| done.code == Some(0)) {
        return need::missing("strace, and leave to trace with it");
    }
    let world = World::new()?;
    let (transcript, trace) = (world.home().join("s.jsonl"), world.home().join("trace"));
    let row = json!({"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "Go on."}});
    fs::write(&transcript, format!("{row}\n"))?;
    let payload = |event: &str, own: Value| {
        let mut payload = json!({"hook_event_name": event, "session_id": "s", "transcript_path": transcript,
            "cwd": world.project(), "prompt_id": "p1"});
        if let (Some(payload), Value::Object(own)) = (payload.as_object_mut(), own) {
            payload.extend(own);
        }
        payload.to_string().into_bytes()
    };
    let prompt = payload("UserPromptSubmit", json!({"prompt": "Go on."}));
    world.hook(Harness::ClaudeCode, &prompt)?.success()?;
    let call = json!({"tool_name": "Write", "tool_input": {"file_path": "a", "content": "b"}, "tool_use_id": "t1"});
    let call = payload("PreToolUse", call);
    let traced = || {
        // A fault is told once in a session, and the next one would look like an answer.
        let told = world.state().join("said");
        if told.exists() {
            fs::remove_dir_all(told)?;
        }
        let mut strace = world.command("strace".as_ref());
        strace
            .arg("-f")
            .arg("-o")
            .arg(&trace)
            .arg(world.program("proofmark-hook"));
        process::run(strace.arg(Harness::ClaudeCode.as_str()), &call, LIMIT)
    };
    let passed = |done: &Finished| (done.code, done.stdout.as_str(), done.stderr.as_str()) == (Some(0), "", "");
    let mut done = traced()?;
    // On a busy machine the deadline may pass first, and the hook then does other things than this is about.
    for _ in 1..TRIES {
        if !passed(&done) {
            done = traced()?;
        }
    }
    ensure!(passed(&done), "the call did not pass: {done:?}");

    let text = fs::read_to_string(&trace)?;
    let calls: Vec<&str> = text.lines().filter_map(call_of).collect();
    let first = calls.iter().position(|call| call.starts_with("read(0,"));
    let own = &calls[first.with_context(|| format!("the hook never read its payload:\n{text}"))?..];
    let strange: BTreeSet<&str> = own
        .iter()
        .map(|call| name(call))
        .filter(|name| !NAMES.contains(name))
        .collect();
    ensure!(
        strange.is_empty(),
        "the hook should have no use for {strange:?}:\n{text}"
    );
    ensure!(own.len() <= OWN, "{} calls, {OWN} at most:\n{text}", own.len());
    // A program that looks for libraries at its start is not the one that people get.
    if !text.contains("ld.so") {
        ensure!(calls.len() <= WHOLE, "{} calls, {WHOLE} at most:\n{text}", calls.len());
    }
    Ok(())
}

/// The call that a line of `strace -f` begins; none in lines about signals and ends, and in the second half of one that
/// another process broke into.
fn call_of(line: &str) -> Option<&str> {
    let call = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    call.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        .then_some(call)
}

fn name(call: &str) -> &str {
    call.split_once('(').map_or(call, |(name, _)| name)
}

#[test]
fn calls_are_told_from_what_else_a_trace_holds() {
    for (line, call) in [
        ("17 read(0, \"{}\", 32) = 2", Some("read")),
        ("17 exit_group(0)             = ?", Some("exit_group")),
        ("read(0, \"\", 32) = 0", Some("read")),
        ("17 wait4(-1,  <unfinished ...>", Some("wait4")),
        ("17 <... wait4 resumed>) = 18", None),
        ("17 +++ exited with 0 +++", None),
        ("17 --- SIGCHLD {si_signo=SIGCHLD} ---", None),
    ] {
        assert_eq!(call_of(line).map(name), call, "{line}");
    }
}
