//! What events leave behind in a session: runs on the board, each once, and the same again in a process that comes later.
//! What is answered is tested on the built programs.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::evidence::verdict::Verdict;

/// A conversation whose server may be replaced by another one.
struct World {
    folder: tempfile::TempDir,
    engine: Arc<Engine>,
    generation: u32,
    calls: u32,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(Engine::open(folder.path()).unwrap());
        Self {
            folder,
            engine,
            generation: 0,
            calls: 0,
        }
    }

    fn transcript(&self) -> PathBuf {
        self.folder.path().join("c1.jsonl")
    }

    fn row(&self, row: &Value) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.transcript())
            .unwrap();
        file.write_all(format!("{row}\n").as_bytes()).unwrap();
    }

    fn at(&self, own: Value) -> Value {
        let mut params = json!({
            "harness": "cursor", "session": "c1", "turn": format!("g{}", self.generation),
            "transcript": self.transcript(), "cwd": "/w",
        });
        params.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        params
    }

    async fn asks(&mut self, text: &str) {
        self.generation += 1;
        let params = self.at(json!({"prompt": text}));
        self.engine.on_prompt(serde_json::from_value(params).unwrap()).await;
    }

    /// An event of a call; from text, as a raw input can be had of nothing else.
    fn ended(&self, call: Value, ended: &str, output: Value) {
        let params =
            self.at(json!({"call": call, "ended": ended, "output": output, "duration": f64::from(self.calls)}));
        self.engine
            .on_post_tool_use(&serde_json::from_str(&params.to_string()).unwrap());
    }

    /// A run of a command, told by both of its events.
    fn runs(&mut self, command: &str, exit: i32, output: &str) {
        self.calls += 1;
        let input = json!({"command": command});
        self.ended(json!({"tool": "Shell", "input": input}), "ran", json!(output));
        let told = json!({"id": format!("t{}", self.calls), "tool": "Shell", "input": input});
        let shown = json!({"output": output, "exitCode": exit}).to_string();
        self.ended(told, "succeeded", json!(shown));
    }

    async fn stops(&mut self, reply: &str) {
        self.row(&json!({"role": "assistant", "message": {"content": reply}}));
        let params = self.at(json!({"reply": reply}));
        self.engine.on_reply(&serde_json::from_value(params).unwrap());
        let params = self.at(json!({"rewrite": false}));
        self.engine
            .on_stop(
                method::ON_STOP,
                serde_json::from_value(params).unwrap(),
                Box::new(|_| ()),
            )
            .await;
        // Each message begins another one, whoever sent it.
        self.generation += 1;
    }

    /// The main agent's stream, without what no fold stores.
    fn stream(&self) -> Stream {
        let slot = self.engine.slot(&SessionKey {
            harness: proofmark_protocol::Harness::Cursor,
            session: "c1".to_owned(),
        });
        let live = slot.live.lock().unwrap();
        let stored = serde_json::to_string(live.stream(None).unwrap()).unwrap();
        serde_json::from_str(&stored).unwrap()
    }

    /// Another server, which knows only what is on the disk.
    fn restarts(&mut self) {
        self.engine = Arc::new(Engine::open(self.folder.path()).unwrap());
    }
}

const PASSED: &str = "test result: ok. 3 passed; 0 failed; 0 ignored\n";
const FAILED: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored\n";

#[tokio::test]
async fn a_run_that_two_events_tell_and_the_transcript_is_one_run_on_the_board() {
    let mut world = World::new();
    world.asks("Is it ready?").await;
    world.runs("cargo test", 0, PASSED);
    world.ended(
        json!({"tool": "Write", "input": {"file_path": "/w/a.rs"}}),
        "succeeded",
        Value::Null,
    );
    world.runs("cargo test", 101, FAILED);
    world.row(&json!({"role": "user", "message": {"content": "<user_query>\nIs it ready?\n</user_query>"}}));
    for block in [
        json!({"name": "Shell", "input": {"command": "cargo test"}}),
        json!({"name": "StrReplace", "input": {"path": "/w/a.rs", "old_string": "a"}}),
        json!({"name": "Shell", "input": {"command": "cargo test"}}),
        json!({"name": "Shell", "input": {"command": "cargo clippy"}}),
    ] {
        let mut block = block;
        block["type"] = json!("tool_use");
        world.row(&json!({"role": "assistant", "message": {"content": [block]}}));
    }
    world.stops("It is not.").await;
    let board = world.stream().board;
    let verdicts: Vec<Verdict> = board.checks[0].runs.iter().map(|ran| ran.verdict).collect();
    assert_eq!(
        (board.checks.len(), verdicts),
        (1, vec![Verdict::Pass, Verdict::Fail]),
        "{board:?}"
    );
    assert_eq!(board.checks[0].runs[1].counts.failed, Some(1));
    // Who ran it nobody saw: neither a pass nor a failure.
    assert_eq!(board.running.len(), 1);
    assert_eq!(
        board
            .changes
            .iter()
            .filter(|change| change.path.as_deref() == Some("/w/a.rs"))
            .count(),
        1
    );
    assert_eq!(world.stream().turns, 1);
}

#[tokio::test]
async fn an_event_that_no_other_one_tells_is_a_run_of_its_own_by_its_summary_alone() {
    let mut world = World::new();
    world.asks("Is it ready?").await;
    for (output, duration) in [(PASSED, 1), (FAILED, 2), ("no summary\n", 3)] {
        world.calls = duration;
        world.ended(
            json!({"tool": "Shell", "input": {"command": "cargo test"}}),
            "ran",
            json!(output),
        );
    }
    world.stops("Done.").await;
    let board = world.stream().board;
    let verdicts: Vec<Verdict> = board.checks[0].runs.iter().map(|ran| ran.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail, Verdict::Unknown]);
}

#[tokio::test]
async fn what_a_call_showed_is_known_while_the_process_runs() {
    let mut world = World::new();
    world.asks("Is it ready?").await;
    world.runs("cat notes.md", 0, "the lid is tight");
    let slot = world.engine.slot(&SessionKey {
        harness: proofmark_protocol::Harness::Cursor,
        session: "c1".to_owned(),
    });
    let live = slot.live.lock().unwrap();
    assert_eq!(live.stream(None).unwrap().turn.calls[0].output, "the lid is tight");
}

/// One thing that happens, to a live server and to the transcript.
#[derive(Debug, Clone)]
enum Step {
    Asks(&'static str),
    Runs(&'static str, bool),
    Bare(&'static str),
    Edits(&'static str),
    Row(&'static str, &'static str),
    Prompt(&'static str),
    Stops,
}

fn step() -> impl Strategy<Value = Step> {
    let command = || prop_oneof![Just("cargo test"), Just("ls")];
    let text = || prop_oneof![Just("go"), Just("on")];
    prop_oneof![
        text().prop_map(Step::Asks),
        (command(), any::<bool>()).prop_map(|(command, passes)| Step::Runs(command, passes)),
        command().prop_map(Step::Bare),
        Just(Step::Edits("/w/a.rs")),
        command().prop_map(|command| Step::Row("Shell", command)),
        Just(Step::Row("Read", "/w/a.rs")),
        text().prop_map(Step::Prompt),
        Just(Step::Stops),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever happened, the stream that a later process makes of ledger and transcript is the one that this one had.
    #[test]
    fn a_later_process_makes_the_same_stream_anew(steps in prop::collection::vec(step(), 1..14)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            world.asks("begin").await;
            for step in &steps {
                match step {
                    Step::Asks(text) => world.asks(text).await,
                    Step::Runs(command, true) => world.runs(command, 0, PASSED),
                    Step::Runs(command, false) => world.runs(command, 101, FAILED),
                    Step::Bare(command) => {
                        world.calls += 1;
                        world.ended(json!({"tool": "Shell", "input": {"command": command}}), "ran", json!(PASSED));
                    }
                    Step::Edits(path) => {
                        world.calls += 1;
                        world.ended(json!({"tool": "Write", "input": {"file_path": path}}), "succeeded", Value::Null);
                    }
                    Step::Row(tool, asked) => {
                        let input = if *tool == "Shell" { json!({"command": asked}) } else { json!({"path": asked}) };
                        let block = json!({"type": "tool_use", "name": tool, "input": input});
                        world.row(&json!({"role": "assistant", "message": {"content": [block]}}));
                    }
                    Step::Prompt(text) => world.row(&json!({"role": "user", "message": {"content": text}})),
                    Step::Stops => world.stops("Done.").await,
                }
            }
            world.stops("Done.").await;
            let live = world.stream();
            world.restarts();
            world.asks("again").await;
            let anew = world.stream();
            world.restarts();
            let params = world.at(json!({"prompt": "again"}));
            world.engine.on_prompt(serde_json::from_value(params).unwrap()).await;
            assert_eq!(world.stream(), anew, "{steps:?}");
            assert_eq!(anew.board.checks, live.board.checks, "{steps:?}");
            assert_eq!(anew.board.running, live.board.running, "{steps:?}");
            assert_eq!(anew.board.changes, live.board.changes, "{steps:?}");
            assert_eq!(anew.turns, live.turns + 1, "{steps:?}");
        });
    }
}
