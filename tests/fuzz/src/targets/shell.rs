//! Shell commands: what they do and which checks they run, within bounds, and the same whatever blank lines stand around.
//! What single commands do is held by tables in `fixtures/`.

use proofmark_server::evidence::call::Known;
use proofmark_server::evidence::check::{Purpose, RUNNERS, Relation, Run, relation, runs};
use proofmark_server::evidence::shell::{ShellEffects, changes, effects};
use proofmark_server::text::check_names;

use crate::input::Input;

/// More runs than this are none that can be told.
const MAX_RUNS: usize = 100;
/// More of them are not held against each other here.
const COMPARED: usize = 8;

/// All of it is the command.
pub fn run(data: &[u8]) {
    let command = Input::new(data).text();
    let does = effects(&command);
    let changed = changes(&command);
    let checks = runs(&command);
    assert!(changed.iter().all(|path| !path.is_empty()));
    if !changed.is_empty() {
        assert_ne!(does.mutates, Known::No, "{changed:?} are changed");
    }
    if let Some(checks) = &checks {
        assert!(checks.len() <= MAX_RUNS);
        for run in checks {
            assert!(RUNNERS.contains(&run.runner.as_str()), "{}", run.runner);
            assert!(!run.key().is_empty());
            assert_eq!(relation(run, run), Relation::Same, "{run:?}");
            check_names(&run.runner, &run.selection, &command);
            let moved = run.clone().in_folder("/srv/work");
            assert_eq!(relation(&moved, &moved), Relation::Same, "{moved:?}");
        }
        for one in checks.iter().take(COMPARED) {
            for other in checks.iter().take(COMPARED) {
                assert_eq!(relation(one, other), reversed(relation(other, one)), "{one:?} and {other:?}");
            }
        }
        if checks.iter().any(|run| run.purpose == Purpose::Check) {
            assert_ne!(does.observes, Known::No, "a check that runs shows something");
        }
    }
    // A line end before a command is nothing, and so is one behind, save where it is quoted by a backslash. What can't be
    // read with it may be read without it: then nobody can tell.
    let before = format!("\n{command}");
    agree((does, &checks), (effects(&before), &runs(&before)), "an empty line before");
    if !command.ends_with('\\') {
        let behind = format!("{command}\n");
        agree((does, &checks), (effects(&behind), &runs(&behind)), "an empty line behind");
    }
}

type Read<'r> = (ShellEffects, &'r Option<Vec<Run>>);

/// Two readings of which neither says yes where the other says no.
fn agree((one, runs): Read<'_>, (other, others): Read<'_>, why: &str) {
    for (one, other) in [(one.observes, other.observes), (one.mutates, other.mutates)] {
        assert!(one == other || one == Known::Unknown || other == Known::Unknown, "{why}: {one:?}, {other:?}");
    }
    if let (Some(runs), Some(others)) = (runs, others) {
        assert_eq!(runs, others, "{why}");
    }
}

fn reversed(relation: Relation) -> Relation {
    match relation {
        Relation::Narrower => Relation::Wider,
        Relation::Wider => Relation::Narrower,
        same => same,
    }
}
