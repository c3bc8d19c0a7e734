//! What a tool call and the first reading of a record cost in system calls, instructions and pages: counts that no load
//! on the machine changes. Times are the benchmark's business.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use proofmark_protocol::Harness;
use proofmark_tests::bench::cold::{self, Reading};
use proofmark_tests::bench::record::{CLAUDE_CODE, Record};
use proofmark_tests::need;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::world::World;
use rustix::process::{Pid, Signal};
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

/// Whether callgrind can count here.
const CALLGRIND: [&str; 5] = [
    "valgrind",
    "--tool=callgrind",
    "-q",
    "--callgrind-out-file=/dev/null",
    "true",
];
/// Instructions of the whole hook process, linked statically with glibc, for a tool call that passes; an empty program
/// takes 79,500 of the 107,300 that were counted. Callgrind counts them, whatever else the machine does.
const INSTRUCTIONS: u64 = 118_000;
/// Memory of a server that is its own, in kB, after one short session: it was 1,168, and 1,600 with the bench's session.
const OWN_MEMORY: u64 = 1_800;
/// Pages that the kernel has to lay in for such a process, at their fewest of some runs: it was 36, of which an empty program
/// takes 30.
const FAULTS: i64 = 40;
/// Instructions for each byte of a record that is read for the first time: 9.85 were counted.
const PER_BYTE: f64 = 10.9;
/// Tool calls during which the server is watched.
const WATCHED: usize = 20;
/// What would bring something to a disk, or make, move or remove a file; and how answers leave.
const WRITES: &str = "trace=sendto,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,sync_file_range,fallocate,ftruncate,\
    openat,open,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink,symlinkat";

/// A session in which tool calls pass, and the payload of one.
struct Passing {
    world: World,
    call: Vec<u8>,
}

impl Passing {
    fn new() -> Result<Self> {
        let world = World::new()?;
        let transcript = world.home().join("s.jsonl");
        let row =
            json!({"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "Go on."}});
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
        Ok(Self { world, call })
    }

    /// Makes the call, its hook run by another program (or by none), until it passes within its deadline.
    fn pass(&self, around: &[&OsStr]) -> Result<()> {
        let passed = |done: &Finished| (done.code, done.stdout.as_str()) == (Some(0), "");
        // What watches may itself say something on stderr.
        let quiet = |done: &Finished| !around.is_empty() || done.stderr.is_empty();
        let mut done = self.make(around)?;
        // On a busy machine the deadline may pass first, and the hook then does other things than this is about.
        for _ in 1..TRIES {
            if !passed(&done) {
                done = self.make(around)?;
            }
        }
        ensure!(passed(&done) && quiet(&done), "the call did not pass: {done:?}");
        Ok(())
    }

    fn make(&self, around: &[&OsStr]) -> Result<Finished> {
        // A fault is told once in a session, and the next one would look like an answer.
        let told = self.world.state().join("said");
        if told.exists() {
            fs::remove_dir_all(told)?;
        }
        let hook = self.world.program("proofmark-hook");
        let mut words = around
            .iter()
            .copied()
            .chain([hook.as_os_str(), Harness::ClaudeCode.as_str().as_ref()]);
        let program = words.next().context("nothing to run")?;
        process::run(self.world.command(program.as_ref()).args(words), &self.call, LIMIT)
    }

    /// Whether the hook is the one that people get: one that looks for libraries at its start costs more, and is not optimised.
    fn is_static(&self) -> Result<bool> {
        names_no_interpreter(&fs::read(self.world.program("proofmark-hook"))?)
            .context("the hook is no ELF program of 64 bits")
    }
}

/// True for a program that asks for no dynamic linker, by its program headers; none for what is no 64-bit ELF.
fn names_no_interpreter(elf: &[u8]) -> Option<bool> {
    const INTERPRETER: u64 = 3;
    let number = |at: usize, size: usize| {
        let bytes = elf.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    elf.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (first, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut kinds = (0..count).map(|nth| number(usize::try_from(first + nth * size).ok()?, 4));
    kinds.try_fold(true, |so_far, kind| Some(so_far && kind? != INTERPRETER))
}

#[test]
fn a_program_that_looks_for_libraries_is_told_from_one_that_does_not() {
    // Ours are built with the system's linker by default, and a shell is too.
    for (program, is_static) in [("/bin/sh", Some(false)), ("/etc/passwd", None)] {
        assert_eq!(
            names_no_interpreter(&fs::read(program).unwrap()),
            is_static,
            "{program}"
        );
    }
}

/// Whether a program that watches others may do so here.
fn can(command: &[&str]) -> bool {
    let (program, arguments) = command.split_first().unwrap_or((&"", &[]));
    let done = process::run(Command::new(program).args(arguments), b"", LIMIT);
    done.is_ok_and(|done| done.code == Some(0))
}

fn can_trace() -> Result<bool> {
    let can = can(&["strace", "-o", "/dev/null", "true"]);
    if !can {
        need::missing("strace, and leave to trace with it")?;
    }
    Ok(can)
}

#[test]
fn a_tool_call_that_passes_costs_few_system_calls() -> Result<()> {
    if !can_trace()? {
        return Ok(());
    }
    let passing = Passing::new()?;
    let trace = passing.world.home().join("trace");
    passing.pass(&["strace".as_ref(), "-f".as_ref(), "-o".as_ref(), trace.as_ref()])?;
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
    if passing.is_static()? {
        ensure!(calls.len() <= WHOLE, "{} calls, {WHOLE} at most:\n{text}", calls.len());
    }
    Ok(())
}

#[test]
fn tool_calls_that_pass_write_nothing_in_the_server() -> Result<()> {
    if !can_trace()? {
        return Ok(());
    }
    let passing = Passing::new()?;
    // What the prompt has left to be stored is stored after its answer.
    passing.pass(&[])?;
    let trace = passing.world.home().join("trace");
    let owner = passing.world.owner()?.context("no server runs")?.to_string();
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-y", "-s", "256", "-p", &owner, "-e", WRITES, "-o"])
        .arg(&trace);
    let mut strace = Watching {
        child: strace.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?,
        said: None,
    };
    strace.has_begun()?;
    for _ in 0..WATCHED {
        passing.pass(&[])?;
    }
    strace.end()?;
    let text = fs::read_to_string(&trace)?;
    let answers = text.lines().filter(|line| line.contains("outcome")).count();
    ensure!(
        answers >= WATCHED,
        "{answers} answers were seen, not {WATCHED}:\n{text}"
    );
    let written: Vec<&str> = text.lines().filter(|line| is_write_to_a_file(line)).collect();
    ensure!(
        written.is_empty(),
        "tool calls made the server write:\n{}",
        written.join("\n")
    );
    Ok(())
}

/// A program that watches another one until it is told to end.
struct Watching {
    child: Child,
    /// Kept open: who says something to nobody is ended.
    said: Option<BufReader<ChildStderr>>,
}

impl Watching {
    /// Waits until it says that it watches.
    fn has_begun(&mut self) -> Result<()> {
        let mut line = String::new();
        let stderr = self.child.stderr.take().context("it has no stderr")?;
        self.said.insert(BufReader::new(stderr)).read_line(&mut line)?;
        ensure!(line.contains("attached"), "strace does not watch: {line}");
        Ok(())
    }

    fn end(mut self) -> Result<()> {
        let pid = i32::try_from(self.child.id())?;
        rustix::process::kill_process(Pid::from_raw(pid).context("no process")?, Signal::INT)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // Ended already where all went well.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Whether a line of `strace -y` brings something to a file or changes a folder. Sockets, pipes and the counters by which
/// threads wake each other are none; nor is a file that is only read.
/// What the kernel has laid in of a program's file depends on the page cache; what is the process's own does not.
#[test]
fn a_server_that_has_little_to_do_takes_little_memory_of_its_own() -> Result<()> {
    let passing = Passing::new()?;
    passing.pass(&[])?;
    let owner = passing.world.owner()?.context("no server runs")?;
    let status = fs::read_to_string(format!("/proc/{owner}/status"))?;
    let own = status.lines().find_map(|line| {
        line.strip_prefix("RssAnon:")?
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()
    });
    let own = own.with_context(|| format!("no RssAnon in {status}"))?;
    ensure!((1..=OWN_MEMORY).contains(&own), "{own} kB, at most {OWN_MEMORY}");
    Ok(())
}

fn is_write_to_a_file(line: &str) -> bool {
    let Some(call) = call_of(line) else { return false };
    let arguments = call.split_once('(').map_or("", |(_, arguments)| arguments);
    match name(call) {
        "openat" | "open" => ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]
            .iter()
            .any(|flag| call.contains(flag)),
        "sendto" => false,
        "write" | "writev" => {
            let to = arguments.split_once('<').map_or("", |(_, to)| to);
            !["socket:", "UNIX", "pipe:", "anon_inode:", "/dev/null"]
                .iter()
                .any(|kind| to.starts_with(kind))
        }
        _ => true,
    }
}

#[test]
fn a_tool_call_that_passes_costs_few_instructions() -> Result<()> {
    if !can(&CALLGRIND) {
        return need::missing("valgrind");
    }
    let passing = Passing::new()?;
    let out = passing.world.home().join("counted");
    let counted = instructions(&out, |callgrind| passing.pass(callgrind))?;
    if passing.is_static()? {
        ensure!(
            counted <= INSTRUCTIONS,
            "{counted} instructions, {INSTRUCTIONS} at most"
        );
    }
    Ok(())
}

#[test]
fn a_tool_call_that_passes_lays_in_few_pages() -> Result<()> {
    let passing = Passing::new()?;
    let mut fewest = i64::MAX;
    for _ in 0..WATCHED {
        let before = faults()?;
        passing.pass(&[])?;
        fewest = fewest.min(faults()? - before);
    }
    if passing.is_static()? {
        ensure!(fewest <= FAULTS, "{fewest} page faults, {FAULTS} at most");
    }
    Ok(())
}

/// Page faults of the processes that this one has started and reaped.
fn faults() -> Result<i64> {
    Ok(getrusage(UsageWho::RUSAGE_CHILDREN)?.minor_page_faults())
}

#[test]
fn the_first_reading_of_a_record_costs_few_instructions_a_byte() -> Result<()> {
    if !can(&CALLGRIND) {
        return need::missing("valgrind");
    }
    let folder = tempfile::tempdir()?;
    let (mut counts, mut lengths, mut optimised) = (Vec::new(), Vec::new(), true);
    // The difference between two of them is without what a process costs.
    for (number, size) in [(1, 1_000_000), (2, 4_000_000)] {
        let record = Record::create(&CLAUDE_CODE, folder.path(), number, size)?;
        let out = folder.path().join("counted");
        counts.push(instructions(&out, |callgrind| {
            let (program, arguments) = callgrind.split_first().context("nothing to run")?;
            let mut command = Command::new(program);
            command
                .args(arguments)
                .arg(cold::program()?)
                .arg("claude-code")
                .arg(&record.path);
            let reading: Reading = serde_json::from_str(&process::run(&mut command, b"", LIMIT)?.success()?.stdout)?;
            optimised = reading.optimised;
            lengths.push(reading.bytes);
            Ok(())
        })?);
    }
    let per_byte = (counts[1] - counts[0]) as f64 / (lengths[1] - lengths[0]) as f64;
    if optimised {
        ensure!(
            per_byte <= PER_BYTE,
            "{per_byte:.2} instructions a byte, {PER_BYTE} at most"
        );
    }
    Ok(())
}

/// What a program takes in instructions that is run with these words before it.
fn instructions(out: &Path, run: impl FnOnce(&[&OsStr]) -> Result<()>) -> Result<u64> {
    let mut file = OsString::from("--callgrind-out-file=");
    file.push(out);
    run(&["valgrind".as_ref(), "--tool=callgrind".as_ref(), "-q".as_ref(), &file])?;
    let text = fs::read_to_string(out)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total
        .with_context(|| format!("callgrind tells no total:\n{text}"))?
        .trim()
        .parse()
        .context("no number")
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

#[test]
fn writes_to_files_are_told_from_others() {
    for (line, is_one) in [
        ("17 write(9<socket:[123]>, \"{}\", 2) = 2", false),
        ("17 write(4<anon_inode:[eventfd]>, \"\\1\", 8) = 8", false),
        ("17 write(9</p/ledger.sqlite-wal>, \"\", 24) = 24", true),
        ("17 pwrite64(9</p/ledger.sqlite-wal>, \"\", 24, 0) = 24", true),
        ("17 fdatasync(9</p/ledger.sqlite-wal>) = 0", true),
        (
            "17 openat(AT_FDCWD</p>, \"s.toml\", O_RDONLY|O_CLOEXEC) = 3</p/s.toml>",
            false,
        ),
        (
            "17 openat(AT_FDCWD</p>, \"s.md\", O_WRONLY|O_CREAT, 0600) = 3</p/s.md>",
            true,
        ),
        ("17 sendto(9<UNIX:[123]>, \"{}\", 2, MSG_NOSIGNAL, NULL, 0) = 2", false),
        ("17 rename(\"a\", \"b\") = 0", true),
        ("17 <... write resumed>) = 8", false),
    ] {
        assert_eq!(is_write_to_a_file(line), is_one, "{line}");
    }
}
