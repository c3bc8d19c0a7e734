//! Which check a shell command runs: its runner, its folder, what it selects, and whether its exit status shows.
//! What came of the run, and everything that needs a file or a clock, stays out.

use serde::{Deserialize, Serialize};

/// What hides a run's exit status from whoever called the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Masked {
    /// Nothing: the command ends with the run's own status.
    No,
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
    /// The folder it runs in, relative to the command's own; empty for that one.
    pub folder: String,
    /// What it selects: packages, paths, test ids, filters, features and flags that change what counts as a finding;
    /// sorted, without options that change only how it looks. Empty for everything.
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
    "cargo-build",
    "cargo-check",
    "cargo-clippy",
    "cargo-fmt",
    "cargo-nextest",
    "cargo-test",
    "ctest",
    "dotnet-test",
    "eslint",
    "go-build",
    "go-test",
    "go-vet",
    "gradle",
    "jest",
    "make",
    "maven",
    "minitest",
    "mocha",
    "mypy",
    "node-test",
    "nose2",
    "nox",
    "npm-script",
    "phpunit",
    "playwright",
    "pre-commit",
    "prettier",
    "prove",
    "pyright",
    "pytest",
    "rspec",
    "ruff",
    "script",
    "shellcheck",
    "swift-test",
    "tap",
    "tox",
    "tsc",
    "unittest",
    "vitest",
];
