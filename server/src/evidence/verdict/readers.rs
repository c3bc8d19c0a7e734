//! Which reader belongs to which runner; reading this table says what is read at all.
//! How a line must look stays out: each family has its own file.

use super::tally::{Take, Tally};
use super::{
    Counts, Summary, Verdict, go, javascript, jvm, lint, native, place, python, ruby_php, rust, script, tap, wrapper,
};

/// Finds a runner's summaries, in their order; none where there is none, or where it was cut off.
type Reader = fn(&[&str]) -> Vec<Tally>;

/// Whether a reader's shapes are its runner's alone, so that they may be looked for in anything's output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Own,
    Shared,
}

const READERS: &[(&str, Reader, Shape)] = &[
    ("ava", javascript::ava, Shape::Shared),
    ("bats", tap::bats, Shape::Shared),
    ("bazel", native::bazel, Shape::Own),
    ("biome", lint::biome, Shape::Shared),
    ("black", lint::black, Shape::Own),
    ("cargo-build", rust::build, Shape::Shared),
    ("cargo-check", rust::build, Shape::Shared),
    ("cargo-clippy", rust::build, Shape::Shared),
    ("cargo-fmt", rust::fmt, Shape::Own),
    ("cargo-nextest", rust::nextest, Shape::Own),
    ("cargo-test", rust::test, Shape::Own),
    ("ctest", native::ctest, Shape::Own),
    ("dotnet-test", native::dotnet, Shape::Own),
    ("eslint", lint::eslint, Shape::Own),
    ("go-build", go::build, Shape::Shared),
    ("go-test", go::test, Shape::Own),
    ("go-vet", go::build, Shape::Shared),
    ("gradle", jvm::gradle, Shape::Own),
    ("jest", javascript::jest, Shape::Own),
    ("make", wrapper::make, Shape::Own),
    ("maven", jvm::maven, Shape::Own),
    ("minitest", ruby_php::minitest, Shape::Own),
    ("mocha", javascript::mocha, Shape::Own),
    ("mypy", lint::mypy, Shape::Own),
    ("node-test", tap::stream, Shape::Own),
    ("nose2", python::unittest, Shape::Own),
    ("nox", wrapper::nox, Shape::Own),
    ("phpunit", ruby_php::phpunit, Shape::Own),
    ("playwright", javascript::playwright, Shape::Shared),
    ("pre-commit", wrapper::pre_commit, Shape::Own),
    ("prettier", lint::prettier, Shape::Own),
    ("prove", tap::prove, Shape::Own),
    ("pyright", lint::pyright, Shape::Own),
    ("pytest", python::pytest, Shape::Own),
    ("rspec", ruby_php::rspec, Shape::Own),
    ("ruff", lint::ruff, Shape::Shared),
    ("shellcheck", lint::shellcheck, Shape::Own),
    ("swift-test", native::swift, Shape::Own),
    ("tap", tap::stream, Shape::Own),
    ("tox", wrapper::tox, Shape::Own),
    ("tsc", lint::tsc, Shape::Own),
    ("unittest", python::unittest, Shape::Own),
    ("vitest", javascript::vitest, Shape::Own),
];

/// Those with a summary that says all: what ran inside does not matter to it.
const SELF_CONTAINED: &[&str] = &["bazel", "pre-commit"];

/// Whether `runner` only runs others, so that a failure of its own may have another reason than its tests.
pub(super) fn is_wrapper(runner: &str) -> bool {
    matches!(runner, "make" | "nox" | "npm-script" | "script" | "tox")
        || SELF_CONTAINED.contains(&runner)
        || !READERS.iter().any(|(name, ..)| *name == runner)
}

/// Whether only `runner` prints the lines by which it is read.
pub(super) fn is_told_by(runner: &str) -> bool {
    READERS
        .iter()
        .any(|(name, _, shape)| *name == runner && *shape == Shape::Own)
}

/// Whether `runner` is read as failed also where a build failed, by lines of the compiler.
pub(super) fn tells_of_builds(runner: &str) -> bool {
    matches!(runner, "cargo-nextest" | "cargo-test")
}

/// The summary of `runner` in `lines`.
pub(super) fn read(runner: &str, lines: &[&str], take: Take) -> Summary {
    let own = READERS
        .iter()
        .find(|(name, ..)| *name == runner)
        .map(|(_, reader, _)| reader(lines))
        .unwrap_or_default();
    let says_all = SELF_CONTAINED.contains(&runner) && !own.is_empty();
    let tally = if is_wrapper(runner) && !says_all {
        wrapped(runner, &own, lines)
    } else {
        match take {
            Take::Last => own.last().copied(),
            Take::All => Tally::sum(&own),
        }
    };
    let Some(tally) = tally else {
        return Summary {
            verdict: Verdict::Unknown,
            counts: Counts::default(),
            places: Vec::new(),
        };
    };
    let verdict = tally.verdict();
    let places = if verdict == Verdict::Fail {
        place::places(lines)
    } else {
        Vec::new()
    };
    Summary {
        verdict,
        counts: tally.counts,
        places,
    }
}

/// What ran inside says how much was checked; what the wrapper says of itself only adds a failure, or settles what
/// nothing inside does.
fn wrapped(runner: &str, own: &[Tally], lines: &[&str]) -> Option<Tally> {
    let mut inner: Vec<Tally> = Vec::new();
    let mut tried: Vec<Reader> = Vec::new();
    for (name, reader, shape) in READERS {
        if *shape == Shape::Own && *name != runner && !tried.iter().any(|known| std::ptr::fn_addr_eq(*known, *reader)) {
            tried.push(*reader);
            inner.extend(reader(lines));
        }
    }
    if inner.is_empty() && own.is_empty() && matches!(runner, "make" | "npm-script" | "script") {
        inner.extend(script::script(lines));
    }
    let own = Tally::sum(own);
    match (Tally::sum(&inner), own) {
        (Some(inner), Some(own)) => Some(inner.bad_if(own.verdict() == Verdict::Fail)),
        (inner, own) => inner.or(own),
    }
}
