//! Manifests as projects have them, broken ones too, and the lines that define a check.
//! Which check a command runs is told elsewhere.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::lsp::testing::{World, cited_in, item};

fn check(runner: &str, selection: &[&str], folder: &str, command: &str) -> CheckRef {
    CheckRef {
        runner: runner.to_owned(),
        selection: selection.iter().map(|one| (*one).to_owned()).collect(),
        folder: folder.to_owned(),
        command: command.to_owned(),
    }
}

const PACKAGE: &str = r#"{
  "name": "test",
  "test": "not a script",
  "config": { "scripts": { "test": "not it" } },
  "scripts": {
    "test": "echo \"lint\": {",
    "lint": "x",
    "nested": "y"
  },
  "jest": { "nested2": { "only": 1 } }
}
"#;
const MAKEFILE: &str =
    "CC := cc\nX = a:b\n.PHONY: test lint\nall: test\n\ttest: echo\n%.o: %.c\nlint check::\n\techo\ntest: all\n";
const JUSTFILE: &str = "set shell := ['sh']\nalias t := test\n# test:\n@test *args: lint\n  cargo test\nlint:\n  x\n";
const CARGO: &str = "[workspace]\nmembers = []\n\n  [package] # it\nname = \"one\"\n[package.metadata]\nx = 1\n";
const PYPROJECT: &str = "[project]\nname = 'x'\n[tool.ruffian]\n[tool.ruff.lint]\n[tool.ruff]\n[tool.pytest.ini_options]\n[[tool.mypy.overrides]]\n";

/// Runner, selection, folder, command, and where: a manifest and its line, or nowhere.
type Defined<'a> = (&'a str, &'a [&'a str], &'a str, &'a str, Option<(&'a str, u32)>);

#[test]
fn a_check_is_put_where_a_manifest_defines_it() {
    let cases: &[Defined] = &[
        ("npm-script", &["test"], "", "npm test", Some(("package.json", 6))),
        ("npm-script", &["lint"], "", "npm run lint", Some(("package.json", 7))),
        (
            "npm-script",
            &["lint a.js"],
            "",
            "npm run lint -- a.js",
            Some(("package.json", 7)),
        ),
        (
            "npm-script",
            &["lint"],
            "src",
            "npm run lint",
            Some(("package.json", 7)),
        ),
        ("npm-script", &["nested2"], "", "npm run nested2", None),
        ("npm-script", &["only"], "", "npm run only", None),
        ("npm-script", &["name"], "", "npm run name", None),
        ("npm-script", &["--workspace web", "test"], "", "npm test -w web", None),
        ("npm-script", &[], "", "npm test", None),
        (
            "npm-script",
            &["test"],
            "web",
            "npm test",
            Some(("web/package.json", 1)),
        ),
        ("npm-script", &["lint"], "web", "npm run lint", None),
        ("make", &["test"], "", "make test", Some(("Makefile", 9))),
        ("make", &["check"], "", "make check", Some(("Makefile", 7))),
        (
            "make",
            &["-k", "V=1", "lint"],
            "",
            "make -k lint V=1",
            Some(("Makefile", 7)),
        ),
        ("make", &[], "", "make", Some(("Makefile", 4))),
        ("make", &["lint", "test"], "", "make test lint", None),
        ("make", &["none"], "", "make none", None),
        ("make", &["test"], "", "make -f other.mk test", None),
        ("make", &["test"], "src", "make -C src test", None),
        ("make", &["just", "test"], "src", "just test", Some(("justfile", 4))),
        ("make", &["just", "lint"], "", "just lint", Some(("justfile", 6))),
        ("make", &["just"], "", "just", Some(("justfile", 4))),
        ("make", &["check", "just", "lint"], "", "just check lint", None),
        ("make", &["just", "t"], "", "just t", None),
        ("cargo-test", &[], "", "cargo test", Some(("Cargo.toml", 4))),
        (
            "cargo-clippy",
            &["-p one"],
            "src",
            "cargo clippy -p one",
            Some(("Cargo.toml", 4)),
        ),
        (
            "cargo-test",
            &["-p two", "name"],
            "",
            "cargo test -p two name",
            Some(("Cargo.toml", 1)),
        ),
        ("ruff", &["check"], "", "ruff check", Some(("pyproject.toml", 4))),
        ("pytest", &["tests"], "src", "pytest tests", Some(("pyproject.toml", 6))),
        ("mypy", &[], "", "mypy .", Some(("pyproject.toml", 7))),
        ("black", &[], "", "black --check .", None),
        ("go-test", &["./..."], "", "go test ./...", Some(("go.mod", 2))),
        ("go-test", &[], "../outside", "go test", None),
        ("go-test", &[], "dir", "go test", None),
        ("go-test", &[], "container:web", "go test", None),
        ("go-test", &[], "/", "go test", None),
        ("jest", &[], "", "npx jest", None),
        ("tsc", &[], "", "npx tsc", None),
    ];
    let world = World::new();
    for (path, text) in [
        ("work/package.json", PACKAGE),
        ("work/web/package.json", "{\"scripts\":{\"test\":\"x\"}}"),
        ("work/Makefile", MAKEFILE),
        ("work/justfile", JUSTFILE),
        ("work/Cargo.toml", CARGO),
        ("work/pyproject.toml", PYPROJECT),
        ("work/go.mod", "// a module\nmodule example.org/x\n"),
        ("outside/go.mod", "module example.org/outside\n"),
    ] {
        world.write(path, text);
    }
    symlink(world.path("outside"), world.path("work/dir")).unwrap();
    for (runner, selection, folder, command, expected) in cases {
        let one = item(command, Vec::new(), Some(check(runner, selection, folder, command)));
        for cwd in [None, Some("work")] {
            let spot = world.spot(cwd, &one);
            let (path, line, ..) = world.told(&spot.place);
            let expected = expected.map_or(("document.md".to_owned(), 2), |(path, line)| {
                (format!("work/{path}"), line)
            });
            assert_eq!((path, line), expected, "{command} in {folder:?} from {cwd:?}");
        }
    }
    fs::remove_file(world.path("work/go.mod")).unwrap();
    symlink(world.path("outside/go.mod"), world.path("work/go.mod")).unwrap();
    let one = item("go", Vec::new(), Some(check("go-test", &[], "", "go test")));
    assert_eq!(
        world.told(&world.put(&one).place).0,
        "document.md",
        "a manifest outside"
    );
    world.write("work/src/a.rs", "x\n");
    let one = item(
        "named",
        cited_in("src/a.rs"),
        Some(check("cargo-test", &[], "", "cargo test")),
    );
    assert_eq!(
        world.told(&world.put(&one).place).0,
        "work/src/a.rs",
        "a named file comes first"
    );
}

#[test]
fn broken_manifests_define_nothing() {
    for (path, runner, selection, text) in [
        ("package.json", "npm-script", "test", "{\"scripts\": {\"test"),
        ("package.json", "npm-script", "test", "{\"scripts\": {\"te\\"),
        ("package.json", "npm-script", "test", "]]}}\"test\": 1"),
        ("package.json", "npm-script", "test", "[{\"scripts\": {\"test\": 1}}]"),
        ("package.json", "npm-script", "test", ""),
        ("Makefile", "make", "test", ":::\n\u{0}test"),
        ("Cargo.toml", "cargo-test", "-p x", "[package\nname = "),
        ("pyproject.toml", "ruff", "", "[\n[]\n[tool]\n[tool.]\n"),
    ] {
        let world = World::new();
        world.write(&format!("work/{path}"), text);
        let one = item("x", Vec::new(), Some(check(runner, &[selection], "", "x")));
        assert_eq!(world.told(&world.put(&one).place).0, "document.md", "{path}: {text}");
    }
}
