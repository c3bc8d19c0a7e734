//! What was read of commands a moment ago: the end of a call asks again what its beginning asked, and agents run the same
//! few commands all day. How a command is read stays out; a memo only spares the parser.

use std::cell::{OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::check::{self, Run};
use super::shell::{self, Changes, ShellEffects};

/// So many commands are remembered by a thread, the newest; one for which nobody asks goes.
const MOST: usize = 32;
/// A longer one is read each time, in bytes: 32 of these are 64 KiB.
const LONGEST: usize = 2_048;

thread_local! {
    // Of a thread and not of a session, since a thousand sessions would hold a thousand of them.
    static NEWEST: RefCell<VecDeque<Rc<Command>>> = const { RefCell::new(VecDeque::new()) };
}

/// A command, and what was read of it so far.
#[derive(Debug)]
pub(crate) struct Command {
    text: String,
    does: OnceCell<(ShellEffects, Changes)>,
    runs: OnceCell<Option<Vec<Run>>>,
}

/// A command, with what is remembered of it.
pub(crate) fn command(text: &str) -> Rc<Command> {
    NEWEST.with_borrow_mut(|newest| {
        let known = newest.iter().rposition(|known| known.text == text);
        let command = known.and_then(|at| newest.remove(at)).unwrap_or_else(|| {
            Rc::new(Command {
                text: text.to_owned(),
                does: OnceCell::new(),
                runs: OnceCell::new(),
            })
        });
        if text.len() <= LONGEST {
            if newest.len() == MOST {
                newest.pop_front();
            }
            newest.push_back(Rc::clone(&command));
        }
        command
    })
}

impl Command {
    /// As [`shell::effects`].
    pub(crate) fn effects(&self) -> ShellEffects {
        self.does().0
    }

    /// What it changes, as far as its text names it.
    pub(crate) fn changes(&self) -> &Changes {
        &self.does().1
    }

    /// As [`check::runs`].
    pub(crate) fn runs(&self) -> Option<&[Run]> {
        self.runs.get_or_init(|| check::runs(&self.text)).as_deref()
    }

    fn does(&self) -> &(ShellEffects, Changes) {
        self.does.get_or_init(|| shell::read(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_would_be_read() {
        let long = format!("echo {} > f", "x".repeat(LONGEST));
        let many: Vec<String> = (0..MOST + 8).map(|number| format!("touch f{number}")).collect();
        let usual = [
            "cargo test",
            "",
            "echo \"",
            "sed -i s/a/b/ f && pytest -q | tail -3",
            &long,
        ];
        for _ in 0..2 {
            for text in usual.into_iter().chain(many.iter().map(String::as_str)) {
                let known = command(text);
                assert_eq!(known.effects(), shell::effects(text), "{text}");
                assert_eq!(*known.changes(), shell::read(text).1, "{text}");
                assert_eq!(known.runs(), check::runs(text).as_deref(), "{text}");
            }
        }
    }

    #[test]
    fn a_command_is_read_once_while_it_is_among_the_newest() {
        let first = command("make check");
        assert!(Rc::ptr_eq(&first, &command("make check")));
        for number in 0..MOST {
            command(&format!("true {number}"));
        }
        assert!(!Rc::ptr_eq(&first, &command("make check")));
        let long = "x".repeat(LONGEST + 1);
        assert!(!Rc::ptr_eq(&command(&long), &command(&long)));
        NEWEST.with_borrow(|newest| assert_eq!(newest.len(), MOST));
    }
}
