//! One session in a world of its own: its transcript, its events, and how long the hook took for each.
//! What has to come of an event is said by the cases.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use proofmark_tests::process;
use proofmark_tests::world::World;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// What a gate may take while the server is up.
pub(crate) const GATE: Duration = Duration::from_millis(150);
/// What a gate may take when the server has to be started.
pub(crate) const STARTING: Duration = Duration::from_secs(1);
/// What a stop may take.
pub(crate) const STOP: Duration = Duration::from_millis(2_250);
/// What a busy machine may add: the process is started, scheduled and reaped beside other tests.
const SLACK: Duration = Duration::from_millis(400);
/// A program that takes longer hangs.
const HANGS: Duration = Duration::from_secs(60);
/// Something that is to come about without the test's doing has come by then.
const SOON: Duration = Duration::from_secs(15);

/// The claim of the replies.
pub(crate) const CLAIM: &str = "the parser works on Windows";

/// A reply that tags a claim.
pub(crate) fn tagging(claim: &str) -> String {
    format!("Done. {{{{CAT-UNVERIFIED: {claim} -- cannot verify: no Windows box}}}}")
}

/// One session of Claude Code.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    id: String,
    cwd: PathBuf,
    pub(crate) transcript: PathBuf,
    /// The person's turn.
    pub(crate) turn: String,
}

/// One event and what it may take.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    name: String,
    pub(crate) payload: Value,
    limit: Duration,
}

impl Event {
    /// The same event where the server may have to be started first.
    pub(crate) fn starting(self) -> Self {
        Self {
            limit: self.limit.max(STARTING),
            ..self
        }
    }

    /// The event with other members.
    pub(crate) fn with(mut self, members: Value) -> Self {
        for (name, value) in members.as_object().unwrap() {
            self.payload[name] = value.clone();
        }
        self
    }

    /// The event without a member.
    pub(crate) fn without(mut self, member: &str) -> Self {
        self.payload.as_object_mut().unwrap().remove(member).unwrap();
        self
    }
}

impl Session {
    pub(crate) fn new(world: &World, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            cwd: world.project(),
            transcript: world.home().join(format!("{id}.jsonl")),
            turn: "turn-1".to_owned(),
        }
    }

    /// A session whose transcript shows a prompt and a reply that tags the claim, and nothing that tried to look.
    pub(crate) fn untried(world: &World, id: &str) -> Self {
        let session = Self::new(world, id);
        session.write(&[session.prompt_row("Is it ready?"), session.reply_row(&tagging(CLAIM))]);
        session
    }

    fn row(&self, kind: &str, message: Value) -> Value {
        let written = fs::metadata(&self.transcript).map_or(0, |file| file.len());
        json!({
            "type": kind, "uuid": format!("{}-{kind}-{}-{written}", self.id, self.turn), "sessionId": self.id,
            "version": "2.1.332", "promptId": self.turn, "isSidechain": false, "message": message,
        })
    }

    /// A row of the person's.
    pub(crate) fn prompt_row(&self, content: impl Into<Value>) -> Value {
        let mut row = self.row("user", json!({"role": "user", "content": content.into()}));
        row["promptSource"] = json!("typed");
        row["rowSource"] = json!("local");
        row
    }

    /// A row of the agent's.
    pub(crate) fn reply_row(&self, text: &str) -> Value {
        let content = json!([{"type": "text", "text": text}]);
        self.row(
            "assistant",
            json!({"role": "assistant", "model": "m", "content": content}),
        )
    }

    /// A shell command that looked at something, and its result.
    pub(crate) fn look_rows(&self) -> [Value; 2] {
        self.call_rows("Bash", json!({"command": "cat parser.rs"}))
    }

    /// A call that only changed something, and its result.
    pub(crate) fn edit_rows(&self) -> [Value; 2] {
        self.call_rows(
            "Edit",
            json!({"file_path": "parser.rs", "old_string": "a", "new_string": "b"}),
        )
    }

    fn call_rows(&self, tool: &str, input: Value) -> [Value; 2] {
        let call = json!([{"type": "tool_use", "id": "toolu_1", "name": tool, "input": input}]);
        let result =
            json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "fn parse() {}", "is_error": false}]);
        let mut answer = self.row("user", json!({"role": "user", "content": result}));
        answer["toolUseResult"] = json!({"stdout": "fn parse() {}", "stderr": "", "interrupted": false});
        [
            self.row("assistant", json!({"role": "assistant", "model": "m", "content": call})),
            answer,
        ]
    }

    /// Appends rows to the transcript.
    pub(crate) fn write(&self, rows: &[Value]) {
        self.write_bytes(rows.iter().map(|row| format!("{row}\n")).collect::<String>().as_bytes());
    }

    /// Appends bytes to the transcript.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.transcript)
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    fn event(&self, name: &str, limit: Duration) -> Event {
        let payload = json!({
            "hook_event_name": name, "session_id": self.id, "transcript_path": self.transcript, "cwd": self.cwd,
            "prompt_id": self.turn,
        });
        Event {
            name: name.to_owned(),
            payload,
            limit,
        }
    }

    pub(crate) fn start(&self) -> Event {
        self.event("SessionStart", STARTING).with(json!({"source": "startup"}))
    }

    pub(crate) fn prompt(&self, text: &str) -> Event {
        self.event("UserPromptSubmit", GATE).with(json!({"prompt": text}))
    }

    pub(crate) fn gate(&self) -> Event {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_2"});
        self.event("PreToolUse", GATE).with(call)
    }

    pub(crate) fn stop(&self, reply: &str) -> Event {
        self.event("Stop", STOP)
            .with(json!({"last_assistant_message": reply, "stop_hook_active": false}))
    }

    /// The stop of the reply that tags the claim.
    pub(crate) fn tagged_stop(&self) -> Event {
        self.stop(&tagging(CLAIM))
    }

    /// What stands on the ledger about this session's claims.
    pub(crate) fn claims(&self, world: &World) -> Vec<Value> {
        world
            .claims()
            .unwrap()
            .into_iter()
            .filter(|claim| claim["session"] == json!(self.id))
            .collect()
    }
}

/// What a hook left.
#[derive(Debug)]
pub(crate) struct Hooked {
    code: Option<i32>,
    /// What the person reads.
    pub(crate) person: Option<String>,
    /// True when the agent is told something.
    to_agent: bool,
    /// What stands on stderr.
    pub(crate) stderr: String,
}

impl Hooked {
    /// The reply was sent back, for the claim.
    #[track_caller]
    pub(crate) fn is_refused(&self) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.stderr.contains("Proofmark asks for a check"), "{self:?}");
    }

    /// The event passed, and the person is told nothing.
    #[track_caller]
    pub(crate) fn is_silent(&self) {
        assert_eq!(
            (self.code, self.person.as_deref(), self.stderr.as_str()),
            (Some(0), None, "")
        );
    }

    /// The event passed, and the agent is told something that is none of the person's business.
    #[track_caller]
    pub(crate) fn is_taught(&self) {
        assert_eq!(
            (self.code, self.person.as_deref(), self.stderr.as_str()),
            (Some(0), None, "")
        );
        assert!(self.to_agent);
    }

    /// The event passed, and the person reads these words.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        assert!(
            self.person.as_ref().is_some_and(|text| text.contains(words)),
            "{words:?}: {self:?}"
        );
    }
}

/// Puts an event to the hook of a world, which has to answer in time.
#[track_caller]
pub(crate) fn send(world: &World, event: &Event) -> Hooked {
    send_by(world.command(&world.program("proofmark-hook")), event)
}

/// The same with a command of the caller's, which ends with the hook's path.
#[track_caller]
pub(crate) fn send_by(mut command: Command, event: &Event) -> Hooked {
    let begun = Instant::now();
    let done = process::run(command.arg("claude-code"), event.payload.to_string().as_bytes(), HANGS).unwrap();
    let took = begun.elapsed();
    let case = std::thread::current().name().unwrap_or_default().to_owned();
    // For whoever wants the numbers: shown with the output of the tests.
    let (took_ms, limit_ms) = (took.as_millis(), event.limit.as_millis());
    let row = format!("| {case} | {} | {took_ms} | {limit_ms} |\n", event.name);
    io::stderr().write_all(row.as_bytes()).unwrap();
    assert!(
        took < event.limit + SLACK,
        "{} took {took:?} of {:?}: {done:?}",
        event.name,
        event.limit
    );
    let said: Value = match done.stdout.as_str() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap(),
    };
    let person = said["systemMessage"].as_str().map(str::to_owned);
    let to_agent = said["hookSpecificOutput"]["additionalContext"].is_string();
    Hooked {
        code: done.code,
        person,
        to_agent,
        stderr: done.stderr,
    }
}

/// The process that owns a world's state folder.
pub(crate) fn owner(world: &World) -> i32 {
    world.owner().unwrap().unwrap()
}

/// Sends a signal.
pub(crate) fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// True when a process runs, stopped or not.
pub(crate) fn is_running(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// The servers of a state folder that run.
pub(crate) fn servers(state: &Path) -> Vec<i32> {
    of_state(state, "--foreground")
}

/// The processes of a state folder that were started with this argument.
fn of_state(state: &Path, argument: &str) -> Vec<i32> {
    let variable = format!("PROOFMARK_STATE_DIR={}", state.display());
    let holds = |pid: i32, file: &str, word: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        bytes.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    let pids = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| holds(*pid, "cmdline", argument) && holds(*pid, "environ", &variable) && is_running(*pid))
        .collect()
}

/// How many processes look after a server of this state folder.
pub(crate) fn replacers(state: &Path) -> usize {
    of_state(state, "--replace").len()
}

/// Waits for something that comes about without the test's doing.
#[track_caller]
pub(crate) fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + SOON;
    while !is_so() {
        assert!(Instant::now() < end, "never came about: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A file of this length that holds nothing but zeros, and takes no room.
pub(crate) fn sparse(path: &Path, len: u64) {
    let file = File::create(path).unwrap();
    file.write_all_at(&[0], len - 1).unwrap();
}

/// True when this test may do what only root may, and the system has these programs.
pub(crate) fn can(programs: &[&str]) -> bool {
    let exists = |program: &&str| {
        ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
            .iter()
            .any(|dir| Path::new(dir).join(program).is_file())
    };
    rustix::process::geteuid().is_root() && programs.iter().all(exists)
}
