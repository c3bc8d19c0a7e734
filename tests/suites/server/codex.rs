//! A session of Codex as the hook sees it: payloads of its shape, a rollout that grows, answers in its own form.
//! What a rollout's lines mean one by one is tested beside the reader.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use proofmark_protocol::Harness;
use proofmark_tests::process::Finished;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{assert_silent, tagged, told};

/// One thread, in the paginated form of 0.171.0.
struct Thread<'w> {
    world: &'w World,
    id: String,
    rollout: PathBuf,
}

impl<'w> Thread<'w> {
    /// A thread of the person's whose first turn has begun.
    fn new(world: &'w World, id: &str) -> Self {
        let thread = Self::held_by(world, id, json!("exec"));
        thread.prompt("t1", "Is the parser ready?");
        thread
    }

    /// A thread without a turn.
    fn held_by(world: &'w World, id: &str, source: Value) -> Self {
        let day = world.home().join(".codex/sessions/2026/11/30");
        fs::create_dir_all(&day).unwrap();
        let thread = Self {
            world,
            id: id.to_owned(),
            rollout: day.join(format!("rollout-2026-11-30T10-00-00-{id}.jsonl")),
        };
        let meta = json!({
            "id": id, "session_id": "main", "cwd": world.project(), "cli_version": "0.171.0", "source": source,
            "history_mode": "paginated",
        });
        thread.line("session_meta", meta);
        thread
    }

    fn line(&self, kind: &str, payload: Value) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.rollout)
            .unwrap();
        let line = json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload});
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn item(&self, turn: &str, item: Value) {
        self.line(
            "event_msg",
            json!({"type": "item_completed", "turn_id": turn, "item": item}),
        );
    }

    fn prompt(&self, turn: &str, text: &str) {
        self.line("event_msg", json!({"type": "task_started", "turn_id": turn}));
        let content = json!([{"type": "text", "text": text}]);
        self.item(
            turn,
            json!({"type": "UserMessage", "id": format!("prompt-{turn}"), "content": content}),
        );
    }

    /// A script of code mode that runs one command.
    fn script(&self, turn: &str, id: &str, command: &str, code: i64, output: &str) {
        let source = format!("text(await tools.exec_command({{cmd: {}}}))", json!(command));
        self.line(
            "response_item",
            json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": source}),
        );
        let ran = json!({
            "type": "CommandExecution", "id": format!("exec-{id}"), "command": ["/bin/bash", "-lc", command],
            "exit_code": code, "aggregated_output": output,
        });
        self.item(turn, ran);
        self.line(
            "response_item",
            json!({"type": "custom_tool_call_output", "call_id": id, "output": "Script completed\nOutput:\n"}),
        );
    }

    fn says(&self, turn: &str, text: &str) {
        let content = json!([{"type": "Text", "text": text}]);
        self.item(turn, json!({"type": "AgentMessage", "id": "m", "content": content}));
    }

    /// What the agent was told in going on: the record shows it before the next words.
    fn sent_back(&self, reason: &str) {
        let text = format!("<hook_prompt hook_run_id=\"stop:1:/hooks.json\">{reason}</hook_prompt>");
        let content = json!([{"type": "input_text", "text": text}]);
        self.line(
            "response_item",
            json!({"type": "message", "role": "user", "content": content}),
        );
    }

    fn payload(&self, event: &str, turn: &str, own: Value) -> Vec<u8> {
        let mut payload = json!({
            "session_id": self.id, "turn_id": turn, "transcript_path": self.rollout, "cwd": self.world.project(),
            "hook_event_name": event, "model": "gpt-5.5", "permission_mode": "bypassPermissions",
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        payload.to_string().into_bytes()
    }

    fn event(&self, event: &str, turn: &str, own: Value) -> Finished {
        self.world
            .hook(Harness::Codex, &self.payload(event, turn, own))
            .unwrap()
    }

    /// The agent says its last words and wants to stop.
    fn stop(&self, turn: &str, reply: &str, rewrite: bool) -> Finished {
        self.says(turn, reply);
        let own = json!({"stop_hook_active": rewrite, "last_assistant_message": reply});
        self.event("Stop", turn, own)
    }
}

/// The reason of a refusal in Codex's form: one strict object, and nothing else.
fn reason(done: &Finished) -> String {
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    let members: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(members, ["decision", "reason"], "{done:?}");
    assert_eq!(answer["decision"], "block");
    answer["reason"].as_str().unwrap().to_owned()
}

fn open(world: &World) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let claims = world.claims().unwrap();
    let open = claims.iter().filter(|claim| claim["state"] == "open");
    open.map(|claim| (text(&claim["harness"]), text(&claim["claim"])))
        .collect()
}

#[test]
fn an_untried_claim_is_refused_once_and_kept() {
    let world = World::new().unwrap();
    let thread = Thread::new(&world, "main");
    let started = thread.event("SessionStart", "", json!({"source": "startup"}));
    assert!(started.stdout.contains("additionalContext"), "{started:?}");

    let reply = tagged("the parser works");
    let reason = reason(&thread.stop("t1", &reply, false));
    assert!(reason.contains("“the parser works”"), "{reason}");
    thread.sent_back(&reason);
    let said = told(&thread.stop("t1", &reply, true));
    assert!(said.contains("sent back for it once"), "{said}");
    assert_eq!(open(&world), [("codex".to_owned(), "the parser works".to_owned())]);

    // The next prompt brings it up; a look at its subject settles it.
    let prompted = thread.event("UserPromptSubmit", "t2", json!({"prompt": "And now?"}));
    assert!(prompted.stdout.contains("the parser works"), "{prompted:?}");
    thread.prompt("t2", "And now?");
    thread.script("t2", "c1", "cargo test parser", 101, "parser ... FAILED\n");
    let said = told(&thread.stop("t2", "It fails.", false));
    assert!(
        said.contains("is settled by exec_command “cargo test parser”"),
        "{said}"
    );
    assert_eq!(open(&world), []);
}

#[test]
fn a_look_of_any_kind_lets_the_tag_pass() {
    let world = World::new().unwrap();
    let thread = Thread::new(&world, "main");
    thread.script("t1", "c1", "cat parser.rs", 1, "no such file\n");
    assert_silent(&thread.stop("t1", &tagged("the parser works"), false));

    // What the script prints itself is no look.
    thread.prompt("t2", "Sure?");
    thread.script("t2", "c2", "echo fine", 0, "fine\n");
    let reply = tagged("the lexer works") + "\n\n::git-stage{cwd=\"/p\"}";
    reason(&thread.stop("t2", &reply, false));
}

#[test]
fn three_refusals_are_the_end_though_codex_knows_none() {
    let world = World::new().unwrap();
    let thread = Thread::new(&world, "main");
    for (number, claim) in ["the parser works", "no memory leaks", "Windows users can log in"]
        .iter()
        .enumerate()
    {
        let reason = reason(&thread.stop("t1", &tagged(claim), number > 0));
        thread.sent_back(&reason);
    }
    let said = told(&thread.stop("t1", &tagged("tables render on phones"), true));
    assert!(said.contains("three times"), "{said}");
    assert_eq!(
        open(&world),
        [("codex".to_owned(), "tables render on phones".to_owned())]
    );
}

#[test]
fn a_session_without_a_record_is_unchecked() {
    let world = World::new().unwrap();
    let thread = Thread::new(&world, "main");
    let own = json!({
        "transcript_path": null, "stop_hook_active": false, "last_assistant_message": tagged("the parser works"),
    });
    let said = told(&thread.event("Stop", "t1", own));
    assert!(
        said.contains("unchecked") && said.contains("named no transcript"),
        "{said}"
    );
    assert_eq!(open(&world).len(), 1);
}

#[test]
fn a_record_that_the_payload_does_not_name_is_found_by_its_session() {
    let world = World::new().unwrap();
    let thread = Thread::new(&world, "01a22d7c-0269-72b1-9946-c6b7a91d3845");
    let reply = tagged("the parser works");
    thread.says("t1", &reply);
    let own = json!({"transcript_path": null, "stop_hook_active": false, "last_assistant_message": reply});
    reason(&thread.event("Stop", "t1", own));
}

#[test]
fn a_claim_is_held_against_a_record_that_the_payload_does_not_name() {
    let world = World::new().unwrap();
    let stop = |thread: &Thread<'_>, reply: &str| {
        let own = json!({"transcript_path": null, "stop_hook_active": false, "last_assistant_message": reply});
        thread.event("Stop", "t1", own)
    };
    let thread = Thread::new(&world, "01a22d7c-0269-72b1-9946-c6b7a91d3845");
    thread.script("t1", "c1", "cargo build", 101, "error[E0425]: cannot find value `x`\n");
    thread.says("t1", "The build passes.");
    let said = told(&stop(&thread, "The build passes."));
    assert!(said.contains("the last run of cargo build failed"), "{said}");

    // No file goes by this name, so there is nothing to hold a claim against.
    let lost = Thread::held_by(&world, "lost", json!("exec"));
    lost.script("t1", "c1", "cargo build", 101, "error[E0425]: cannot find value `x`\n");
    assert_silent(&stop(&lost, "The build passes."));
}

#[test]
fn sessions_of_the_harness_itself_are_not_judged() {
    let world = World::new().unwrap();
    let main = Thread::new(&world, "main");
    reason(&main.stop("t1", &tagged("the lexer works"), false));
    let drop = json!({"prompt": "Forget the claim that the lexer works."});
    for (id, source) in [("r1", json!("review")), ("g1", json!({"other": "guardian"}))] {
        // Such a thread speaks in its parent's name.
        let thread = Thread {
            id: "main".to_owned(),
            ..Thread::held_by(&world, id, json!({"subagent": source}))
        };
        thread.prompt("g1", "Judge this.");
        assert_silent(&thread.event("UserPromptSubmit", "g1", drop.clone()));
        assert_silent(&thread.stop("g1", &tagged("the parser works"), false));
    }
    assert_eq!(open(&world), [("codex".to_owned(), "the lexer works".to_owned())]);
    let said = main.event("UserPromptSubmit", "t2", drop);
    assert!(said.stdout.contains("retired"), "{said:?}");
}

#[test]
fn a_helper_is_judged_by_its_own_record() {
    let world = World::new().unwrap();
    let main = Thread::new(&world, "main");
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "main"}}});
    let helper = Thread::held_by(&world, "helper", source);
    helper.prompt("h1", "look");
    let reply = tagged("the lid is tight");
    helper.says("h1", &reply);
    let own = json!({
        "agent_id": "helper", "agent_type": "default", "agent_transcript_path": helper.rollout,
        "stop_hook_active": false, "last_assistant_message": reply,
    });
    reason(&main.event("SubagentStop", "h1", own));

    // Its look is one of the agent's that waited for it, also when nothing names its file.
    helper.script("h1", "c1", "cat lid.rs", 0, "fn lid() {}\n");
    let waited = json!({"type": "function_call", "name": "wait_agent", "call_id": "w1", "arguments": "{\"targets\":[\"helper\"]}"});
    main.line("response_item", waited);
    main.line(
        "response_item",
        json!({"type": "function_call_output", "call_id": "w1", "output": "{\"status\":{}}"}),
    );
    assert_silent(&main.stop("t1", &tagged("the handle holds"), false));
}

#[test]
fn a_fork_takes_over_what_was_open_in_the_turns_that_it_copied() {
    let world = World::new().unwrap();
    let origin = Thread::new(&world, "main");
    reason(&origin.stop("t1", &tagged("the parser works"), false));

    let fork = Thread {
        world: &world,
        id: "fork".to_owned(),
        rollout: origin.rollout.with_file_name("rollout-2026-11-30T11-00-00-fork.jsonl"),
    };
    let meta = json!({"id": "fork", "session_id": "fork", "forked_from_id": "main", "cli_version": "0.171.0",
        "source": "cli", "history_mode": "paginated"});
    fork.line("session_meta", meta);
    let copied = fs::read(&origin.rollout).unwrap();
    OpenOptions::new()
        .append(true)
        .open(&fork.rollout)
        .unwrap()
        .write_all(&copied)
        .unwrap();
    let prompted = fork.event("UserPromptSubmit", "t2", json!({"prompt": "Go on."}));
    assert!(prompted.stdout.contains("the parser works"), "{prompted:?}");
}
