//! Our hooks as Codex takes them on its command line: the events, the commands, and the trust in each of them.
//! What else the person says on that command line stays out.

use crate::install::language::literal;
use crate::install::trust::{Definition, snake};

/// One event that Codex raises (0.171.0).
pub(super) struct Event {
    /// Its key below `hooks`.
    pub(super) name: &'static str,
    /// How long Codex lets a hook run, in seconds. At a session's end it allows 3 at most.
    timeout: u32,
}

/// The events that the hook answers.
#[rustfmt::skip]
pub(super) static EVENTS: [Event; 7] = [
    Event { name: "SessionStart",     timeout: 10 },
    Event { name: "UserPromptSubmit", timeout: 10 },
    Event { name: "PreToolUse",       timeout: 10 },
    Event { name: "Stop",             timeout: 10 },
    Event { name: "SubagentStart",    timeout: 10 },
    Event { name: "SubagentStop",     timeout: 10 },
    Event { name: "SessionEnd",       timeout: 3 },
];

/// What Codex calls the settings file that its command line stands for, in the keys of the trust (0.171.0).
const FLAGS: &str = "/<session-flags>/config.toml";

/// The commands that Codex runs, each a line for a shell.
pub(super) struct Commands {
    /// At every event: the hook.
    pub(super) hook: String,
    /// Beside it when a session starts: the payload is added to the run's list of sessions.
    pub(super) note: String,
}

impl Commands {
    fn of(&self, event: &Event) -> Vec<&str> {
        let mut commands = vec![self.hook.as_str()];
        if event.name == "SessionStart" {
            commands.push(&self.note);
        }
        commands
    }

    /// Our group of an event, as an inline table.
    pub(super) fn group(&self, event: &Event) -> String {
        let handler = |command: &&str| {
            format!(
                "{{type=\"command\",command={},timeout={}}}",
                literal(command),
                event.timeout
            )
        };
        let handlers: Vec<String> = self.of(event).iter().map(handler).collect();
        format!("{{hooks=[{}]}}", handlers.join(","))
    }

    /// The entries of `hooks.state` by which our group of an event is trusted where it stands behind `before` others.
    /// Trust is given for this one run and for these commands alone: whatever else the person has not trusted stays so.
    pub(super) fn trust(&self, event: &Event, before: usize) -> Vec<String> {
        let entry = |(nth, command): (usize, &&str)| {
            let key = format!("{FLAGS}:{}:{before}:{nth}", snake(event.name));
            format!("{}={{trusted_hash=\"{}\"}}", literal(&key), identity(event, command))
        };
        self.of(event).iter().enumerate().map(entry).collect()
    }
}

/// What Codex remembers of a hook that is trusted.
fn identity(event: &Event, command: &str) -> String {
    let definition = Definition {
        event: event.name,
        command,
        timeout: event.timeout.into(),
        waits: true,
        status: None,
        matcher: None,
    };
    definition.hash()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str) -> &'static Event {
        EVENTS.iter().find(|event| event.name == name).unwrap()
    }

    #[test]
    fn the_identity_is_codexs() {
        // Computed apart from this code, by the rule that Codex 0.171.0 follows.
        let cases = [
            (
                "Stop",
                "'/a b/proofmark-hook' codex",
                "sha256:a6cb51ebb9400d2890c3352c54cca5a15890cb958d0f004b0a1e96da56116802",
            ),
            (
                "SessionEnd",
                "é\"\\",
                "sha256:9037a04d7e3a93009a3221b21bbe0a6f30b16226e7c44a99c84e674ac9ba9364",
            ),
        ];
        for (name, command, hash) in cases {
            assert_eq!(identity(event(name), command), hash, "{name}");
        }
    }

    #[test]
    fn whatever_the_command_toml_reads_it_back() {
        for command in ["'/a b'\\''s/hook' codex", "é\u{1}\u{7f}\t\n\"\\", "x"] {
            let commands = Commands {
                hook: command.to_owned(),
                note: format!("cat >>{command}"),
            };
            for (name, handlers) in [("Stop", 1), ("SessionStart", 2)] {
                let text = format!("x = {}", commands.group(event(name)));
                let table: toml::Table = text.parse().unwrap();
                let hooks = table["x"]["hooks"].as_array().unwrap();
                assert_eq!(hooks.len(), handlers);
                assert_eq!(hooks[0]["command"].as_str(), Some(command));
                let state = format!("x = {{{}}}", commands.trust(event(name), 2).join(","));
                let table: toml::Table = state.parse().unwrap();
                let state = table["x"].as_table().unwrap();
                assert_eq!(state.len(), handlers);
                let key = format!("/<session-flags>/config.toml:{}:2:0", snake(name));
                assert!(
                    state[&key]["trusted_hash"].as_str().unwrap().starts_with("sha256:"),
                    "{state:?}"
                );
            }
        }
    }
}
