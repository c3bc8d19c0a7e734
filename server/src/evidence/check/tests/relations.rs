//! How what two commands check relates.
//! What one command checks stays out.

use crate::evidence::check::Relation::{Narrower, Other, Same};
use crate::evidence::check::{Relation, Run, relation, runs};

fn only(command: &str) -> Run {
    let mut found = runs(command).unwrap();
    assert_eq!(found.len(), 1, "{command}");
    found.remove(0)
}

#[test]
fn relations() {
    let rows: &[(&str, Relation, &str)] = &[
        ("pytest", Same, "python -m pytest -q | tail -5"),
        ("pytest tests/a.py::T::test_x", Narrower, "pytest tests/a.py"),
        ("pytest tests/a.py::T::test_x", Narrower, "pytest tests/a.py::T"),
        ("pytest tests/a.py::test_x", Narrower, "pytest"),
        ("pytest tests/a.py", Narrower, "pytest tests"),
        ("pytest tests/ab", Other, "pytest tests/a"),
        ("pytest tests/a.py", Narrower, "pytest tests/a.py tests/b.py"),
        ("pytest tests/a.py tests/b.py", Narrower, "pytest tests"),
        ("pytest tests/a.py tests/b.py", Other, "pytest tests/a.py tests/c.py"),
        ("pytest -k one", Narrower, "pytest"),
        ("pytest -k one", Other, "pytest -k two"),
        ("pytest -k one tests", Narrower, "pytest tests"),
        ("pytest -k one", Other, "pytest tests"),
        ("pytest --ignore a", Narrower, "pytest"),
        ("pytest -W error", Other, "pytest"),
        ("cd api && pytest", Narrower, "pytest"),
        ("cd api && pytest", Other, "cd web && pytest"),
        ("cd api && pytest tests/a.py", Narrower, "pytest api/tests"),
        ("pytest", Other, "mypy"),
        ("cargo test -p cli", Narrower, "cargo test"),
        ("cargo test -p cli", Narrower, "cargo test --workspace"),
        ("cargo test -p cli", Narrower, "cargo test -p cli -p core"),
        ("cargo test -p cli", Other, "cargo test -p core"),
        ("cargo test -p cli", Other, "cargo test --lib"),
        ("cargo test --lib", Narrower, "cargo test --lib --test it"),
        ("cargo test -p cli parse", Narrower, "cargo test -p cli"),
        ("cargo test parse::number", Narrower, "cargo test parse"),
        ("cargo test parse", Other, "cargo test other"),
        ("cargo test", Narrower, "cargo test --workspace"),
        ("cargo test --release", Other, "cargo test"),
        ("cargo clippy -- -D warnings", Other, "cargo clippy"),
        ("cd core && cargo test", Other, "cargo test -p core"),
        ("go test ./tax", Narrower, "go test ./..."),
        ("go test ./tax/sub", Narrower, "go test ./tax/..."),
        ("go test", Narrower, "go test ./..."),
        ("go test ./tax", Other, "go test"),
        ("cd tax && go test", Narrower, "go test ./..."),
        ("go test -run A ./...", Narrower, "go test ./..."),
        ("go test -race ./...", Other, "go test ./..."),
        ("bazel test //a:b", Narrower, "bazel test //a/..."),
        ("bazel test //a:b", Narrower, "bazel test //a:all"),
        ("bazel test //a:b", Other, "bazel build //a:b"),
        ("make test", Other, "make"),
        ("make test", Other, "make -C sub test"),
        ("make test", Narrower, "make test lint"),
        (
            "python -m unittest tests.a.T.test_x",
            Narrower,
            "python -m unittest tests.a",
        ),
        ("python -m unittest tests.ab", Other, "python -m unittest tests.a"),
        ("ruff check src", Narrower, "ruff check"),
        ("ruff format --check", Other, "ruff check"),
        ("biome lint src", Other, "biome check src"),
        ("npx jest -t adds", Narrower, "npx jest"),
        ("npm test -- a.test.js", Narrower, "npm test"),
        ("npm test", Other, "npm run test:unit"),
        ("npm test", Other, "npm test -w web"),
        ("npx eslint src/a.ts", Narrower, "npx eslint src"),
        ("./check.sh a", Other, "./check.sh"),
        ("docker exec web pytest", Other, "pytest"),
        ("docker exec web pytest", Other, "docker exec api pytest"),
        ("docker exec web pytest a.py", Narrower, "docker exec web pytest"),
        (
            "pre-commit run ruff --all-files",
            Narrower,
            "pre-commit run --all-files",
        ),
        ("rspec spec/a_spec.rb:3", Narrower, "bundle exec rspec spec/a_spec.rb"),
        ("cd /srv && pytest a.py", Narrower, "pytest /srv"),
        ("pytest /srv/a.py", Other, "pytest"),
    ];
    for &(a, expected, b) in rows {
        let back = match expected {
            Narrower => Relation::Wider,
            other => other,
        };
        assert_eq!(relation(&only(a), &only(b)), expected, "{a} and {b}");
        assert_eq!(relation(&only(b), &only(a)), back, "{b} and {a}");
        assert_eq!(relation(&only(a), &only(a)), Same, "{a}");
    }
}

#[test]
fn folders_of_two_commands() {
    let root = only("cd /home/dev/p && pytest tests/a.py").in_folder("/home/dev/p/sub");
    let same = only("pytest a.py").in_folder("/home/dev/p/tests");
    assert_eq!(root.key(), "pytest:/home/dev/p/tests/a.py");
    assert_eq!(relation(&root, &same), Same);
    assert_eq!(
        only("docker exec web pytest").in_folder("/home/dev").key(),
        "pytest:all @container:web"
    );
}

#[test]
fn long_selections_are_compared_as_a_whole() {
    let names = |n: usize| (0..n).map(|i| format!(" t/{i}.py")).collect::<String>();
    let (many, more) = (format!("pytest{}", names(300)), format!("pytest{}", names(301)));
    assert_eq!(relation(&only(&many), &only(&many)), Same);
    assert_eq!(relation(&only(&many), &only(&more)), Other);
}
