//! Which checks of the board a claim speaks of: by command, by name, by kind.
//! Whether it is right about them stays out.

use crate::evidence::check::{self, Run};
use crate::session::Board;
use crate::session::board::CheckRow;
use crate::text::{self, About, PassClaim};

/// Words of a claim that name a kind of check and none of them in particular.
const KINDS: [&str; 16] = [
    "build",
    "builds",
    "check",
    "checks",
    "ci",
    "compile",
    "format",
    "formatting",
    "lint",
    "linter",
    "linting",
    "suite",
    "test",
    "test suite",
    "tests",
    "verification",
];

/// What a check looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It runs tests.
    Tests,
    /// It builds, or has a compiler look.
    Build,
    /// It looks at form and types.
    Lint,
    /// Nobody can tell by its name.
    Any,
}

/// How a claim and a check were brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The claim names its command, or a word of it.
    Name,
    /// The claim names a kind of check.
    Kind,
}

/// The checks that a claim speaks of, and why; none where it names one that is not on the board.
pub(super) fn checks<'a>(claim: &PassClaim, board: &'a Board) -> (By, Vec<&'a CheckRow>) {
    let by_command = rows(board, |run| claim.names.iter().any(|name| is_command(name, run)));
    if !by_command.is_empty() {
        return (By::Name, by_command);
    }
    if names_one(claim) {
        let by_name = board
            .checks
            .iter()
            .filter(|row| row.latest().is_some_and(|ran| named(claim, &ran.run, &ran.command)));
        return (By::Name, by_name.collect());
    }
    (By::Kind, rows(board, |run| fits(claim.about, kind(run))))
}

fn rows(board: &Board, wanted: impl Fn(&Run) -> bool) -> Vec<&CheckRow> {
    let fit = |row: &&CheckRow| row.latest().is_some_and(|ran| wanted(&ran.run));
    board.checks.iter().filter(fit).collect()
}

/// Whether a claim names a check, and not only a kind of them.
pub(super) fn names_one(claim: &PassClaim) -> bool {
    claim.names.iter().any(|name| !KINDS.contains(&name.as_str()))
}

/// Whether a claim names a runner.
pub(super) fn names_a_runner(claim: &PassClaim) -> bool {
    let is_runner = |name: &String| {
        check::RUNNERS
            .iter()
            .any(|runner| runner.replacen('-', " ", 1) == *name)
    };
    claim.names.iter().any(is_runner)
}

/// Whether a file is code in some language.
pub(super) fn is_code(path: &str) -> bool {
    ending(path).is_some_and(|ending| CODE.contains(&ending.as_str()))
}

fn ending(path: &str) -> Option<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
}

fn is_command(name: &str, run: &Run) -> bool {
    let Some(read) = check::runs(name) else { return false };
    read.iter()
        .any(|read| read.runner == run.runner && read.selection == run.selection)
}

fn named(claim: &PassClaim, run: &Run, command: &str) -> bool {
    let known = text::check_names(&run.runner, &run.selection, command);
    let says = |name: &String| !KINDS.contains(&name.as_str()) && known.contains(name);
    claim.names.iter().any(says)
}

/// Whether a claim about one kind may be about a check of another: `Any` may be all.
fn fits(about: About, kind: Kind) -> bool {
    match about {
        About::Everything => true,
        About::Tests => matches!(kind, Kind::Tests),
        About::Build => matches!(kind, Kind::Build),
        About::Lint => matches!(kind, Kind::Lint),
    }
}

/// What a check looks at, by its runner; a script's by the words of its name.
pub(super) fn kind(run: &Run) -> Kind {
    match run.runner.as_str() {
        "bazel" | "cmake" | "gradle" | "make" | "maven" | "npm-script" | "rake" | "sbt" | "script" | "zig" => {
            by_words(run)
        }
        "cargo-build" | "cargo-check" | "cargo-doc" | "go-build" | "tsc" | "vite-build" => Kind::Build,
        "biome" | "black" | "cargo-clippy" | "cargo-fmt" | "dotnet-format" | "eslint" | "flake8" | "go-vet"
        | "gofmt" | "golangci-lint" | "isort" | "mypy" | "phpstan" | "pre-commit" | "prettier" | "pylint"
        | "pyright" | "rubocop" | "ruff" | "rustfmt" | "shellcheck" | "shfmt" | "stylelint" | "terraform" => Kind::Lint,
        _ => Kind::Tests,
    }
}

fn by_words(run: &Run) -> Kind {
    let line = run.selection.join(" ").to_ascii_lowercase();
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .find_map(|word| match word {
            "test" | "tests" | "e2e" | "spec" | "integration" | "unit" | "smoke" => Some(Kind::Tests),
            "lint" | "fmt" | "format" | "style" | "typecheck" | "types" => Some(Kind::Lint),
            "build" | "compile" | "assemble" => Some(Kind::Build),
            _ => None,
        })
        .unwrap_or(Kind::Any)
}

/// Whether the files of a kind of check have this ending: a change of another language's file does not outdate it.
pub(super) fn reads(run: &Run, path: &str) -> bool {
    ending(path).is_some_and(|ending| language(run).contains(&ending.as_str()))
}

/// Whether two runs look at code of one language, and of no other.
pub(super) fn share_a_language(a: &Run, b: &Run) -> bool {
    language(a) == language(b) && language(a) != CODE
}

/// The endings of the files that a run reads, as far as its runner tells.
fn language(run: &Run) -> &'static [&'static str] {
    match run.runner.split('-').next().unwrap_or_default() {
        "cargo" | "rustfmt" => &["rs"],
        "go" | "gofmt" | "golangci" => &["go"],
        "pytest" | "unittest" | "nose2" | "tox" | "nox" | "mypy" | "pyright" | "ruff" | "black" | "flake8"
        | "pylint" | "isort" => &["py", "pyi"],
        "ava" | "bun" | "cypress" | "deno" | "eslint" | "jest" | "mocha" | "ng" | "node" | "npm" | "playwright"
        | "tsc" | "vite" | "vitest" | "biome" | "prettier" => JAVASCRIPT,
        "gradle" | "maven" | "sbt" => &["java", "kt", "kts", "scala", "groovy"],
        "rspec" | "minitest" | "rake" | "rubocop" => &["rb"],
        "phpunit" | "phpstan" => &["php"],
        "dotnet" => &["cs", "fs", "vb"],
        "swift" => &["swift"],
        "mix" => &["ex", "exs"],
        "flutter" => &["dart"],
        "ctest" | "cmake" => &["c", "cc", "cpp", "cxx", "h", "hh", "hpp"],
        "bats" | "shellcheck" | "shfmt" => &["sh", "bash", "bats"],
        _ => CODE,
    }
}

const JAVASCRIPT: &[&str] = &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"];
/// Endings of code in any language.
const CODE: &[&str] = &[
    "rs", "go", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "java", "kt", "scala", "rb", "php",
    "cs", "fs", "swift", "ex", "exs", "dart", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "zig", "lua", "pl", "pm",
    "hs", "ml",
];
