//! Sessions of the three harnesses as the hook sees them: records that grow, and payloads of each harness's shape.
//! What is said in a session, and what has to come of it, stays out.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use crate::world::World;

/// What the promises give a gate, where a server may have to be started, and a stop.
const GATE: Duration = Duration::from_millis(1_000);
const STOP: Duration = Duration::from_millis(2_250);

/// One event, as the harness gives it to the hook.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) harness: Harness,
    /// In whose settings the hook is registered: Cursor reads those of Claude Code too.
    pub(crate) registered: Harness,
    pub(crate) name: &'static str,
    pub(crate) payload: Vec<u8>,
    /// How long the hook may take.
    pub(crate) limit: Duration,
}

/// One session.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    pub(crate) harness: Harness,
    pub(crate) id: String,
    record: PathBuf,
    cwd: PathBuf,
    turn: u32,
    rows: u32,
    loops: u32,
}

/// The names of one event at Claude Code and Codex, and at Cursor.
type Name = (&'static str, &'static str);

impl Talk {
    /// A session that has not begun.
    ///
    /// # Errors
    /// There is no room for its record.
    pub(crate) fn new(world: &World, harness: Harness, id: &str) -> Result<Self> {
        let home = world.home();
        let record = match harness {
            Harness::ClaudeCode => home.join(format!(".claude/projects/p/{id}.jsonl")),
            Harness::Codex => home.join(format!(
                ".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{id}.jsonl"
            )),
            Harness::Cursor => home.join(format!(".cursor/projects/p/agent-transcripts/{id}/{id}.jsonl")),
        };
        fs::create_dir_all(record.parent().context("a record without a folder")?)?;
        let talk = Self {
            harness,
            id: id.to_owned(),
            record,
            cwd: world.project(),
            turn: 0,
            rows: 0,
            loops: 0,
        };
        if harness == Harness::Codex {
            let meta = json!({
                "id": id, "session_id": id, "cwd": talk.cwd, "cli_version": "0.171.0", "source": "exec",
                "history_mode": "paginated",
            });
            talk.line(&dated("session_meta", &meta))?;
        }
        Ok(talk)
    }

    fn line(&self, row: &Value) -> Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.record)?;
        Ok(file.write_all(format!("{row}\n").as_bytes())?)
    }

    /// A message of Claude Code's or Cursor's, or an item of Codex's, in the record.
    fn says(&mut self, role: &str, content: &Value, more: Value) -> Result<()> {
        self.rows += 1;
        let mut row = match self.harness {
            Harness::ClaudeCode => json!({
                "type": role, "uuid": format!("{}-{}", self.id, self.rows), "sessionId": self.id,
                "version": "2.1.332", "promptId": format!("prompt-{}", self.turn), "isSidechain": false,
                "message": {"role": role, "content": content},
            }),
            Harness::Codex => dated(
                "event_msg",
                &json!({"type": "item_completed", "turn_id": self.generation(), "item": content}),
            ),
            Harness::Cursor => json!({"role": role, "message": {"content": content}}),
        };
        extend(&mut row, more);
        self.line(&row)
    }

    fn generation(&self) -> String {
        format!("{}-t{}", self.id, self.turn)
    }

    fn event(&self, (name, cursors): Name, limit: Duration, own: Value) -> Event {
        let (name, mut payload) = match self.harness {
            Harness::ClaudeCode => {
                let payload =
                    json!({"session_id": self.id, "prompt_id": format!("prompt-{}", self.turn), "cwd": self.cwd});
                (name, payload)
            }
            Harness::Codex => {
                let payload = json!({
                    "session_id": self.id, "turn_id": self.generation(), "cwd": self.cwd, "model": "gpt-5.5",
                    "permission_mode": "bypassPermissions",
                });
                (name, payload)
            }
            Harness::Cursor => {
                let payload = json!({
                    "conversation_id": self.id, "session_id": self.id, "generation_id": self.generation(),
                    "cursor_version": "3.21.18", "workspace_roots": [self.cwd], "cwd": "",
                });
                (cursors, payload)
            }
        };
        payload["hook_event_name"] = json!(name);
        payload["transcript_path"] = json!(self.record);
        extend(&mut payload, own);
        Event {
            harness: self.harness,
            registered: self.harness,
            name,
            payload: payload.to_string().into_bytes(),
            limit,
        }
    }

    pub(crate) fn start(&self) -> Event {
        self.event(("SessionStart", "sessionStart"), GATE, json!({"source": "startup"}))
    }

    pub(crate) fn end(&self) -> Event {
        self.event(("SessionEnd", "sessionEnd"), GATE, json!({"reason": "other"}))
    }

    /// The person speaks: the event comes before the row.
    pub(crate) fn prompt(&mut self, words: &str) -> Event {
        self.turn += 1;
        self.loops = 0;
        self.event(
            ("UserPromptSubmit", "beforeSubmitPrompt"),
            GATE,
            json!({"prompt": words}),
        )
    }

    /// The row of a prompt.
    ///
    /// # Errors
    /// The record can't be written; so it is with all that write it.
    pub(crate) fn prompted(&mut self, words: &str) -> Result<()> {
        match self.harness {
            Harness::ClaudeCode => self.says("user", &json!(words), json!({"promptSource": "typed"})),
            Harness::Codex => {
                self.line(&dated(
                    "event_msg",
                    &json!({"type": "task_started", "turn_id": self.generation()}),
                ))?;
                let content = json!([{"type": "text", "text": words}]);
                let id = format!("prompt-{}", self.generation());
                self.says(
                    "user",
                    &json!({"type": "UserMessage", "id": id, "content": content}),
                    json!({}),
                )
            }
            Harness::Cursor => {
                let query = format!("<user_query>\n{words}\n</user_query>");
                self.says("user", &json!([{"type": "text", "text": query}]), json!({}))
            }
        }
    }

    /// The agent is about to run a command.
    pub(crate) fn gate(&mut self, command: &str) -> Event {
        self.rows += 1;
        let id = format!("{}-c{}", self.id, self.rows);
        let tool = self.shell();
        self.event(
            ("PreToolUse", "preToolUse"),
            GATE,
            json!({"tool_name": tool, "tool_input": {"command": command}, "tool_use_id": id}),
        )
    }

    /// The agent is about to change a file.
    pub(crate) fn edit_gate(&mut self, path: &str) -> Event {
        self.rows += 1;
        let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
        let id = format!("{}-c{}", self.id, self.rows);
        self.event(
            ("PreToolUse", "preToolUse"),
            GATE,
            json!({"tool_name": "Edit", "tool_input": input, "tool_use_id": id}),
        )
    }

    fn shell(&self) -> &'static str {
        if self.harness == Harness::Cursor {
            "Shell"
        } else {
            "Bash"
        }
    }

    /// A command has run. Cursor tells that by events, whose record has no results.
    pub(crate) fn ran(&mut self, command: &str, exit: i32, output: &str) -> Result<Vec<Event>> {
        self.rows += 1;
        let id = format!("{}-r{}", self.id, self.rows);
        match self.harness {
            Harness::ClaudeCode => {
                let call = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
                self.says("assistant", &call, json!({}))?;
                let shown = if exit == 0 {
                    output.to_owned()
                } else {
                    format!("Exit code {exit}\n{output}")
                };
                let result =
                    json!([{"type": "tool_result", "tool_use_id": id, "content": shown, "is_error": exit != 0}]);
                self.says("user", &result, json!({}))?;
                Ok(Vec::new())
            }
            Harness::Codex => {
                let source = format!("text(await tools.exec_command({{cmd: {}}}))", json!(command));
                let call = json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": source});
                self.line(&dated("response_item", &call))?;
                let ran = json!({
                    "type": "CommandExecution", "id": format!("exec-{id}"), "command": ["/bin/bash", "-lc", command],
                    "exit_code": exit, "aggregated_output": output,
                });
                self.says("assistant", &ran, json!({}))?;
                let end =
                    json!({"type": "custom_tool_call_output", "call_id": id, "output": "Script completed\nOutput:\n"});
                self.line(&dated("response_item", &end))?;
                Ok(Vec::new())
            }
            Harness::Cursor => {
                let ran = json!({"command": command, "output": output, "duration": 41.5});
                let input = json!({"command": command, "cwd": "", "timeout": 30000});
                let mut own = json!({"tool_name": "Shell", "tool_input": input, "tool_use_id": id, "duration": 41.5});
                let name = if exit == 0 {
                    own["tool_output"] = json!(json!({"output": output, "exitCode": 0}).to_string());
                    "postToolUse"
                } else {
                    extend(
                        &mut own,
                        json!({"error_message": output, "failure_type": "error", "is_interrupt": false}),
                    );
                    "postToolUseFailure"
                };
                let call = json!([{"type": "tool_use", "name": "Shell", "input": {"command": command}}]);
                self.says("assistant", &call, json!({}))?;
                Ok(vec![
                    self.event(("", "afterShellExecution"), GATE, ran),
                    self.event(("", name), GATE, own),
                ])
            }
        }
    }

    /// A file was changed; only of Claude Code.
    pub(crate) fn edited(&mut self, path: &str) -> Result<()> {
        self.rows += 1;
        let id = format!("{}-e{}", self.id, self.rows);
        let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
        let call = json!([{"type": "tool_use", "id": id, "name": "Edit", "input": input}]);
        self.says("assistant", &call, json!({}))?;
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "ok"}]);
        self.says("user", &result, json!({}))
    }

    /// The row of the agent's last words.
    pub(crate) fn replied(&mut self, text: &str) -> Result<()> {
        let block = json!([{"type": "text", "text": text}]);
        match self.harness {
            Harness::Codex => {
                let content = json!([{"type": "Text", "text": text}]);
                self.says(
                    "assistant",
                    &json!({"type": "AgentMessage", "id": "m", "content": content}),
                    json!({}),
                )
            }
            Harness::ClaudeCode | Harness::Cursor => self.says("assistant", &block, json!({})),
        }
    }

    /// Cursor tells the agent's last words before the stop.
    pub(crate) fn reply(&self, text: &str) -> Option<Event> {
        let own = json!({"text": text, "input_tokens": 9});
        (self.harness == Harness::Cursor).then(|| self.event(("", "afterAgentResponse"), GATE, own))
    }

    /// The agent wants to end its turn.
    pub(crate) fn stop(&self, text: &str, rewrite: bool) -> Event {
        let own = match self.harness {
            Harness::Cursor => json!({"status": "completed", "loop_count": self.loops}),
            _ => json!({"last_assistant_message": text, "stop_hook_active": rewrite}),
        };
        self.event(("Stop", "stop"), STOP, own)
    }

    /// The agent was sent back: how the harness puts that into its record, and the event of Cursor's follow-up.
    pub(crate) fn sent_back(&mut self, reason: &str) -> Result<Option<Event>> {
        match self.harness {
            Harness::ClaudeCode => {
                let text = format!("Stop hook feedback:\n[proofmark-hook claude-code]: {reason}");
                self.says("user", &json!(text), json!({"isMeta": true}))?;
                Ok(None)
            }
            Harness::Codex => {
                let text = format!("<hook_prompt hook_run_id=\"stop:1:/hooks.json\">{reason}</hook_prompt>");
                let content = json!([{"type": "input_text", "text": text}]);
                let message = json!({"type": "message", "role": "user", "content": content});
                self.line(&dated("response_item", &message))?;
                Ok(None)
            }
            Harness::Cursor => {
                let loops = self.loops + 1;
                let event = self.prompt(reason);
                self.loops = loops;
                self.prompted(reason)?;
                Ok(Some(event))
            }
        }
    }
}

fn dated(kind: &str, payload: &Value) -> Value {
    json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload})
}

fn extend(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}
