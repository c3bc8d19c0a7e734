//! A session that rests between its events is answered as one that never did, and a free call does not wake it.
//! What is decided at all is the checks' business.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::PoisonError;

use proofmark_protocol::event::{PreToolUseParams, StopParams};
use proofmark_protocol::{Decision, method};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::deadline::Deadline;
use super::super::stop::Stop;
use super::*;
use crate::session::{Fact, FactBody};

/// One conversation, held twice: by an engine that lets it rest after every event, and by one that never does.
struct Twice {
    harness: &'static str,
    sides: [(tempfile::TempDir, Arc<Engine>); 2],
    turn: u32,
    calls: u32,
    events: u32,
    rested: u32,
    /// A machine was too busy for one of the two: nothing can be said of them.
    late: bool,
}

impl Twice {
    fn new(harness: &'static str) -> Self {
        let side = || {
            let folder = tempfile::tempdir().unwrap();
            let engine = Arc::new(Engine::open(folder.path()).unwrap());
            (folder, engine)
        };
        Self {
            harness,
            sides: [side(), side()],
            turn: 0,
            calls: 0,
            events: 0,
            rested: 0,
            late: false,
        }
    }

    fn is_cursor(&self) -> bool {
        self.harness == "cursor"
    }

    fn rows(&self, rows: &[Value]) {
        for (folder, _) in &self.sides {
            let path = folder.path().join("record.jsonl");
            let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
            for row in rows {
                file.write_all(format!("{row}\n").as_bytes()).unwrap();
            }
        }
    }

    /// One event to both: the answers have to be the same.
    async fn event(&mut self, name: &str, own: &Value) -> Decision {
        let mut answers = Vec::new();
        self.events += 1;
        for (folder, engine) in &self.sides {
            let mut params = json!({
                "harness": self.harness, "session": "s", "transcript": folder.path().join("record.jsonl"), "cwd": "/w",
            });
            params.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
            if self.is_cursor() {
                params["turn"] = json!(format!("g{}", self.turn));
            }
            answers.push(put(engine, name, &params.to_string(), self.events).await);
        }
        let is_late = |answer: &Decision| {
            answer
                .to_person
                .as_ref()
                .is_some_and(|text| text.contains("took too long"))
        };
        self.late |= answers.iter().any(is_late);
        assert!(self.late || answers[0] == answers[1], "{name} {own}: {answers:#?}");
        self.rest();
        answers.remove(0)
    }

    fn rest(&mut self) {
        let (_, engine) = &self.sides[0];
        // What was delivered a moment ago may be delivered again, so it is still held: here it is not.
        for slot in &engine.sessions {
            let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
            let rests = live.rest(&engine.ledger(), slot.key(), now()).unwrap();
            self.rested += u32::from(rests);
        }
    }

    async fn prompt(&mut self, text: &str) {
        self.turn += 1;
        let n = self.turn;
        if !self.is_cursor() {
            self.rows(&[
                json!({"type": "user", "uuid": format!("p{n}"), "sessionId": "s", "promptId": format!("q{n}"),
                "message": {"role": "user", "content": text}}),
            ]);
        }
        self.event(method::ON_PROMPT, &json!({"prompt": text})).await;
    }

    async fn call(&mut self, tool: &str, input: Value, printed: &str) {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let call = json!({"id": id, "tool": tool, "input": input});
        if self
            .event(method::ON_PRE_TOOL_USE, &json!({"call": call}))
            .await
            .outcome
            == proofmark_protocol::Outcome::Refuse
        {
            return;
        }
        if self.is_cursor() {
            let output = json!({"output": printed, "exitCode": 0}).to_string();
            self.event(
                method::ON_POST_TOOL_USE,
                &json!({"call": call, "ended": "succeeded", "output": output, "duration": 1.0}),
            )
            .await;
            return;
        }
        self.rows(&[
            json!({"type": "assistant", "uuid": format!("a{id}"), "sessionId": "s", "message": {"role": "assistant",
                "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}}),
            json!({"type": "user", "uuid": format!("r{id}"), "sessionId": "s", "message": {"role": "user",
                "content": [{"type": "tool_result", "tool_use_id": id, "content": printed}]}}),
        ]);
    }

    async fn stop(&mut self, reply: &str, rewrite: bool) {
        if self.is_cursor() {
            self.event(method::ON_REPLY, &json!({"reply": reply})).await;
        } else {
            let n = self.calls + 100 * self.turn;
            self.rows(&[
                json!({"type": "assistant", "uuid": format!("t{n}"), "sessionId": "s", "message": {
                "role": "assistant", "content": [{"type": "text", "text": reply}]}}),
            ]);
        }
        self.event(method::ON_STOP, &json!({"reply": reply, "rewrite": rewrite}))
            .await;
    }
}

/// An event beside the deadlines of gates: a machine may be busy.
async fn put(engine: &Arc<Engine>, name: &str, params: &str, nth: u32) -> Decision {
    let id = format!("event {nth}");
    match name {
        method::ON_PROMPT => engine.decide_prompt(&serde_json::from_str(params).unwrap(), &id, &Deadline::never()),
        method::ON_PRE_TOOL_USE => {
            let params: PreToolUseParams = serde_json::from_str(params).unwrap();
            let key = SessionKey::of(&params.at).unwrap();
            match engine.slot(&key).hold.is_free() {
                true => Decision::allow(),
                false => engine.decide_tool(&params),
            }
        }
        method::ON_POST_TOOL_USE => engine.on_post_tool_use(&serde_json::from_str(params).unwrap()),
        method::ON_REPLY => engine.on_reply(&serde_json::from_str(params).unwrap()),
        _ => {
            let params: StopParams = serde_json::from_str(params).unwrap();
            let key = SessionKey::of(&params.at).unwrap();
            let stop = Stop {
                id,
                path: params.at.transcript.clone().map(Into::into),
                params,
                refusable: true,
            };
            engine.decide_stop(&key, &engine.slot(&key), Arc::new(stop)).await
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Prompt(&'static str),
    Look,
    Edit,
    Check(&'static str),
    Stop(&'static str),
    Rewrite(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let reply = || {
        prop_oneof![
            Just("Done."),
            Just("All tests pass."),
            Just("Ready. {{CAT-UNVERIFIED: the lid holds -- cannot verify: no box}}"),
            Just("SCOPE CONTRACT: only src/a.rs, nothing else.\n\nI will do that."),
        ]
    };
    prop_oneof![
        2 => prop_oneof![Just("go on"), Just("that's not what I asked, the parser only"), Just("now the lexer")].prop_map(Step::Prompt),
        2 => Just(Step::Look),
        2 => Just(Step::Edit),
        2 => prop_oneof![Just("test result: ok. 3 passed; 0 failed\n"), Just("test result: FAILED. 2 passed; 1 failed\n")].prop_map(Step::Check),
        3 => reply().prop_map(Step::Stop),
        1 => reply().prop_map(Step::Rewrite),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_happens_a_session_that_rests_is_answered_as_one_that_does_not(
        cursor: bool,
        steps in prop::collection::vec(step(), 1..14),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let mut twice = Twice::new(if cursor { "cursor" } else { "claude-code" });
            let (shell, edit) = if cursor { ("Shell", "Write") } else { ("Bash", "Edit") };
            twice.prompt("begin").await;
            for step in &steps {
                match step {
                    Step::Prompt(text) => twice.prompt(text).await,
                    Step::Look => twice.call(shell, json!({"command": "cat lid.txt"}), "the lid is tight").await,
                    Step::Edit => twice.call(edit, json!({"file_path": "/w/src/a.rs", "old_string": "a", "new_string": "b"}), "done").await,
                    Step::Check(printed) => twice.call(shell, json!({"command": "cargo test"}), printed).await,
                    Step::Stop(reply) => twice.stop(reply, false).await,
                    Step::Rewrite(reply) => twice.stop(reply, true).await,
                }
            }
            if twice.late {
                return;
            }
            let wakes = |step: &&Step| matches!(step, Step::Prompt(_) | Step::Stop(_) | Step::Rewrite(_));
            let least = 1 + steps.iter().filter(wakes).count();
            assert!(twice.rested as usize >= least, "it rested {} times", twice.rested);
        });
    }
}

fn params(session: &str) -> Value {
    json!({"harness": "claude-code", "session": session, "transcript": "/nowhere/x.jsonl", "cwd": "/w"})
}

async fn begin(engine: &Arc<Engine>, session: &str) {
    let mut own = params(session);
    own["source"] = json!("startup");
    engine.on_session_start(&serde_json::from_value(own).unwrap());
}

async fn call(engine: &Arc<Engine>, session: &str) -> Decision {
    let mut own = params(session);
    own["call"] = json!({"id": "c", "tool": "Bash", "input": {"command": "ls"}});
    engine
        .on_pre_tool_use(serde_json::from_str(&own.to_string()).unwrap())
        .await
}

fn slot(engine: &Engine, session: &str) -> Arc<Slot> {
    engine.slot(&key(session))
}

fn key(session: &str) -> SessionKey {
    SessionKey {
        harness: proofmark_protocol::Harness::ClaudeCode,
        session: session.to_owned(),
    }
}

fn is_awake(engine: &Engine, session: &str) -> bool {
    slot(engine, session).live.lock().unwrap().weight() > 0
}

#[tokio::test]
#[expect(clippy::await_holding_lock, reason = "whoever waits for it is to be seen waiting")]
async fn a_call_that_nothing_holds_up_does_not_wake_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::open(folder.path()).unwrap());
    begin(&engine, "s").await;
    assert!(is_awake(&engine, "s"));
    engine.rest(Duration::ZERO, usize::MAX, MAX_KEPT);
    assert!(!is_awake(&engine, "s"), "it rests");
    // Held here, so that whoever waits for it never ends.
    let slot = slot(&engine, "s");
    let live = slot.live.lock().unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(5), call(&engine, "s")).await;
    assert_eq!(answer.unwrap(), Decision::allow());
    drop(live);
    assert!(!is_awake(&engine, "s"), "nobody has read its facts");
}

#[tokio::test]
async fn what_the_ledger_does_not_have_stays_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::open(folder.path()).unwrap());
    begin(&engine, "s").await;
    let fact = Fact {
        at: 1,
        agent: None,
        turn: 1,
        anchor: None,
        key: "k".to_owned(),
        body: FactBody::TurnEnded,
    };
    let held = slot(&engine, "s");
    held.live.lock().unwrap().unwritten.push(fact);
    engine.rest(Duration::ZERO, 0, MAX_KEPT);
    assert!(is_awake(&engine, "s"), "in use");
    drop(held);
    engine.rest(Duration::ZERO, 0, MAX_KEPT);
    assert!(is_awake(&engine, "s"), "a fact is not written");
    slot(&engine, "s").live.lock().unwrap().unwritten.clear();
    slot(&engine, "s").live.lock().unwrap().on_ledger(1);
    engine.rest(Duration::ZERO, 0, MAX_KEPT);
    assert!(is_awake(&engine, "s"), "the ledger was begun anew");
}

#[tokio::test]
async fn those_that_were_used_longest_ago_rest_first_and_only_as_many_as_there_must() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::open(folder.path()).unwrap());
    let names: Vec<String> = (0..8).map(|n| format!("s{n}")).collect();
    for (nth, name) in names.iter().enumerate() {
        begin(&engine, name).await;
        slot(&engine, name).used.store(nth as u64, Ordering::Relaxed);
    }
    let weight = engine
        .sessions
        .iter()
        .map(|slot| slot.live.lock().unwrap().weight())
        .sum::<usize>();
    assert!(weight > 0);
    let awake = |engine: &Engine| -> Vec<bool> {
        let slots = names
            .iter()
            .map(|name| engine.sessions.get(&key(name)).map(|slot| Arc::clone(&slot)));
        slots
            .map(|slot| slot.unwrap().live.lock().unwrap().weight() > 0)
            .collect()
    };
    engine.rest(Duration::from_secs(3_600), weight, MAX_KEPT);
    assert_eq!(awake(&engine), [true; 8], "they may take so much");
    engine.rest(Duration::from_secs(3_600), weight - 1, MAX_KEPT);
    assert_eq!(awake(&engine), [false, false, true, true, true, true, true, true]);
    // The times of use above are made up, and the engine is younger than the last of them on a quick machine.
    while engine.clock() < names.len() as u64 {
        std::thread::yield_now();
    }
    engine.rest(Duration::ZERO, usize::MAX, MAX_KEPT);
    assert!(awake(&engine).iter().all(|awake| !awake), "all of them are idle");
}

#[tokio::test]
async fn what_sessions_keep_at_rest_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::open(folder.path()).unwrap());
    let params = json!({"harness": "cursor", "session": "s", "transcript": folder.path().join("s.jsonl"), "cwd": "/w",
        "turn": "g1", "prompt": "begin"});
    put(&engine, method::ON_PROMPT, &params.to_string(), 1).await;
    let kept = |engine: &Engine| -> usize {
        let slots = engine.sessions.iter();
        slots.map(|slot| slot.live.lock().unwrap().kept()).sum()
    };
    engine.rest(Duration::ZERO, usize::MAX, MAX_KEPT);
    let one = kept(&engine);
    assert!(one > 0, "no ledger has what was joined");
    engine.rest(Duration::ZERO, usize::MAX, one);
    assert_eq!(kept(&engine), one, "it may keep so much");
    engine.rest(Duration::ZERO, usize::MAX, one - 1);
    assert!(engine.sessions.is_empty());
}
