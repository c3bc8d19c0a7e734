//! Which check a shell command runs: its runner, its folder, what it selects, and whether its exit status shows.
//! What came of the run, and everything that needs a file or a clock, stays out.

mod args;
mod compound;
mod flow;
mod invoke;
mod managers;
mod relation;
mod scripts;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod through;
mod walk;

use serde::{Deserialize, Serialize};

pub(crate) use relation::join;
pub use relation::{Relation, relation};

/// What hides a run's exit status from whoever called the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Masked {
    /// Nothing: the command ends with the run's own status.
    No,
    /// In part: 0 says that it passed, any other status may be that of another command (`pytest && git push`), in a
    /// few words.
    Failure(String),
    /// Something, in a few words: `| tail`, `; true`, `|| echo`.
    By(String),
}

/// Whether a command lets its runner check anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// It checks.
    Check,
    /// It only lists, counts, builds without running, or prints a version; in a few words.
    NothingRun(String),
}

/// One run of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The runner, one of [`RUNNERS`].
    pub runner: String,
    /// The folder it runs in, relative to the command's own; empty for that one. In a container or on another host it
    /// begins with that one's name, `container:web` or `host:box`.
    pub folder: String,
    /// What it selects: packages, paths, test ids, filters, features and flags that change what counts as a finding;
    /// sorted, without options that change only how it looks. Empty for everything. An option stands with its value
    /// in one text, under one of its names, and begins with a dash; a path is relative to the folder.
    pub selection: Vec<String>,
    /// Whether it checks anything.
    pub purpose: Purpose,
    /// Whether its exit status shows.
    pub masked: Masked,
}

/// The names of all runners, as in a check's identity (`pytest`, `cargo-test`).
pub const RUNNERS: &[&str] = &[
    "ava",
    "bats",
    "bazel",
    "biome",
    "black",
    "bun-test",
    "cargo-build",
    "cargo-check",
    "cargo-clippy",
    "cargo-doc",
    "cargo-fmt",
    "cargo-nextest",
    "cargo-test",
    "cmake",
    "ctest",
    "cypress",
    "deno-test",
    "dotnet-format",
    "dotnet-test",
    "eslint",
    "flake8",
    "flutter-test",
    "go-build",
    "go-test",
    "go-vet",
    "gofmt",
    "golangci-lint",
    "gradle",
    "isort",
    "jest",
    "make",
    "maven",
    "minitest",
    "mix-test",
    "mocha",
    "mypy",
    "ng-test",
    "node-test",
    "nose2",
    "nox",
    "npm-script",
    "phpstan",
    "phpunit",
    "playwright",
    "pre-commit",
    "prettier",
    "prove",
    "pylint",
    "pyright",
    "pytest",
    "rake",
    "rspec",
    "rubocop",
    "ruff",
    "rustfmt",
    "sbt",
    "script",
    "shellcheck",
    "shfmt",
    "stylelint",
    "swift-test",
    "tap",
    "terraform",
    "tox",
    "tsc",
    "unittest",
    "vite-build",
    "vitest",
    "zig",
];

/// The checks that `command` runs, in the order in which they stand, as bash 5 would take it; none at all when it runs
/// no check. Nothing when the command cannot be read: it cannot be parsed, is longer than 64 KiB, nests too deeply, or
/// runs more than 100 checks.
///
/// A call that only lists, builds or explains is a run that checks nothing; a formatter that writes is no run.
pub fn runs(command: &str) -> Option<Vec<Run>> {
    state::read(command)
}
