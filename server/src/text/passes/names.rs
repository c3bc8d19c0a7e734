//! The words by which prose names a run: its runner, what it selects, its command.
//! Whether a sentence holds one of them stays out.

use super::phrase::{VAGUE, command_names};

/// A run has few names; of more, as of a command with hundreds of files, the first are enough.
const MOST: usize = 64;
/// A word shorter than this names nothing by itself.
const SHORTEST: usize = 3;

/// What prose calls a runner besides by its own name.
const USUAL: &[(&[&str], &[&str])] = &[
    (
        &[
            "ava",
            "bats",
            "bun-test",
            "cargo-nextest",
            "cargo-test",
            "ctest",
            "cypress",
            "deno-test",
            "dotnet-test",
            "flutter-test",
            "go-test",
            "jest",
            "minitest",
            "mix-test",
            "mocha",
            "ng-test",
            "node-test",
            "nose2",
            "nox",
            "phpunit",
            "playwright",
            "prove",
            "pytest",
            "rspec",
            "swift-test",
            "tap",
            "tox",
            "unittest",
            "vitest",
        ],
        &["tests", "test", "test suite", "suite"],
    ),
    (&["cypress", "playwright"], &["e2e", "end-to-end"]),
    (&["rspec", "jest", "vitest"], &["specs", "spec"]),
    (&["pytest", "unittest"], &["python tests"]),
    (&["cargo-nextest"], &["nextest", "cargo nextest", "cargo test"]),
    (
        &[
            "biome",
            "cargo-clippy",
            "eslint",
            "flake8",
            "go-vet",
            "golangci-lint",
            "phpstan",
            "pylint",
            "rubocop",
            "ruff",
            "shellcheck",
            "stylelint",
        ],
        &["lint", "linting", "linter", "lints"],
    ),
    (&["cargo-clippy"], &["clippy"]),
    (&["go-vet"], &["vet"]),
    (&["cargo-fmt", "rustfmt"], &["cargo fmt", "rustfmt", "fmt"]),
    (
        &[
            "black",
            "cargo-fmt",
            "dotnet-format",
            "gofmt",
            "isort",
            "prettier",
            "rustfmt",
            "shfmt",
            "biome",
        ],
        &["format", "formatting", "formatter", "format check"],
    ),
    (
        &["mypy", "pyright", "tsc"],
        &[
            "typecheck",
            "type-check",
            "type check",
            "type checks",
            "typechecking",
            "type checking",
            "types",
        ],
    ),
    (&["tsc"], &["typescript", "compile", "build"]),
    (
        &[
            "cargo-build",
            "cargo-check",
            "cmake",
            "go-build",
            "vite-build",
            "zig",
            "bazel",
            "sbt",
            "maven",
            "gradle",
            "cargo-doc",
        ],
        &["build", "builds", "compile", "compiles", "compilation"],
    ),
    (&["vite-build"], &["vite"]),
    (&["maven"], &["mvn", "tests", "test"]),
    (&["gradle"], &["gradlew", "tests", "test"]),
    (&["bazel", "sbt"], &["tests", "test"]),
    (&["cargo-doc"], &["docs", "rustdoc"]),
    (&["pre-commit"], &["hooks", "pre-commit hooks"]),
    (&["make", "npm-script", "rake", "script"], &[]),
];

/// The words, in lower case, by which prose would name a run: its runner and what it is usually called, its packages, its
/// files with and without their ending, their folders, its test ids, its scripts, the command itself. At most 64, none
/// twice.
///
/// `runner` is a runner's name as in a check's identity (`cargo-test`), `selection` what the run selects, an option with
/// its value in one text, `command` the command as it was given.
pub fn check_names(runner: &str, selection: &[String], command: &str) -> Vec<String> {
    let mut names = Names::default();
    let runner = runner.to_lowercase();
    if !matches!(runner.as_str(), "script" | "npm-script") {
        names.add(&runner);
        names.add(&runner.replace('-', " "));
    }
    let usual = USUAL.iter().filter(|(runners, _)| runners.contains(&runner.as_str()));
    usual
        .flat_map(|(_, usual)| usual.iter())
        .for_each(|name| names.add(name));
    for part in selection {
        names.add_selected(&part.to_lowercase());
    }
    for name in command_names(command) {
        names.add(&name);
        if !name.contains(' ') {
            names.add_selected(&name);
        }
    }
    names.found
}

#[derive(Default)]
struct Names {
    found: Vec<String>,
}

impl Names {
    fn add(&mut self, name: &str) {
        let name = name.trim();
        let known = self.found.len() >= MOST || self.found.iter().any(|known| known == name);
        if !known && name.chars().count() >= SHORTEST && name.contains(char::is_alphabetic) {
            self.found.push(name.to_owned());
        }
    }

    /// A package, a path, a test id or an option with its value.
    fn add_selected(&mut self, part: &str) {
        if let Some(option) = part.strip_prefix('-') {
            let value = option.split_once(['=', ' ']).map(|(_, value)| value);
            if let Some(value) = value {
                self.add_selected(value.trim_matches(['\'', '"']));
            }
            return;
        }
        self.add(part);
        let (path, ids) = part.split_once("::").unwrap_or((part, ""));
        self.add(path);
        for id in ids.split("::") {
            self.add(id);
            self.add(id.split('[').next().unwrap_or(id));
        }
        let mut folders = path
            .split('/')
            .filter(|folder| !matches!(*folder, "" | "." | ".." | "..."));
        let Some(file) = folders.next_back() else {
            return;
        };
        self.add(file);
        if let Some((stem, _)) = file.split_once('.').filter(|(stem, _)| !stem.is_empty()) {
            self.add(stem);
        }
        if let Some(folder) = folders.next_back().filter(|folder| !VAGUE.contains(folder)) {
            self.add(folder);
        }
        // "test:unit" is also called the unit tests.
        for word in file.split(':').filter(|_| file.contains(':')) {
            self.add(word);
        }
    }
}
