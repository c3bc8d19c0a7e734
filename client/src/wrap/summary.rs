//! What a run comes to: the lines that the person reads at its end, and the exit code.
//! Where findings come from stays out.

use std::process::ExitCode;

use clap::ValueEnum;
use proofmark_protocol::findings::Item;
use proofmark_protocol::{Finding, FindingState};
use proofmark_server::picture::REFUSED_TURN;
use proofmark_server::text::quote;

use super::child::{self, End};
use crate::output::{Look, styled};

/// The longest line about one finding, in characters.
const MAX_LINE: usize = 500;
/// Codex ended well, and there are findings that `--fail-on` asked for.
const FOUND: u8 = 3;
/// Codex ended well, and whether there are such findings is not known.
const UNCHECKED: u8 = 4;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Weight {
    /// It was told.
    Advise,
    /// The agent was sent back for it, or would have been.
    Refuse,
}

/// One finding, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    weight: Weight,
    message: String,
}

impl From<&Item> for Told {
    fn from(item: &Item) -> Self {
        let weight = if item.code == REFUSED_TURN {
            Weight::Refuse
        } else {
            Weight::Advise
        };
        Self {
            weight,
            message: item.message.clone(),
        }
    }
}

impl From<&Finding> for Told {
    fn from(finding: &Finding) -> Self {
        let weight = match finding.state {
            FindingState::Refused | FindingState::LetGo => Weight::Refuse,
            FindingState::Noted | FindingState::Unchecked => Weight::Advise,
        };
        Self {
            weight,
            message: finding.message.clone(),
        }
    }
}

/// What is known of a run when it has ended.
#[derive(Debug)]
pub(super) enum Known {
    /// No session was run, as far as can be seen.
    NoSession,
    /// Our hooks ran, and this was found.
    Watched(Vec<Told>),
    /// Our hooks did not run. The record was judged when all was over.
    Afterwards {
        /// The version of Codex; empty where nobody told it.
        version: String,
        /// What was found.
        told: Vec<Told>,
    },
    /// There was a session, and nothing is known of it. Why, in plain words.
    Unchecked(String),
}

/// The lines for stderr; none when there is nothing to say.
pub(super) fn text(known: &Known, fail_on: Option<Weight>) -> Option<String> {
    let (head, told, refused) = match known {
        Known::NoSession => {
            let head = "Proofmark saw no session in this run, so there was nothing to check.";
            return fail_on.map(|_| styled(Look::NOTE, head));
        }
        Known::Unchecked(why) => return Some(styled(Look::NOTE, &format!("Proofmark did not check this run: {why}."))),
        Known::Watched(told) if told.is_empty() => return None,
        Known::Watched(told) => ("Proofmark found in this run:".to_owned(), told, "sent back"),
        Known::Afterwards { version, told } => {
            let what = if told.is_empty() {
                "Its record was judged afterwards: nothing was found."
            } else {
                "Found in its record afterwards:"
            };
            let head = format!("Proofmark: Codex {version} ran no hooks in this run, so nothing was held up. {what}");
            (head, told, "not sent back")
        }
    };
    let mut lines = vec![styled(Look::HEAD, &quote(&head, MAX_LINE))];
    for (nth, finding) in told.iter().enumerate() {
        if told[..nth].contains(finding) {
            continue;
        }
        let what = match finding.weight {
            Weight::Refuse => styled(Look::BAD, refused),
            Weight::Advise => styled(Look::NOTE, "noted"),
        };
        lines.push(format!("  {what}  {}", quote(&finding.message, MAX_LINE)));
    }
    Some(lines.join("\n"))
}

/// How the wrapper ends: as Codex did, unless Codex ended well and the person asked for more.
pub(super) fn exit(end: End, known: &Known, fail_on: Option<Weight>) -> ExitCode {
    match end {
        End::Signal(signal) => child::die_of(signal),
        End::Exit(0) => ExitCode::from(fail_on.map_or(0, |wanted| verdict(known, wanted))),
        End::Exit(code) => ExitCode::from(code),
    }
}

fn verdict(known: &Known, wanted: Weight) -> u8 {
    match known {
        Known::Watched(told) | Known::Afterwards { told, .. } => {
            if told.iter().any(|finding| finding.weight >= wanted) {
                FOUND
            } else {
                0
            }
        }
        Known::NoSession | Known::Unchecked(_) => UNCHECKED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(weights: &[Weight]) -> Vec<Told> {
        let one = |weight: &Weight| Told {
            weight: *weight,
            message: format!("a message of weight {weight:?}"),
        };
        weights.iter().map(one).collect()
    }

    #[test]
    fn what_fails_is_what_was_asked_for() {
        use Weight::{Advise, Refuse};
        let afterwards = |weights: &[Weight]| Known::Afterwards {
            version: "0.138.0".to_owned(),
            told: told(weights),
        };
        let cases = [
            (Known::Watched(told(&[])), 0, 0),
            (Known::Watched(told(&[Advise])), 0, FOUND),
            (Known::Watched(told(&[Advise, Refuse])), FOUND, FOUND),
            (afterwards(&[]), 0, 0),
            (afterwards(&[Advise]), 0, FOUND),
            (afterwards(&[Refuse]), FOUND, FOUND),
            (Known::NoSession, UNCHECKED, UNCHECKED),
            (Known::Unchecked("x".to_owned()), UNCHECKED, UNCHECKED),
        ];
        for (known, refuse, advise) in cases {
            assert_eq!(verdict(&known, Refuse), refuse, "{known:?}");
            assert_eq!(verdict(&known, Advise), advise, "{known:?}");
        }
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert_eq!(text(&Known::Watched(Vec::new()), Some(Weight::Refuse)), None);
        assert_eq!(text(&Known::NoSession, None), None);
        assert!(text(&Known::NoSession, Some(Weight::Refuse)).is_some());
        assert!(text(&Known::Unchecked("why".to_owned()), None).unwrap().contains("why"));
    }

    #[test]
    fn each_finding_is_one_line_whatever_is_in_it() {
        let mut all = told(&[Weight::Refuse, Weight::Advise, Weight::Refuse]);
        all[1].message = "two\nlines\u{1b}[31m".to_owned();
        let said = text(&Known::Watched(all), None).unwrap();
        assert_eq!(said.lines().count(), 3, "{said}");
        assert!(said.contains("two lines") && !said.contains("lines\u{1b}"), "{said}");
    }
}
