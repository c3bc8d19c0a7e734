//! Outputs of runners: a verdict that the exit status allows, the same by colours and line ends, and a true excerpt.
//! Which verdict is right is held by recorded runs in `fixtures/verdicts`.

use proofmark_server::evidence::check::{Masked, Purpose, RUNNERS, Run, runs};
use proofmark_server::evidence::verdict::{Outcome, Verdict, each, excerpt, summary, verdict};

use crate::input::Input;

/// The longest excerpt, in characters.
const MAX_EXCERPT: usize = 1_200;
/// A reason is told to people, in characters.
const MAX_REASON: usize = 2_000;

/// A runner and an ending by a byte each, then the command, NUL, and what it printed. The runner is taken where the
/// command runs no check.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let runner = input.one_of(RUNNERS);
    let outcome = Outcome {
        exit: input.one_of(&[None, Some(0), Some(1), Some(2), Some(5), Some(101), Some(124), Some(127), Some(-1)]),
        error: input.one_of(&[None, Some(true), Some(false)]),
    };
    let (command, output) = input.two_texts();
    let runs = runs(&command).filter(|runs| !runs.is_empty()).unwrap_or_else(|| vec![plain(runner)]);

    let (all, because) = verdict(&runs, &outcome, &output);
    let came = each(&runs, &outcome, &output);
    assert_eq!(came.len(), runs.len());
    for (run, came) in runs.iter().zip(&came) {
        assert!(came.because.ends_with('.') && came.because.chars().count() < MAX_REASON, "{}", came.because);
        allowed(run, &outcome, came.verdict);
    }
    assert!(because.ends_with('.'));
    if let ([run], [came]) = (&runs[..], &came[..]) {
        assert_eq!((all, &because), (came.verdict, &came.because), "{run:?}");
    }

    let same = |other: &str, why: &str| {
        let again = each(&runs, &outcome, other);
        let told = |came: &[proofmark_server::evidence::verdict::Came]| {
            came.iter().map(|came| (came.verdict, came.counts, came.places.clone())).collect::<Vec<_>>()
        };
        assert_eq!(told(&again), told(&came), "{why}");
        assert_eq!(verdict(&runs, &outcome, other).0, all, "{why}");
    };
    if !output.contains('\r') {
        same(&output.replace('\n', "\r\n"), "carriage returns change nothing");
    }
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if output.chars().all(is_plain) && output.len() < 64 * 1024 {
        let coloured = output.split('\n').map(|line| format!("\u{1b}[32m{line}\u{1b}[0m")).collect::<Vec<_>>();
        same(&coloured.join("\n"), "colours change nothing");
    }
    if let Some(kept) = excerpt(&runs, &outcome, &output) {
        assert!(kept.chars().count() <= MAX_EXCERPT);
        let again = each(&runs, &outcome, &kept);
        for (before, after) in came.iter().zip(&again) {
            assert_eq!((before.verdict, before.counts), (after.verdict, after.counts), "the excerpt {kept:?}");
        }
    }
    let read = summary(runner, &output);
    assert_ne!(read.verdict, Verdict::Masked);
    assert!(read.places.iter().all(|(file, _)| !file.is_empty()));
}

/// What the status alone forbids, where it is the run's own.
fn allowed(run: &Run, outcome: &Outcome, verdict: Verdict) {
    if run.masked != Masked::No || run.purpose != Purpose::Check {
        return;
    }
    assert_ne!(verdict, Verdict::Masked, "nothing masks {run:?}");
    match outcome.exit {
        Some(0) => assert_ne!(verdict, Verdict::Fail, "{run:?}"),
        Some(_) => assert_ne!(verdict, Verdict::Pass, "{run:?}"),
        None => {}
    }
}

fn plain(runner: &str) -> Run {
    Run {
        runner: runner.to_owned(),
        folder: String::new(),
        selection: Vec::new(),
        purpose: Purpose::Check,
        masked: Masked::No,
    }
}
