//! Whether a harness that asks for trust has it for our hooks: by its own word, and by its settings.
//! Giving trust stays out.

use super::check::Check;
use super::harness::{Listed, Row};
use super::installed::{Folder, Known};
use crate::install::harness::Spec;
use crate::install::setup;
use crate::install::trust::{self, State, Trust};

/// The check's name.
const NAME: &str = "trust";

/// What the harness says of our hooks in a folder; none where it asks for no trust, or none of ours is there.
pub(crate) fn check(spec: &Spec, row: &Row, known: &Known<'_>, folder: &Folder) -> Option<Check> {
    let (main, listed) = (folder.main(spec), row.listed?);
    let ours = setup::trusts(spec, known.request, main, main.root.as_ref()?);
    if !spec.asks_trust || ours.is_empty() {
        return None;
    }
    let toml = match setup::user_toml(spec, known.request) {
        Ok(toml) => toml,
        Err(error) => {
            return Some(Check::unchecked(
                NAME,
                format!("{error:#}."),
                "Mend that file, and run this again.",
            ));
        }
    };
    let written: Vec<(Trust, State)> = ours
        .into_iter()
        .map(|ours| {
            let state = trust::state(toml.as_ref().and_then(|toml| toml.root.as_ref()), &ours);
            (ours, state)
        })
        .collect();
    let told = match known.found.programs.first() {
        Some(program) => listed(program).map_err(|trouble| trouble.to_string()),
        None => Err("its program is not on PATH".to_owned()),
    };
    Some(judge(spec, &written, &told))
}

/// The harness's own word goes before what its settings say: it alone knows what it runs.
fn judge(spec: &Spec, written: &[(Trust, State)], told: &Result<Vec<Listed>, String>) -> Check {
    let title = spec.title;
    let mend = format!(
        "Start {title}, type /hooks and review the hooks of Proofmark; or run `proofmark install {} --trust` if you trust them as they are.",
        spec.harness
    );
    let off: Vec<String> = match told {
        Ok(listed) => {
            let of = |key: &str| listed.iter().find(|hook| hook.key == key);
            let told = written.iter().filter_map(|(ours, _)| match of(&ours.key) {
                Some(hook) if hook.runs => None,
                Some(hook) if hook.status == "trusted" => Some(format!("{} (switched off)", ours.key)),
                Some(hook) => Some(format!("{} ({})", ours.key, hook.status)),
                None => Some(format!("{} (not listed)", ours.key)),
            });
            told.collect()
        }
        Err(_) => {
            let waits = written.iter().filter(|(_, state)| *state != State::Trusted);
            waits.map(|(ours, _)| ours.key.clone()).collect()
        }
    };
    match (off.is_empty(), told) {
        (true, Ok(_)) => Check::pass(
            NAME,
            format!("{title} says that it runs all {} hooks of Proofmark's.", written.len()),
        ),
        (true, Err(why)) => Check::unchecked(
            NAME,
            format!(
                "The settings trust all {} hooks of Proofmark's, but {title} itself could not be asked: {why}.",
                written.len()
            ),
            format!("Start {title} and look at /hooks."),
        ),
        (false, _) => Check::fail(
            NAME,
            format!("{title} skips these hooks without a word: {}.", off.join(", ")),
            mend,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State::{Fail, Pass, Unchecked};
    use crate::install::harness::SPECS;

    #[test]
    fn the_harness_itself_is_believed_and_silence_is_no_trust() {
        let ours = |state| {
            let trust = Trust {
                key: "a".to_owned(),
                hash: "h".to_owned(),
            };
            vec![(trust, state)]
        };
        let listed = |key: &str, status: &str, runs| {
            Ok(vec![Listed {
                key: key.to_owned(),
                status: status.to_owned(),
                runs,
            }])
        };
        let mute = || Err("it sleeps".to_owned());
        for (written, told, state) in [
            (State::Trusted, listed("a", "trusted", true), Pass),
            (State::Untrusted, listed("a", "managed", true), Pass),
            (State::Trusted, listed("a", "modified", false), Fail),
            (State::Trusted, listed("a", "trusted", false), Fail),
            (State::Trusted, listed("b", "trusted", true), Fail),
            (State::Untrusted, listed("a", "untrusted", false), Fail),
            (State::Trusted, mute(), Unchecked),
            (State::Untrusted, mute(), Fail),
            (State::Off, mute(), Fail),
        ] {
            let check = judge(SPECS[0], &ours(written), &told);
            assert_eq!(check.state, state, "{written:?} {told:?}: {check:?}");
        }
    }
}
