//! What a run tells at its end, and the exit code for CI: a script plays a session, with the hooks that it was given.
//! Whether Codex runs them is `live_codex`'s to show.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::stand_in::{Left, StandIn, run};

const SESSION: &str = "01a22d7c-0269-72b1-9946-c6b7a91d3845";

/// Runs the commands that stand among the arguments, as Codex does: by a shell, with the payload on stdin. A line of
/// `events` names an event, a step before it (a piece of the record that is written), and whether all hooks run.
const PLAY: &str = r#"
hook=$(printf '%s\n' "$@" | sed -n "s/^hooks.Stop=.*command=\"\([^\"]*\)\".*/\1/p")
note=$(printf '%s\n' "$@" | sed -n "s/.*command=\"\(cat >>[^\"]*\)\".*/\1/p")
for step in "$HOME"/steps/*; do
  case $step in
    *.record) mkdir -p "$(dirname "$RECORD")"; cat "$step" >>"$RECORD" ;;
    *.start) [ -z "$HOOKS" ] || { sh -c "$note" <"$step"; sh -c "$hook" <"$step"; } ;;
    *.note) [ -z "$HOOKS" ] || sh -c "$note" <"$step" ;;
    *.event) [ -z "$HOOKS" ] || sh -c "$hook" <"$step" ;;
  esac
done
exit "${CODE:-0}"
"#;

/// A session that a script plays.
struct Played {
    codex: StandIn,
    steps: usize,
    record: PathBuf,
}

impl Played {
    fn new() -> Self {
        let codex = StandIn::new(PLAY);
        fs::create_dir(codex.world.home().join("steps")).unwrap();
        let day = codex.world.home().join(".codex/sessions/2026/11/30");
        let record = day.join(format!("rollout-2026-11-30T10-00-00-{SESSION}.jsonl"));
        Self {
            codex,
            steps: 0,
            record,
        }
    }

    fn step(&mut self, kind: &str, text: &str) {
        let name = format!("steps/{:03}.{kind}", self.steps);
        fs::write(self.codex.world.home().join(name), text).unwrap();
        self.steps += 1;
    }

    fn line(&mut self, kind: &str, payload: &Value) {
        let line = json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload});
        self.step("record", &format!("{line}\n"));
    }

    fn event(&mut self, step: &str, event: &str, own: &Value) {
        let mut payload = json!({
            "session_id": SESSION, "turn_id": "t1", "transcript_path": self.record, "hook_event_name": event,
            "cwd": self.codex.world.project(), "model": "gpt-5.5", "permission_mode": "bypassPermissions",
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        self.step(step, &payload.to_string());
    }

    /// The session starts, or goes on.
    fn starts(&mut self, source: &str, version: &str) {
        if source == "startup" {
            let meta = json!({
                "id": SESSION, "session_id": SESSION, "cwd": self.codex.world.project(), "cli_version": version,
                "source": "exec", "history_mode": "paginated",
            });
            self.line("session_meta", &meta);
        }
        self.event("start", "SessionStart", &json!({"source": source}));
    }

    /// A turn in which nothing is tried.
    fn turn(&mut self, turn: &str, reply: &str) {
        let item = |item: Value| json!({"type": "item_completed", "turn_id": turn, "item": item});
        self.line(
            "turn_context",
            &json!({"turn_id": turn, "cwd": self.codex.world.project()}),
        );
        self.line("event_msg", &json!({"type": "task_started", "turn_id": turn}));
        let prompt = json!([{"type": "text", "text": format!("Is the parser ready? {turn}")}]);
        self.line(
            "event_msg",
            &item(json!({"type": "UserMessage", "id": format!("p-{turn}"), "content": prompt})),
        );
        let prompt = json!({"turn_id": turn, "prompt": format!("Is the parser ready? {turn}")});
        self.event("event", "UserPromptSubmit", &prompt);
        let said = json!([{"type": "Text", "text": reply}]);
        self.line(
            "event_msg",
            &item(json!({"type": "AgentMessage", "id": format!("m-{turn}"), "content": said})),
        );
        let stop = json!({"turn_id": turn, "last_assistant_message": reply, "stop_hook_active": false});
        self.event("event", "Stop", &stop);
    }

    fn run(&self, arguments: &[&str], with_hooks: bool) -> Left {
        let mut command = self.codex.command(arguments);
        command.args(["--", "exec", "x"]).env("RECORD", &self.record);
        if with_hooks {
            command.env("HOOKS", "1");
        }
        let left = run(&mut command, b"");
        self.codex.assert_nothing_is_left();
        left
    }

    fn forget_steps(&self) {
        fs::remove_dir_all(self.codex.world.home().join("steps")).unwrap();
        fs::create_dir(self.codex.world.home().join("steps")).unwrap();
    }
}

fn tagged(claim: &str) -> String {
    format!("Done. {{{{CAT-UNVERIFIED: {claim} -- cannot verify: no box}}}}")
}

#[test]
fn what_was_found_is_told_and_sets_the_code_that_was_asked_for() {
    let claim = tagged("it works on Windows");
    for (reply, fail_on, code) in [
        (&*claim, None, 0),
        (&claim, Some("refuse"), 3),
        (&claim, Some("advise"), 3),
        ("Nobody has looked.", Some("refuse"), 0),
        ("Nobody has looked.", Some("advise"), 0),
        ("Nobody has looked.", None, 0),
    ] {
        let mut played = Played::new();
        played.starts("startup", "0.171.0");
        played.turn("t1", reply);
        let arguments: Vec<&str> = fail_on.iter().flat_map(|weight| ["--fail-on", weight]).collect();
        let left = played.run(&arguments, true);
        let found = reply == claim;
        assert_eq!(left.status.code(), Some(code), "{fail_on:?} {reply}: {}", left.stderr());
        let stderr = left.stderr();
        assert_eq!(stderr.contains("it works on Windows"), found, "{stderr}");
        assert_eq!(stderr.contains("sent back"), found, "{stderr}");
        assert!(found || stderr.is_empty(), "{stderr}");
        let stdout = String::from_utf8(left.stdout).unwrap();
        assert_eq!(stdout.contains("\"decision\":\"block\""), found, "{stdout}");
    }
}

#[test]
fn codexs_own_failure_counts_more_and_quiet_is_quiet() {
    let mut played = Played::new();
    played.starts("startup", "0.171.0");
    played.turn("t1", &tagged("it works"));
    let mut command = played.codex.command(&["--fail-on", "refuse", "--quiet", "--", "exec"]);
    command.env("HOOKS", "1").env("RECORD", &played.record).env("CODE", "1");
    let left = run(&mut command, b"");
    assert_eq!((left.status.code(), left.stderr().as_str()), (Some(1), ""));
}

#[test]
fn a_resumed_session_is_told_without_what_it_had_before() {
    let mut played = Played::new();
    played.starts("startup", "0.171.0");
    played.turn("t1", &tagged("it works on Windows"));
    assert_eq!(played.run(&["--fail-on", "refuse"], true).status.code(), Some(3));
    played.forget_steps();
    played.starts("resume", "0.171.0");
    played.turn("t2", "Nobody has looked.");
    let left = played.run(&["--fail-on", "advise"], true);
    assert_eq!((left.status.code(), left.stderr().as_str()), (Some(0), ""));
    played.forget_steps();
    played.starts("resume", "0.171.0");
    played.turn("t3", &tagged("it works on a Mac"));
    let left = played.run(&["--fail-on", "refuse"], true);
    assert_eq!(left.status.code(), Some(3), "{}", left.stderr());
    let told = left.stderr();
    assert!(
        told.contains("it works on a Mac") && !told.contains("it works on Windows"),
        "{told}"
    );
}

#[test]
fn sessions_of_others_are_not_this_runs() {
    let mut played = Played::new();
    played.starts("startup", "0.171.0");
    played.turn("t1", &tagged("it works on Windows"));
    // The same session, played by somebody else: its hooks run, but nobody notes it for this run.
    let mut other = Played::new();
    other.line("session_meta", &json!({}));
    let mut command = other.codex.command(&["--fail-on", "advise", "--", "login"]);
    command
        .env("PROOFMARK_STATE_DIR", played.codex.world.state())
        .env("RECORD", &other.record);
    assert_eq!(played.run(&[], true).status.code(), Some(0));
    let left = run(&mut command, b"");
    assert_eq!(left.status.code(), Some(4), "there was no session");
    assert!(left.stderr().contains("saw no session"), "{}", left.stderr());
}

#[test]
fn where_no_hooks_run_the_record_is_judged_and_only_reported() {
    let claim = tagged("it works on Windows");
    for (reply, fail_on, code) in [
        (&*claim, "refuse", 3),
        (&claim, "advise", 3),
        ("Nobody has looked.", "refuse", 0),
    ] {
        let mut played = Played::new();
        played.starts("startup", "0.138.0");
        played.turn("t1", reply);
        let left = played.run(&["--fail-on", fail_on], false);
        let stderr = left.stderr();
        assert_eq!(left.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains("Codex 0.138.0 ran no hooks in this run"), "{stderr}");
        assert_eq!(stderr.contains("it works on Windows"), reply == claim, "{stderr}");
        assert!(left.stdout.is_empty());
        // Judged apart: nothing of it is on the person's ledger, and no server of theirs was started.
        assert!(!played.codex.world.is_served().unwrap());
        assert!(played.codex.world.claims().unwrap().is_empty());
    }
}

#[test]
fn of_a_record_that_grew_only_the_new_turns_count() {
    let mut played = Played::new();
    played.starts("startup", "0.138.0");
    played.turn("t1", &tagged("it works on Windows"));
    assert_eq!(played.run(&["--fail-on", "refuse"], false).status.code(), Some(3));
    played.forget_steps();
    played.turn("t2", "Nobody has looked.");
    let left = played.run(&["--fail-on", "refuse"], false);
    assert_eq!(left.status.code(), Some(0), "{}", left.stderr());
    assert!(left.stderr().contains("nothing was found"), "{}", left.stderr());
    // And a run that wrote none at all.
    played.forget_steps();
    let left = played.run(&["--fail-on", "refuse"], false);
    assert_eq!(left.status.code(), Some(4));
    assert!(left.stderr().contains("saw no session"), "{}", left.stderr());
    assert_eq!(played.run(&[], false).stderr(), "");
}

#[test]
fn a_session_of_which_nobody_can_tell_is_not_called_clean() {
    let mut played = Played::new();
    // Its start is noted, and then no hook reaches a server.
    played.event("note", "SessionStart", &json!({"source": "startup"}));
    let left = played.run(&["--fail-on", "refuse"], true);
    assert_eq!(left.status.code(), Some(4), "{}", left.stderr());
    assert!(left.stderr().contains("server can't be reached"), "{}", left.stderr());
    let left = played.run(&[], true);
    assert_eq!(left.status.code(), Some(0));
    assert!(left.stderr().contains("did not check this run"), "{}", left.stderr());
}

#[test]
fn what_was_found_is_told_in_plain_text() {
    let mut played = Played::new();
    played.starts("startup", "0.171.0");
    played.turn("t1", &tagged("it \u{1b}]0;title\u{7}\u{1b}[2Jworks\u{202e} on\r\u{9b}2J Windows\u{200b} with ghp_FAKEfake0123456789FAKEfake0123456789"));
    let stderr = played.run(&[], true).stderr();
    assert!(stderr.contains("works") && stderr.contains("Windows"), "{stderr}");
    let bad = stderr
        .chars()
        .find(|c| *c != '\n' && proofmark_server::text::is_unsafe(*c));
    assert_eq!(bad, None, "{stderr:?}");
    assert!(!stderr.contains("FAKEfake"), "{stderr}");
}
