//! Commands that repair what a formatter or a linter complained about, so that nobody need run it again.
//! Which runs failed, and what the rest of a command does, stays out.

use crate::evidence::check::Run;

/// Runners, and the words of the commands that repair what they find: all of them, in this order, in one command.
const FIXERS: &[(&str, &[&str])] = &[
    (
        "biome",
        &["biome --write", "biome --apply", "biome --fix", "biome --apply-unsafe"],
    ),
    ("black", &["black", "ruff format"]),
    ("cargo-clippy", &["cargo clippy --fix", "cargo fix"]),
    ("cargo-fmt", &["cargo fmt", "rustfmt"]),
    ("dotnet-format", &["dotnet format"]),
    ("eslint", &["eslint --fix", "biome --write"]),
    ("flake8", &["black", "autopep8", "ruff --fix", "ruff format"]),
    ("gofmt", &["gofmt -w", "go fmt", "goimports -w", "gofumpt -w"]),
    (
        "golangci-lint",
        &[
            "golangci-lint --fix",
            "golangci-lint fmt",
            "gofmt -w",
            "go fmt",
            "goimports -w",
            "gofumpt -w",
        ],
    ),
    ("isort", &["isort", "ruff --fix"]),
    ("prettier", &["prettier --write", "prettier -w", "biome --write"]),
    (
        "rubocop",
        &[
            "rubocop -a",
            "rubocop -A",
            "rubocop --autocorrect",
            "rubocop --autocorrect-all",
        ],
    ),
    ("ruff", &["ruff --fix", "ruff format"]),
    ("rustfmt", &["cargo fmt", "rustfmt"]),
    ("shfmt", &["shfmt -w"]),
    ("stylelint", &["stylelint --fix"]),
    ("terraform", &["terraform fmt"]),
];
/// Runners that run whatever the project put behind a name.
const NAMED: [&str; 7] = ["make", "nox", "npm-script", "pre-commit", "rake", "script", "tox"];
/// Words in a name that say that it looks at the form of the code.
const FORM: [&str; 7] = ["check", "fmt", "format", "lint", "pre-commit", "style", "verify"];
/// Words that make a script a fixer by its name.
const FIXING_SCRIPTS: [&str; 7] = [
    "fix",
    "fmt",
    "format",
    "lint:fix",
    "format:write",
    "fmt:fix",
    "format:fix",
];
/// Programs that run scripts by name.
const SCRIPT_RUNNERS: [&str; 8] = ["bun", "just", "make", "mise", "npm", "pnpm", "task", "yarn"];
/// What makes a fixer only look.
const ONLY_LOOKS: [&str; 6] = [
    "--check",
    "--diff",
    "--dry-run",
    "--check-only",
    "-check",
    "--verify-no-changes",
];

/// Whether a command repairs what a failed run complained about.
pub(super) fn fixes(failed: &Run, command: &str) -> bool {
    commands(command).any(|words| fixes_by(failed, &words))
}

fn fixes_by(failed: &Run, words: &[&str]) -> bool {
    if words.iter().any(|word| ONLY_LOOKS.contains(word)) {
        return false;
    }
    let runs = |pattern: &&str| in_order(pattern, words);
    let known = FIXERS.iter().filter(|(runner, _)| *runner == failed.runner);
    if known.flat_map(|(_, patterns)| patterns.iter()).any(runs) || script_that_fixes(words) && is_about_form(failed) {
        return true;
    }
    let by_name = NAMED.contains(&failed.runner.as_str()) && is_about_form(failed);
    by_name && FIXERS.iter().flat_map(|(_, patterns)| patterns.iter()).any(runs)
}

/// Whether a failed run is one that looks at the form of code, as far as its name tells.
fn is_about_form(failed: &Run) -> bool {
    let named = |text: &String| FORM.iter().any(|word| text.contains(word));
    FIXERS.iter().any(|(runner, _)| *runner == failed.runner)
        || failed.runner == "pre-commit"
        || failed.selection.iter().any(named)
}

/// `npm run lint:fix`, `make fmt`, `npm run lint -- --fix`.
fn script_that_fixes(words: &[&str]) -> bool {
    let runs = words.first().is_some_and(|word| SCRIPT_RUNNERS.contains(word));
    runs && words
        .iter()
        .any(|word| FIXING_SCRIPTS.contains(word) || *word == "--fix")
}

/// The words of the single commands of a command line. What is quoted is taken apart too: a fixer that is only spoken of
/// costs a finding and accuses nobody.
fn commands(command: &str) -> impl Iterator<Item = Vec<&str>> {
    command
        .split([';', '&', '|', '\n', '(', ')', '"', '\'', '`'])
        .map(|part| {
            part.split_whitespace()
                .map(|word| word.rsplit('/').next().unwrap_or(word))
                .collect()
        })
}

fn in_order(pattern: &str, words: &[&str]) -> bool {
    let mut rest = words.iter();
    pattern.split(' ').all(|wanted| rest.any(|word| *word == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::check::runs;

    #[test]
    fn a_fixer_settles_what_its_own_runner_complained_about() {
        for (failed, command, settled) in [
            ("cargo fmt --check", "cargo fmt", true),
            (
                "cargo fmt --all -- --check",
                "cd core && cargo fmt --all 2>&1 | tail -3",
                true,
            ),
            ("cargo fmt --check", "cargo fmt --check", false),
            ("cargo clippy", "cargo fmt", false),
            ("cargo clippy", "cargo clippy --fix --allow-dirty", true),
            ("cargo test", "cargo fmt", false),
            ("gofmt -l .", "gofmt -l -w .", true),
            ("gofmt -l .", "gofmt -l .", false),
            ("npx eslint src", "npx eslint --fix src", true),
            ("npx eslint src", "npm run lint -- --fix", true),
            ("npx eslint src", "npx prettier --write src", false),
            ("npx prettier --check .", "npx prettier --write .", true),
            ("ruff check .", "ruff check --fix .", true),
            ("ruff check .", "ruff check .", false),
            ("black --check .", "black src", true),
            ("black --check .", "black --check src", false),
            ("npm run lint", "npx eslint --fix src", true),
            ("npm run lint", "yarn lint:fix", true),
            ("npm test", "npx eslint --fix src", false),
            ("make lint", "gofmt -w internal", true),
            ("make test", "gofmt -w internal", false),
            ("pre-commit run --all-files", "ruff format .", true),
            ("pytest", "ruff format .", false),
        ] {
            let failed_run = runs(failed).unwrap().remove(0);
            assert_eq!(fixes(&failed_run, command), settled, "{failed} / {command}");
        }
    }
}
