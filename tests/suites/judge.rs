//! The judge around real programs: late answers, runners that hang, what is left behind, what it costs when it is off.
//! What a reply comes to by an answer is told as cases.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use proofmark_protocol::Harness;
use proofmark_tests::case::Wanted;
use proofmark_tests::fake_judge::{self, FakeJudge};
use proofmark_tests::process::{self, Finished};
use proofmark_tests::transcript::Transcript;
use proofmark_tests::world::World;
use serde_json::{Value, json};

/// Bytes by which two stops differ that do the same: threads wake each other by writes of eight bytes.
const WAKE_UPS: u64 = 64;
/// Nothing here takes so long.
const LIMIT: Duration = Duration::from_secs(30);
const GATE: &str = "The velvet gate is half open.";

/// One session whose replies are judged.
struct Session {
    world: World,
    path: PathBuf,
    record: Transcript,
    rows: u64,
}

impl Session {
    fn new(judge: &FakeJudge, wait: u64) -> Result<Self> {
        let world = World::new()?;
        let path = world.home().join("s1.jsonl");
        let mut session = Self {
            world,
            path,
            record: Transcript::default(),
            rows: 0,
        };
        session.set(judge, wait)?;
        session.says(&json!({"user": "can we merge this?"}))?;
        Ok(session)
    }

    fn set(&self, judge: &FakeJudge, wait: u64) -> Result<()> {
        let runner = fake_judge::place(&self.world, judge)?;
        let wanted = Wanted {
            wait: Some(wait),
            ..Wanted::default()
        };
        fs::write(self.config(), fake_judge::settings(&wanted, &runner))?;
        Ok(())
    }

    fn config(&self) -> PathBuf {
        self.world.home().join("config.toml")
    }

    fn says(&mut self, event: &Value) -> Result<()> {
        self.record.append(std::slice::from_ref(event), "s1", &mut self.rows)?;
        fs::write(&self.path, self.record.text(""))?;
        Ok(())
    }

    fn hook(&self, event: &str, more: &Value) -> Result<Finished> {
        let mut payload = json!({"hook_event_name": event, "session_id": "s1", "cwd": self.world.project(),
            "transcript_path": self.path});
        if let (Some(payload), Some(more)) = (payload.as_object_mut(), more.as_object()) {
            payload.extend(more.clone());
        }
        let mut hook = self.world.command(&self.world.program("proofmark-hook"));
        hook.arg(Harness::ClaudeCode.as_str())
            .env("PROOFMARK_CONFIG", self.config());
        process::run(&mut hook, payload.to_string().as_bytes(), LIMIT)
    }

    fn stop(&self, reply: &str) -> Result<Finished> {
        self.hook(
            "Stop",
            &json!({"last_assistant_message": reply, "stop_hook_active": false}),
        )
    }

    /// The findings that the session's ledger keeps.
    fn kept(&self) -> Result<usize> {
        let told = self.world.told(&["findings", "--json"])?;
        Ok(told.as_array().context("no list of findings")?.len())
    }

    fn runners(&self) -> usize {
        let script = self.world.home().join("judge/runner");
        let script = script.to_string_lossy().into_owned();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let command = |path: PathBuf| fs::read(path.join("cmdline")).unwrap_or_default();
        processes
            .filter(|process| String::from_utf8_lossy(&command(process.path())).contains(&script))
            .count()
    }
}

fn hit(delay: f64) -> FakeJudge {
    FakeJudge {
        answer: Some(json!({"match": true, "category": "plain-words-made-up-labels", "closest": "velvet gate"})),
        delay,
        ..FakeJudge::default()
    }
}

/// Prompts a judge whose answer is late: it is told with the next prompt, once.
#[test]
fn a_late_answer_is_told_with_the_next_prompt() -> Result<()> {
    let session = Session::new(&hit(2.6), 2)?;
    let passed = session.stop(GATE)?;
    assert_eq!(passed.code, Some(0));
    assert!(passed.stdout.contains("no answer came within 2 s"), "{passed:?}");
    process::until(LIMIT, || (session.kept().ok()? == 1).then_some(())).context("the answer never came")?;
    let told = session.hook("UserPromptSubmit", &json!({"prompt": "go on"}))?;
    let answer: Value = serde_json::from_str(&told.stdout).with_context(|| format!("{told:?}"))?;
    for place in [
        &answer["systemMessage"],
        &answer["hookSpecificOutput"]["additionalContext"],
    ] {
        assert!(
            place.as_str().is_some_and(|text| text.contains("velvet gate")),
            "{answer}"
        );
    }
    let again = session.hook("UserPromptSubmit", &json!({"prompt": "and on"}))?;
    assert!(!again.stdout.contains("velvet gate"), "{again:?}");
    Ok(())
}

/// An answer about a reply that is no longer the last one is about a reply long gone.
#[test]
fn an_answer_after_the_next_prompt_is_dropped_and_its_runner_ended() -> Result<()> {
    let session = Session::new(&hit(25.0), 1)?;
    assert_eq!(session.stop(GATE)?.code, Some(0));
    assert!(session.runners() > 0, "it still works");
    session.hook("UserPromptSubmit", &json!({"prompt": "go on"}))?;
    process::until(LIMIT, || (session.runners() == 0).then_some(())).context("the runner goes on")?;
    assert_eq!(session.kept()?, 0);
    Ok(())
}

#[test]
fn a_server_that_is_stopped_takes_its_runner_along() -> Result<()> {
    let session = Session::new(&hit(25.0), 1)?;
    assert_eq!(session.stop(GATE)?.code, Some(0));
    assert!(session.runners() > 0, "it still works");
    session.world.proofmark(&["stop"])?.success()?;
    process::until(LIMIT, || (session.runners() == 0).then_some(())).context("the runner goes on")?;
    Ok(())
}

#[test]
fn a_runner_that_hangs_holds_a_turn_for_the_wait_and_is_set_aside() -> Result<()> {
    let session = Session::new(&hit(600.0), 1)?;
    let begun = Instant::now();
    assert_eq!(session.stop(GATE)?.code, Some(0));
    let first = begun.elapsed();
    assert!(
        first >= Duration::from_secs(1) && first < Duration::from_secs(4),
        "{first:?}"
    );
    process::until(LIMIT, || (session.runners() == 0).then_some(())).context("the runner goes on")?;
    let status = session.world.told(&["status", "--json"])?;
    let notes = status["notes"].to_string();
    assert!(
        notes.contains("fake is set aside") && notes.contains("did not answer within"),
        "{status}"
    );
    let begun = Instant::now();
    assert_eq!(session.stop("The velvet gate, again.")?.code, Some(0));
    assert!(
        begun.elapsed() < first,
        "{:?} is not less than {first:?}",
        begun.elapsed()
    );
    Ok(())
}

#[test]
fn a_hundred_questions_leave_no_process_and_no_folder() -> Result<()> {
    let session = Session::new(&hit(0.0), 20)?;
    let left = || {
        let folders = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
        let pid = session.world.owner().ok().flatten().unwrap_or_default();
        let beginning = format!("proofmark-judge-{pid}-");
        folders
            .filter(|folder| folder.file_name().to_string_lossy().starts_with(&beginning))
            .count()
    };
    for number in 0..100 {
        // Each reply is another one, of another session's turn: none is remembered, none is spent.
        let payload = json!({"session_id": format!("s{number}")});
        let mut more =
            json!({"last_assistant_message": format!("The velvet gate {number} is open."), "stop_hook_active": false});
        more["session_id"] = payload["session_id"].clone();
        let done = session.hook("Stop", &more)?;
        assert_eq!(done.code, Some(2), "{number}: {done:?}");
    }
    assert_eq!(fake_judge::questions(&session.world)?.len(), 100);
    process::until(LIMIT, || (session.runners() == 0 && left() == 0).then_some(())).context("something is left")?;
    Ok(())
}

/// Waits until a process has nothing more to do: all of its threads sleep, and none has run between two looks.
fn at_rest(process: i32) -> Result<()> {
    let mut last = None;
    let rest = || {
        let now = asleep(process);
        let same = now.is_some() && now == last;
        last = now;
        same.then_some(())
    };
    process::until(LIMIT, rest).context("the server does not come to rest")
}

/// How often each thread of a process has stopped running so far; none while one of them runs, or waits for a disk.
fn asleep(process: i32) -> Option<Vec<String>> {
    let mut threads = Vec::new();
    for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let status = fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
        status.lines().find(|line| line.starts_with("State:\tS"))?;
        threads.extend(
            status
                .lines()
                .filter(|line| line.starts_with("Pid:") || line.contains("ctxt_switches:"))
                .map(str::to_owned),
        );
    }
    Some(threads)
}

/// With the judge off no thread is started and nothing is read or written for it at a stop.
#[test]
fn the_judge_costs_nothing_when_it_is_off() -> Result<()> {
    let session = Session::new(&hit(0.0), 20)?;
    let runner = "[[judge.runner]]\nname = \"fake\"\ncommand = [\"/bin/true\"]\n";
    let off = format!("[judge]\nenabled = false\n{runner}");
    // As long as the other, since the file itself is read at each event.
    let without = format!("#{}", " ".repeat(off.len() - 1));
    let pid = || session.world.owner()?.context("no server");
    let threads = || -> Result<usize> { Ok(fs::read_dir(format!("/proc/{}/task", pid()?))?.count()) };
    let io = || -> Result<u64> {
        let text = fs::read_to_string(format!("/proc/{}/io", pid()?))?;
        let count = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
        };
        Ok(count("rchar:").unwrap_or_default() + count("wchar:").unwrap_or_default())
    };
    fs::write(session.config(), &without)?;
    // The first stop loads the session.
    session.stop("Loaded.")?;
    let before_all = threads()?;
    // In turn, on one server and one ledger: what else a stop costs there falls to both alike.
    let mut costs = [Vec::new(), Vec::new()];
    for number in 10..42 {
        let which = number % 2;
        fs::write(session.config(), [&without, &off][which])?;
        // What the last stop left to do off the path is done.
        at_rest(pid()?)?;
        let before = io()?;
        session.stop(&format!("The velvet gate {number}."))?;
        at_rest(pid()?)?;
        costs[which].push(io()? - before);
    }
    // The middle ones: a count of events may reach the ledger with this stop or the next, as the machine will have it.
    let [without, off] = costs.map(|mut costs| {
        costs.sort_unstable();
        costs[costs.len() / 2]
    });
    assert!(fake_judge::questions(&session.world)?.is_empty());
    assert!(
        off <= without + WAKE_UPS,
        "a stop reads and writes {off} bytes with the judge off, {without} without one"
    );
    assert!(
        threads()? <= before_all + 1,
        "threads: {before_all} before, {} now",
        threads()?
    );
    Ok(())
}

#[test]
fn a_reply_is_judged_on_the_command_line_with_and_without_a_server() -> Result<()> {
    let session = Session::new(&hit(0.0), 20)?;
    let judge = |arguments: &[&str], input: &str| -> Result<Finished> {
        let mut command = session.world.command(&session.world.program("proofmark"));
        command
            .arg("judge")
            .args(arguments)
            .env("PROOFMARK_CONFIG", session.config());
        process::run(&mut command, input.as_bytes(), LIMIT)
    };
    for served in [false, true] {
        if served {
            session.stop("Loaded.")?;
        }
        let hit = judge(&["-", "--json"], GATE)?;
        assert_eq!(hit.code, Some(1), "{hit:?}");
        let told: Value = serde_json::from_str(&hit.stdout)?;
        assert_eq!(
            (&told["verdict"], &told["quote"], &told["runner"]),
            (&json!("hit"), &json!("velvet gate"), &json!("fake")),
            "served: {served}"
        );
        let dropped = judge(&["Nothing of the kind."], "")?;
        assert_eq!(dropped.code, Some(2), "{dropped:?}");
        assert!(dropped.stdout.contains("quote is not in the reply"), "{dropped:?}");
        assert_eq!(judge(&["", "--json"], "")?.code, Some(2));
    }
    let said = judge(
        &[
            "This we can merge: the velvet gate.",
            "--session",
            "s1",
            "--list",
            "no-such-list",
        ],
        "",
    )?;
    assert!(said.stdout.contains("there is no list no-such-list"), "{said:?}");
    fs::write(session.config(), "")?;
    let off = judge(&[GATE], "")?;
    assert!(
        off.code == Some(2) && off.stdout.contains("the judge is off"),
        "{off:?}"
    );
    Ok(())
}

#[test]
fn lists_are_checked_on_the_command_line() -> Result<()> {
    let world = World::new()?;
    let file = world.home().join("own.toml");
    let check = |arguments: &[&str]| world.proofmark(&[&["lists", "check"], arguments].concat());
    let all = check(&[])?;
    assert_eq!(
        (all.code, all.stdout.matches("plain-words-").count()),
        (Some(0), 7),
        "{all:?}"
    );
    let path = file.to_string_lossy().into_owned();
    fs::write(&file, "name = 'own'\nmeaning = 'm'\nmatch = ['All 42 tests pass.']\n")?;
    let told = check(&[&path])?;
    assert!(
        told.code == Some(0) && told.stdout.contains("not under plain-words-status-words"),
        "{told:?}"
    );
    fs::write(&file, "name = 'own'\nmatch = ['a']\n")?;
    let broken = check(&[&path])?;
    assert!(
        broken.code == Some(1) && broken.stderr.contains("no word list"),
        "{broken:?}"
    );
    Ok(())
}
