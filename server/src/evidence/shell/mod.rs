//! What a shell command does, read from its syntax tree.
//! Running anything, and what its output says, stays out.

mod changes;
mod compound;
pub(super) mod grammar;
pub(super) mod heredoc;
mod invoke;
pub(crate) mod patch;
pub(super) mod programs;
mod python;
pub(super) mod readers;
mod redirect;
mod scripts;
#[cfg(test)]
mod tests;
pub(super) mod tree;
pub(super) mod walk;
pub(super) mod word;

pub use changes::changes;
pub(crate) use changes::{Changed, Changes, read};

use super::call::Known;
use walk::Walk;

/// What a command would do when it runs to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellEffects {
    /// It can show something of the world that the command's text does not already say.
    pub observes: Known,
    /// It changes files that are no build output, or the outside world.
    pub mutates: Known,
}

impl ShellEffects {
    pub(super) const NOTHING: Self = Self::new(Known::No, Known::No);
    const UNKNOWN: Self = Self::new(Known::Unknown, Known::Unknown);
    const LOOKS: Self = Self::new(Known::Yes, Known::No);
    const CHANGES: Self = Self::new(Known::No, Known::Yes);
    /// A program that nobody described: it shows at least how it ended.
    const RUNS_CODE: Self = Self::new(Known::Yes, Known::Unknown);

    const fn new(observes: Known, mutates: Known) -> Self {
        Self { observes, mutates }
    }

    /// What two commands do together.
    fn join(self, other: Self) -> Self {
        Self::new(
            either(self.observes, other.observes),
            either(self.mutates, other.mutates),
        )
    }
}

/// One certain part makes the whole certain; one unknown part keeps it from being a no.
fn either(a: Known, b: Known) -> Known {
    match (a, b) {
        (Known::Yes, _) | (_, Known::Yes) => Known::Yes,
        (Known::No, Known::No) => Known::No,
        _ => Known::Unknown,
    }
}

/// Reads what `command` does, as bash 5 would take it.
///
/// - A look counts even when its output is thrown away (`ls > /dev/null`): how it ended is still shown. `pwd`, `date`
///   and the like count too: weak looks, but their answers stand nowhere in the command.
/// - `echo`, `sleep`, `true` and other commands whose outcome the text already tells see nothing, and neither does a
///   filter (`grep x`, `head`) that reads only what such a command gives it.
/// - A command that never runs (`true || cat f`, what follows `exit`) does nothing.
/// - A file that is written counts as changed wherever it lies, `/dev/null` and its kin excepted.
/// - What cannot be parsed, is longer than 64 KiB, nests too deeply or holds more than 512 bars (`|`) is unknown, never a no.
pub fn effects(command: &str) -> ShellEffects {
    measured(command).0
}

/// The effects, and how much work it was to find them.
fn measured(command: &str) -> (ShellEffects, usize) {
    let (Some(command), Some(mut walk)) = (grammar::admitted(command), Walk::new()) else {
        return (ShellEffects::UNKNOWN, 0);
    };
    let effects = walk.script(&command, &walk::Input::default(), 0);
    (effects, walk.grammar.work)
}
