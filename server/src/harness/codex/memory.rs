//! What is remembered of a rollout's earlier lines: whose it is, its turn, and calls that later lines speak of.
//! What lines mean stays out. All of it is bounded: of too much the oldest is forgotten, which costs a join, no more.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::code::Asked;
use super::fork::Copying;

/// So many things of a kind are remembered.
const MAX: usize = 256;
/// A longer name is not remembered, in bytes: Codex's own are uuids and short words.
const MAX_NAME: usize = 512;

/// What is remembered of one rollout.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The first `session_meta` was met: later ones are those of resumes and of the session that was copied.
    pub(super) met: bool,
    /// The newer form, in which `item_completed` tells what was said and what ran (`history_mode`, first met in 0.171.0).
    pub(super) paginated: bool,
    /// The beginning of the file is a copy of the parent's.
    pub(super) copying: Option<Copying>,
    /// The copy is over, and what the helper was told to do has not been met.
    pub(super) untasked: bool,
    /// The newest turn.
    pub(super) turn: Option<String>,
    /// Whether a turn is known to run.
    pub(super) run: Run,
    /// Prompts so far.
    pub(super) prompts: u64,
    /// What was shown last, when another line may say it again.
    pub(super) shown: Option<Shown>,
    /// Calls without a result, by id.
    pub(super) pending: Recent<Pending>,
    /// Calls that have ended, by id: whether an exit code was told.
    pub(super) ended: Recent<bool>,
    /// Commands that go on, by the number that `write_stdin` names them by: the call that started each.
    pub(super) processes: Recent<String>,
    /// Helper agents, by thread: the call that started each.
    pub(super) helpers: Recent<String>,
    /// Scripts that go on, by the number that `wait` names them by: their calls.
    pub(super) cells: Recent<String>,
    /// What scripts asked for and no line has shown to have ended, by the script's call.
    pub(super) scripts: Recent<Vec<Asked>>,
}

/// What is known of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Run {
    /// Nothing: older files and pieces of files do not tell.
    #[default]
    Unknown,
    /// It has begun, and its prompt is to come.
    Begun,
    /// The agent works on its prompt.
    Works,
    /// It is over.
    Over,
}

/// What was shown last. A prompt and a text each stand two or three times in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Shown {
    /// A prompt, by the message to the model: the event that tells it again comes next.
    PromptMessage,
    /// A text of the agent's, by the event: the message that holds it again comes next.
    TextEvent,
    /// A text of the agent's, by the message: its hash, as what the agent said is not stored.
    TextMessage(u64),
}

/// A call without a result, as far as its output has to be read in a way of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pending {
    /// A shell command or a patch: the output tells an exit code.
    Command,
    /// A look at a running command, or words typed into it.
    Process(i64),
    /// A script of code mode.
    Script,
    /// A look at a running script.
    Cell(String),
    /// It starts a helper agent.
    Spawn,
    /// It waits for helper agents, or tells one more to do: those that it names.
    Helpers(Vec<String>),
    /// Any other.
    Other,
}

/// The newest things of a kind, each by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recent<T>(VecDeque<(String, T)>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Recent<T> {
    /// Remembers a thing; an older one of the same name is forgotten.
    pub(super) fn put(&mut self, name: &str, thing: T) {
        if name.len() > MAX_NAME {
            return;
        }
        self.take(name);
        if self.0.len() == MAX {
            self.0.pop_front();
        }
        self.0.push_back((name.to_owned(), thing));
    }

    /// The thing of that name.
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        let (_, thing) = self.0.iter().rev().find(|(known, _)| known == name)?;
        Some(thing)
    }

    /// Forgets the thing of that name, and returns it.
    pub(super) fn take(&mut self, name: &str) -> Option<T> {
        let at = self.0.iter().rposition(|(known, _)| known == name)?;
        self.0.remove(at).map(|(_, thing)| thing)
    }

    /// The things, the newest first.
    pub(super) fn newest(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().rev().map(|(_, thing)| thing)
    }

    /// The name of the newest thing that is so.
    pub(super) fn name_of(&self, is_so: impl Fn(&T) -> bool) -> Option<&str> {
        let (name, _) = self.0.iter().rev().find(|(_, thing)| is_so(thing))?;
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_things_are_remembered() {
        let mut recent = Recent::default();
        for number in 0..300 {
            recent.put(&format!("n{number}"), number);
        }
        recent.put("n299", 7);
        recent.put(&"x".repeat(MAX_NAME + 1), 8);
        assert_eq!((recent.get("n43"), recent.get("n44")), (None, Some(&44)));
        assert_eq!(recent.name_of(|number| *number == 99), Some("n99"));
        assert_eq!((recent.take("n299"), recent.take("n299")), (Some(7), None));
        assert_eq!(recent.newest().count(), MAX - 1);
    }
}
