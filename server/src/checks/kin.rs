//! What a run looks at: tests, a build or the form of code, and in which language; which runs can stand in for another.
//! What came of a run, and what a reply says of it, stays out.

use crate::evidence::check::Run;

/// Runners of whatever a project put behind a name.
const BY_NAME: [&str; 2] = ["make", "npm-script"];
/// What a script is called that runs all checks.
const WHOLE: [&str; 9] = [
    "all",
    "check",
    "checks",
    "ci",
    "precommit",
    "preflight",
    "test",
    "tests",
    "verify",
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

/// Whether a later pass may show that what failed is right again, though it is of another check: tests do not run where
/// the build fails, and `make test` runs the same tests as `pytest`.
pub(super) fn may_stand_in(later: &Run, failed: &Run) -> bool {
    let (is, was) = (kind(later), kind(failed));
    let by_name = |run: &Run| BY_NAME.contains(&run.runner.as_str());
    if later.runner == failed.runner {
        return failed.runner == "tsc" || (by_name(failed) && is == was && is != Kind::Any);
    }
    // What a project's own script looks at is its own.
    if failed.runner == "script" || (later.runner == "script" && is == Kind::Any && !runs_all(later)) {
        return false;
    }
    let any_language = |run: &Run| by_name(run) || run.runner == "script";
    if !(any_language(later) || any_language(failed) || share_a_language(later, failed)) {
        return false;
    }
    match was {
        Kind::Tests => matches!(is, Kind::Tests | Kind::Any),
        Kind::Build => is != Kind::Lint,
        // `go test` has the code vetted first.
        Kind::Lint if failed.runner == "go-vet" => is != Kind::Build,
        Kind::Lint => (any_language(later) || any_language(failed)) && is != Kind::Tests,
        Kind::Any => true,
    }
}

fn runs_all(script: &Run) -> bool {
    let path = script.selection.first().and_then(|line| line.split(' ').next());
    let name = path.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    WHOLE.contains(&name.split('.').next().unwrap_or_default())
}

/// Whether a file is code in some language.
pub(super) fn is_code(path: &str) -> bool {
    ending(path).is_some_and(|ending| CODE.contains(&ending.as_str()))
}

fn ending(path: &str) -> Option<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::check;

    #[test]
    fn a_pass_may_stand_in_for_what_it_takes_in() {
        let run = |command: &str| check::runs(command).unwrap().remove(0);
        for (later, failed, may) in [
            ("cargo test", "cargo check", true),
            ("cargo check", "cargo test", false),
            ("cargo nextest run", "cargo test", true),
            ("cargo clippy", "cargo build", false),
            ("go test ./...", "go vet ./...", true),
            ("npx jest", "npm test", true),
            ("npm test", "npx jest", true),
            ("npm run test:unit", "npm test", true),
            ("npm run lint", "npm test", false),
            ("npx tsc --noEmit", "npm run typecheck", true),
            ("pytest", "make test", true),
            ("make check", "pytest", true),
            ("make lint", "pytest", false),
            ("pytest", "cargo test", false),
            ("pytest", "ruff check .", false),
            ("pytest tests/a.py", "pytest tests/b.py", false),
            ("python3 check_a.py", "python3 check_b.py", false),
            ("pytest", "python3 check_links.py", false),
            ("python3 check_links.py", "pytest", false),
            ("./scripts/check.sh", "cargo test", true),
        ] {
            assert_eq!(may_stand_in(&run(later), &run(failed)), may, "{later} for {failed}");
        }
    }
}
