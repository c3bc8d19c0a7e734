//! The three facts about one call, from what its tool is for and how it ended.
//! Reading a shell command is `shell`'s business.

use serde::{Deserialize, Serialize};

use super::memo;
use super::shell::ShellEffects;
use crate::session::entry::{Ending, ToolKind};

/// An answer that may be unknown; unknown is neither yes nor no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Known {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// Nobody can tell.
    Unknown,
}

/// What one call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFacts {
    /// A look at something was started, or refused by harness or person: it excuses a tag.
    pub attempted: Known,
    /// It ran and could see something: it settles a claim.
    pub observed: Known,
    /// It ran and changed files that are no build output, or the outside world.
    pub mutated: Known,
}

/// What a call did. `ending` is none while no result is on record.
///
/// - A call that failed has run: it showed a failure. What it changed before that is unknown, as it is for a command whose
///   end says neither. A tool that edits says so when it fails: one whose end says nothing has edited.
/// - A refused call (`Ending::Denied`) was attempted when it would have looked, and did nothing else.
/// - A call that was cut off, goes on in the background or has no result yet has shown nothing so far.
/// - A helper's call is unknown here, its own record says the rest; a refused one saw and changed nothing, and whether
///   it would have looked stays unknown.
/// - A tool that nobody described counts as attempted: it must never be read as guilt.
pub fn facts(kind: &ToolKind, ending: Option<Ending>) -> CallFacts {
    let effects = match kind {
        ToolKind::Shell { command } => memo::command(command).effects(),
        _ => ShellEffects::NOTHING,
    };
    facts_with(effects, kind, ending)
}

/// As [`facts`], of a call that has begun with these facts: a command that changes nothing is not read again.
pub(crate) fn facts_at_end(begun: CallFacts, kind: &ToolKind, ending: Ending) -> CallFacts {
    if begun.mutated != Known::No {
        return facts(kind, Some(ending));
    }
    let effects = ShellEffects {
        observes: begun.attempted,
        mutates: Known::No,
    };
    facts_with(effects, kind, Some(ending))
}

/// As [`facts`]; `effects` are those of the command, where the call runs one.
pub(crate) fn facts_with(effects: ShellEffects, kind: &ToolKind, ending: Option<Ending>) -> CallFacts {
    let (attempted, ShellEffects { observes, mutates }) = match kind {
        ToolKind::Shell { .. } => (effects.observes, effects),
        ToolKind::Observes => (
            Known::Yes,
            ShellEffects {
                observes: Known::Yes,
                mutates: Known::No,
            },
        ),
        ToolKind::Mutates => (
            Known::No,
            ShellEffects {
                observes: Known::No,
                mutates: Known::Yes,
            },
        ),
        ToolKind::Delegates => (
            Known::Unknown,
            ShellEffects {
                observes: Known::Unknown,
                mutates: Known::Unknown,
            },
        ),
        ToolKind::Asks | ToolKind::Neither => (
            Known::No,
            ShellEffects {
                observes: Known::No,
                mutates: Known::No,
            },
        ),
        ToolKind::Unknown => (
            Known::Yes,
            ShellEffects {
                observes: Known::Unknown,
                mutates: Known::Unknown,
            },
        ),
    };
    let observed = match ending {
        Some(Ending::Succeeded | Ending::Failed | Ending::Untold) => observes,
        // A helper looks on its own, whatever became of the call that started it.
        _ if *kind == ToolKind::Delegates && ending != Some(Ending::Denied) => observes,
        _ => Known::No,
    };
    let mutated = match (ending, mutates) {
        (Some(Ending::Denied), _) | (_, Known::No) => Known::No,
        (Some(Ending::Succeeded), known) => known,
        (Some(Ending::Untold), known) if *kind == ToolKind::Mutates => known,
        (Some(Ending::Background), known) if matches!(kind, ToolKind::Shell { .. }) => known,
        _ => Known::Unknown,
    };
    CallFacts {
        attempted,
        observed,
        mutated,
    }
}

#[cfg(test)]
mod tests {
    use super::Known::{No, Unknown, Yes};
    use super::*;

    fn shell(command: &str) -> ToolKind {
        ToolKind::Shell {
            command: command.to_owned(),
        }
    }

    #[test]
    fn every_kind_with_every_ending() {
        let endings = [
            Some(Ending::Succeeded),
            Some(Ending::Failed),
            Some(Ending::Untold),
            Some(Ending::Denied),
            Some(Ending::Interrupted),
            Some(Ending::Background),
            None,
        ];
        // One row a kind: attempted, then observed and mutated by ending in the order above.
        let rows = [
            (
                shell("cargo test"),
                Yes,
                [Yes, Yes, Yes, No, No, No, No],
                [No, No, No, No, No, No, No],
            ),
            (shell("echo ok"), No, [No; 7], [No; 7]),
            (
                shell("rm f"),
                No,
                [No; 7],
                [Yes, Unknown, Unknown, No, Unknown, Yes, Unknown],
            ),
            (
                shell("git push"),
                Yes,
                [Yes, Yes, Yes, No, No, No, No],
                [Yes, Unknown, Unknown, No, Unknown, Yes, Unknown],
            ),
            (
                shell("make"),
                Yes,
                [Yes, Yes, Yes, No, No, No, No],
                [Unknown, Unknown, Unknown, No, Unknown, Unknown, Unknown],
            ),
            (
                shell("$X"),
                Unknown,
                [Unknown, Unknown, Unknown, No, No, No, No],
                [Unknown, Unknown, Unknown, No, Unknown, Unknown, Unknown],
            ),
            (ToolKind::Observes, Yes, [Yes, Yes, Yes, No, No, No, No], [No; 7]),
            (
                ToolKind::Mutates,
                No,
                [No; 7],
                [Yes, Unknown, Yes, No, Unknown, Unknown, Unknown],
            ),
            (
                ToolKind::Delegates,
                Unknown,
                [Unknown, Unknown, Unknown, No, Unknown, Unknown, Unknown],
                [Unknown, Unknown, Unknown, No, Unknown, Unknown, Unknown],
            ),
            (ToolKind::Asks, No, [No; 7], [No; 7]),
            (ToolKind::Neither, No, [No; 7], [No; 7]),
            (
                ToolKind::Unknown,
                Yes,
                [Unknown, Unknown, Unknown, No, No, No, No],
                [Unknown, Unknown, Unknown, No, Unknown, Unknown, Unknown],
            ),
        ];
        for (kind, attempted, observed, mutated) in rows {
            for (at, ending) in endings.into_iter().enumerate() {
                let expected = CallFacts {
                    attempted,
                    observed: observed[at],
                    mutated: mutated[at],
                };
                assert_eq!(facts(&kind, ending), expected, "{kind:?} {ending:?}");
                if let Some(ending) = ending {
                    let at_end = facts_at_end(facts(&kind, None), &kind, ending);
                    assert_eq!(at_end, expected, "{kind:?} {ending:?}");
                }
            }
        }
    }
}
