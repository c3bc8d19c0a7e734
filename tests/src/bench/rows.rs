//! What is timed: programs that do nothing, and the hook with events of sessions that were made ready for them.
//! Figures stay out.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::figures::Timed;
use super::record::{Record, Turn};
use crate::need;
use crate::scenario::fixtures;
use crate::world::{PATH, World};

/// An event takes at most so many times the empty program.
const BOUND: f64 = 2.0;
const MEGABYTE: u64 = 1_000_000;
/// How often a row may be run before it is timed until it answers as it should: a long record is not read at once.
const TRIES: usize = 100;
/// How often each row is run before it is timed.
const WARM_UP: usize = 3;
/// A correction that begins a scope lock where the agent has changed something.
const CORRECTS: &str = "that's not what I asked, the parser only";

/// The answer that a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The event passes without a word.
    Silence,
    /// The tool call is denied.
    Denial,
}

/// What a row runs.
enum Runs {
    /// A program, with an empty stdin.
    Plain(PathBuf, &'static [&'static str]),
    /// The hook.
    Hook(Event),
}

/// An event that comes again and again.
struct Event {
    harness: Harness,
    payload: Value,
    /// The record that has grown by a turn each time before the event comes.
    grows: Option<Record>,
    wanted: Wanted,
}

/// Something to time.
struct Row {
    name: String,
    bound: Option<f64>,
    runs: Runs,
}

/// Times each row once in each of `rounds` rounds, after some runs that are not timed. The longest record has `large`
/// megabytes.
///
/// # Errors
/// The sessions cannot be made ready; a row does not come to answer as it should; more than one answer in twenty is
/// another one.
pub fn time(world: &World, empty: &Path, rounds: usize, large: u64) -> Result<Vec<Timed>> {
    let mut rows = rows(world, empty, large)?;
    let mut timed: Vec<Timed> = rows
        .iter()
        .map(|row| Timed {
            name: row.name.clone(),
            bound: row.bound,
            times: Vec::new(),
            other_answers: 0,
        })
        .collect();
    let mut count = 0;
    let mut next = || {
        count += 1;
        count
    };
    for row in &mut rows {
        let mut tries = 0;
        while !row.run(world, next()).with_context(|| row.name.clone())?.1 {
            tries += 1;
            ensure!(tries < TRIES, "{} never answers as it should", row.name);
        }
        for _ in 0..WARM_UP {
            row.run(world, next())?;
        }
    }
    for round in 0..rounds {
        for place in order(round, rows.len()) {
            let (time, is_wanted) = rows[place].run(world, next())?;
            timed[place].times.push(time);
            timed[place].other_answers += usize::from(!is_wanted);
        }
    }
    for row in &timed {
        ensure!(
            row.other_answers * 20 <= rounds,
            "{}: {} of {rounds} answers were other ones than the row is about",
            row.name,
            row.other_answers
        );
    }
    Ok(timed)
}

/// The order of a round's rows. From round to round a row comes behind other ones, since a large program leaves cold
/// caches to the next one.
fn order(round: usize, rows: usize) -> impl Iterator<Item = usize> {
    let mut steps = (1..=rows).filter(|step| common_divisor(*step, rows) == 1);
    let count = steps.clone().count();
    let step = steps.nth(round % count.max(1)).unwrap_or(1);
    (0..rows).map(move |place| (round + place * step) % rows)
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl Row {
    /// Runs it once: how long it took from before its start until it was reaped, and whether it did what it should.
    fn run(&mut self, world: &World, number: u64) -> Result<(Duration, bool)> {
        match &mut self.runs {
            Runs::Plain(program, arguments) => {
                let mut command = world.command(program);
                command.args(*arguments).stdin(File::open("/dev/null")?);
                let (time, output) = timed(&mut command)?;
                Ok((time, output.status.success()))
            }
            Runs::Hook(event) => event.deliver(world, number),
        }
    }
}

impl Event {
    fn deliver(&mut self, world: &World, number: u64) -> Result<(Duration, bool)> {
        if let Some(record) = &mut self.grows {
            let Turn { prompt_id, reply } = record.grow()?;
            self.payload["prompt_id"] = json!(prompt_id);
            if self.payload["last_assistant_message"].is_string() {
                self.payload["last_assistant_message"] = json!(reply);
            }
        }
        if self.payload["prompt"].is_string() {
            // The same prompt twice would be one event.
            self.payload["prompt_id"] = json!(format!("{number:08x}-0000-4000-8000-000000000000"));
            self.payload["prompt"] = json!(format!("Go on with number {number}."));
        }
        // A fault is told once in a session, and the next one would look like an event that was passed in silence.
        let told = world.state().join("said");
        if told.exists() {
            fs::remove_dir_all(told)?;
        }
        let path = world.home().join("payload.json");
        fs::write(&path, self.payload.to_string())?;
        let mut hook = world.command(&world.program("proofmark-hook"));
        hook.arg(self.harness.as_str()).stdin(File::open(&path)?);
        let (time, output) = timed(&mut hook)?;
        Ok((time, self.wanted.is(&output)))
    }
}

impl Wanted {
    fn is(self, output: &Output) -> bool {
        if !output.status.success() || !output.stderr.is_empty() {
            return false;
        }
        let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        match self {
            Self::Silence => output.stdout.is_empty(),
            Self::Denial => {
                answer.is_some_and(|answer| answer["hookSpecificOutput"]["permissionDecision"] == json!("deny"))
            }
        }
    }
}

/// Both outputs are read to their end through pipes, as harnesses do.
fn timed(command: &mut Command) -> Result<(Duration, Output)> {
    let started = Instant::now();
    let output = command.output();
    let time = started.elapsed();
    Ok((time, output.with_context(|| format!("cannot start {command:?}"))?))
}

fn rows(world: &World, empty: &Path, large: u64) -> Result<Vec<Row>> {
    world.proofmark(&["serve", "--detach"])?.success()?;
    let folder = world.home().join("records");
    fs::create_dir(&folder)?;
    let record = |number, size| Record::create(&folder, number, size);

    let mut rows = vec![plain("an empty static program", empty.to_owned(), &[])];
    for (name, program, arguments) in [
        ("true", "true", &[][..]),
        ("python3 -c pass", "python3", &["-c", "pass"][..]),
    ] {
        match find(program) {
            Some(path) => rows.push(plain(name, path, arguments)),
            None => need::missing(program)?,
        }
    }
    let mut event = |name: &str, harness, payload, grows, wanted| {
        let event = Event {
            harness,
            payload,
            grows,
            wanted,
        };
        rows.push(Row {
            name: name.to_owned(),
            bound: Some(BOUND),
            runs: Runs::Hook(event),
        });
    };
    let claude = Harness::ClaudeCode;
    let free = record(1, MEGABYTE)?;
    deliver(world, claude, &about("UserPromptSubmit-headless", &free, world)?)?;
    let call = about("PreToolUse-write", &free, world)?;
    event("PreToolUse, no lock", claude, call, None, Wanted::Silence);

    let held = record(2, MEGABYTE)?;
    let mut correction = about("UserPromptSubmit-headless", &held, world)?;
    correction["prompt"] = json!(CORRECTS);
    let told = deliver(world, claude, &correction)?;
    ensure!(told.contains("SCOPE CONTRACT"), "the correction began no lock: {told}");
    let writes = about("PreToolUse-write", &held, world)?;
    event("PreToolUse, a lock, denied", claude, writes, None, Wanted::Denial);
    let reads = about("PreToolUse-read", &held, world)?;
    event(
        "PreToolUse, a lock, looks and passes",
        claude,
        reads,
        None,
        Wanted::Silence,
    );

    let (codex, call) = codex_call(world, &folder)?;
    event("Codex PreToolUse, no lock", codex, call, None, Wanted::Silence);

    let talk = record(3, MEGABYTE)?;
    let prompt = about("UserPromptSubmit-headless", &talk, world)?;
    event("UserPromptSubmit", claude, prompt, Some(talk), Wanted::Silence);
    for (number, megabytes) in [(4, 1), (5, large)] {
        let record = record(number, megabytes * MEGABYTE)?;
        let name = format!("Stop, a record of {megabytes} MB, warm");
        let stop = about("Stop-plain", &record, world)?;
        event(&name, claude, stop, Some(record), Wanted::Silence);
    }
    Ok(rows)
}

fn plain(name: &str, program: PathBuf, arguments: &'static [&'static str]) -> Row {
    Row {
        name: name.to_owned(),
        bound: None,
        runs: Runs::Plain(program, arguments),
    }
}

/// A captured payload of Claude Code, as one of this record's session in this world.
fn about(name: &str, record: &Record, world: &World) -> Result<Value> {
    let mut payload = captured("claude-code/2.1.332", name)?;
    payload["session_id"] = json!(record.session);
    payload["transcript_path"] = json!(record.path);
    payload["cwd"] = json!(world.project());
    Ok(payload)
}

/// A call of Codex in a session that the server has loaded.
fn codex_call(world: &World, folder: &Path) -> Result<(Harness, Value)> {
    let mut call = captured("codex/0.171.0", "PreToolUse-shell-ok")?;
    let record = folder.join("rollout-1.jsonl");
    fs::copy(fixtures().join("codex/0.171.0/rollout-shell-ok.jsonl"), &record)?;
    call["transcript_path"] = json!(record);
    call["cwd"] = json!(world.project());
    let mut prompt = call.clone();
    prompt["hook_event_name"] = json!("UserPromptSubmit");
    prompt["prompt"] = json!("Go on.");
    deliver(world, Harness::Codex, &prompt)?;
    Ok((Harness::Codex, call))
}

fn captured(folder: &str, name: &str) -> Result<Value> {
    let path = fixtures()
        .join("payloads")
        .join(folder)
        .join(name)
        .with_extension("json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))
}

/// What the hook prints of an event that has to pass.
fn deliver(world: &World, harness: Harness, payload: &Value) -> Result<String> {
    let done = world.hook(harness, payload.to_string().as_bytes())?;
    if done.code != Some(0) || !done.stderr.is_empty() {
        bail!("an event that makes a session ready did not pass: {done:?}");
    }
    Ok(done.stdout)
}

/// Where a program is that the system itself brings; a person's own shim before it would be timed, too.
fn find(program: &str) -> Option<PathBuf> {
    PATH.split(':')
        .map(|folder| Path::new(folder).join(program))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn an_answer_is_told_from_another() {
        let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        let late = r#"{"systemMessage":"its server did not answer within 130 ms"}"#;
        for (code, stdout, stderr, silence, denial) in [
            (0, "", "", true, false),
            (0, deny, "", false, true),
            (0, late, "", false, false),
            (0, "{", "", false, false),
            (2, "", "", false, false),
            (2, deny, "", false, false),
            (0, "", "trouble", false, false),
        ] {
            let output = Output {
                status: ExitStatus::from_raw(code << 8),
                stdout: stdout.into(),
                stderr: stderr.into(),
            };
            let is = (Wanted::Silence.is(&output), Wanted::Denial.is(&output));
            assert_eq!(is, (silence, denial), "{code} {stdout} {stderr}");
        }
    }

    #[test]
    fn each_round_has_every_row_once_and_rows_change_their_neighbours() {
        for rows in 1..=12 {
            let mut before_the_first = std::collections::BTreeSet::new();
            for round in 0..20 {
                let order: Vec<usize> = order(round, rows).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..rows).collect::<Vec<_>>());
                let at = order.iter().position(|row| *row == 0).unwrap();
                before_the_first.extend(at.checked_sub(1).map(|at| order[at]));
            }
            assert!(rows < 5 || before_the_first.len() > 1, "{rows}: {before_the_first:?}");
        }
    }

    #[test]
    fn what_is_timed_is_the_whole_run() {
        let (time, output) = timed(Command::new("sh").args(["-c", "sleep 0.05; echo done"])).unwrap();
        assert!(time >= Duration::from_millis(50) && output.stdout == b"done\n");
        assert!(timed(&mut Command::new("/no/such/program")).is_err());
    }
}
