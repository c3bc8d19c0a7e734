//! Where findings go, on real files: places inside and outside, manifests, lines that move, how positions are counted.
//! What a finding looks like there is `diagnostics`'.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proofmark_protocol::findings::CheckRef;
use proofmark_protocol::{Harness, Severity};
use tempfile::TempDir;
use tower_lsp::ls_types::Position;

use super::*;

/// A workspace on disk, a document beside it, and the lines that were seen in it.
struct World {
    folder: TempDir,
    anchors: RefCell<Anchors>,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            anchors: RefCell::default(),
        };
        for folder in ["work/src", "outside"] {
            fs::create_dir_all(world.path(folder)).unwrap();
        }
        fs::write(world.path("document.md"), "- one\n- two\n").unwrap();
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Where an item is put in a workspace of one folder.
    fn spot_in(&self, folders: &[PathBuf], cwd: Option<&Path>, item: &Item) -> Spot {
        let session = SessionFindings {
            harness: Harness::Codex,
            session: "s".to_owned(),
            cwd: cwd.map(|cwd| cwd.display().to_string()),
            transcript: None,
            document: self.path("document.md").display().to_string(),
            items: Vec::new(),
            retired: Vec::new(),
            dismissed: Vec::new(),
        };
        let mut workspace = Workspace::new(folders, Encoding::Utf16);
        spot(&session, item, &mut workspace, &mut self.anchors.borrow_mut()).unwrap()
    }

    fn spot(&self, cwd: Option<&str>, item: &Item) -> Spot {
        let (folders, cwd) = ([self.path("work")], cwd.map(|cwd| self.path(cwd)));
        self.spot_in(&folders, cwd.as_deref(), item)
    }

    fn put(&self, item: &Item) -> Spot {
        self.spot(None, item)
    }

    /// A place as the path below the world, the line counted from 1, and the columns.
    fn told(&self, place: &Place) -> (String, u32, u32, u32) {
        let path = place.uri.to_file_path().unwrap();
        let path = path.strip_prefix(self.path("")).unwrap().display().to_string();
        let Range { start, end } = place.range;
        (path, start.line + 1, start.character, end.character)
    }
}

fn item(id: &str, cited: Vec<Cited>, check: Option<CheckRef>) -> Item {
    Item {
        id: id.to_owned(),
        code: "stale-verdict".to_owned(),
        severity: Severity::Error,
        message: String::new(),
        subject: String::new(),
        claim: None,
        finding: Some(id.to_owned()),
        agent: None,
        turn: 1,
        line: 1,
        cited,
        check,
        evidence: Vec::new(),
    }
}

/// Places as they are written: `path:line`, or `path` alone.
fn cited_in(text: &str) -> Vec<Cited> {
    let one = |word: &str| match word.rsplit_once(':') {
        Some((path, line)) => Cited {
            path: path.to_owned(),
            line: Some(line.parse().unwrap()),
        },
        None => Cited {
            path: word.to_owned(),
            line: None,
        },
    };
    text.split_whitespace().map(one).collect()
}

const DOCUMENT: (&str, u32, u32, u32) = ("document.md", 2, 2, 5);

#[test]
fn only_what_lies_inside_the_workspace_is_a_place() {
    let world = World::new();
    world.write("work/src/a.rs", "one\n  two  \n");
    world.write("outside/b.rs", "x\n");
    symlink(world.path("outside/b.rs"), world.path("work/link.rs")).unwrap();
    symlink(world.path("outside"), world.path("work/dir")).unwrap();
    symlink(world.path("work/src/a.rs"), world.path("work/inner.rs")).unwrap();
    symlink(world.path("work/loop.rs"), world.path("work/loop.rs")).unwrap();
    symlink(world.path("work"), world.path("alias")).unwrap();
    let absolute = world.path("outside/b.rs").display().to_string();
    for (text, cwd, expected) in [
        ("src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("src/a.rs", None, ("work/src/a.rs", 1, 0, 3)),
        ("a.rs:1", Some("work/src"), ("work/src/a.rs", 1, 0, 3)),
        ("./src/../src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("inner.rs:1", None, ("work/src/a.rs", 1, 0, 3)),
        ("src/a.rs:3", None, ("work/src/a.rs", 3, 0, 0)),
        ("src/a.rs:4", None, DOCUMENT),
        ("src/a.rs:0", None, DOCUMENT),
        ("none.rs:1 src/a.rs:1", None, ("work/src/a.rs", 1, 0, 3)),
        ("src/a.rs:9 src/a.rs", None, ("work/src/a.rs", 1, 0, 3)),
        ("none.rs src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("inner.rs src/a.rs:2", None, ("work/src/a.rs", 2, 2, 5)),
        ("link.rs:1", None, DOCUMENT),
        ("dir/b.rs:1", None, DOCUMENT),
        ("loop.rs:1", None, DOCUMENT),
        ("../outside/b.rs:1", None, DOCUMENT),
        ("b.rs:1", Some("outside"), DOCUMENT),
        (absolute.as_str(), None, DOCUMENT),
        ("src", None, DOCUMENT),
        ("", None, DOCUMENT),
    ] {
        let spot = world.spot(cwd, &item(text, cited_in(text), None));
        let (path, line, start, end) = world.told(&spot.place);
        assert_eq!((path.as_str(), line, start, end), expected, "{text}");
        assert_eq!(spot.report.is_none(), expected == DOCUMENT, "{text}");
        assert_eq!(spot.former, None, "{text}");
    }
    let one = item("alias", cited_in("src/a.rs:1"), None);
    let alias = world.spot_in(&[world.path("alias")], None, &one);
    assert_eq!(
        world.told(&alias.place).0,
        "alias/src/a.rs",
        "named as the editor names it"
    );
    let one = item("no folder", cited_in("src/a.rs:1"), None);
    let nowhere = world.spot_in(&[], Some(&world.path("work")), &one);
    assert_eq!(world.told(&nowhere.place).0, "document.md", "no folder, no workspace");
}

#[test]
fn a_finding_goes_with_its_line_and_to_the_document_when_it_has_gone() {
    let lines = |from: u32, to: u32| (from..=to).map(|n| format!("x = {n}\n")).collect::<String>();
    let old = format!("{}    retry()\n{}", lines(1, 59), lines(61, 120));
    let brackets = old.replace("retry()", "}");
    let place = |line| Some(("work/a.py".to_owned(), line));
    // What the file was, what it is, where the finding is then, and where it was as related information.
    for (what, before, after, expected, former) in [
        ("as it was", &old, old.clone(), place(60), None),
        (
            "its indent alone",
            &old,
            old.replace("    retry", "retry"),
            place(60),
            None,
        ),
        (
            "lines above it",
            &old,
            format!("{}{old}", lines(900, 949)),
            place(110),
            None,
        ),
        (
            "too many above it",
            &old,
            format!("{}{old}", lines(900, 950)),
            None,
            place(60),
        ),
        (
            "fewer above it",
            &old,
            old.replacen(&lines(1, 50), "", 1),
            place(10),
            None,
        ),
        (
            "too few above it",
            &old,
            old.replacen(&lines(1, 51), "", 1),
            None,
            place(60),
        ),
        (
            "twice, the nearer",
            &old,
            format!("{}{}", lines(900, 909), old.replace("x = 30\n", "retry()\n")),
            place(70),
            None,
        ),
        ("its text", &old, old.replace("retry()", "retries()"), None, place(60)),
        ("all below it", &old, lines(1, 20), None, place(21)),
        ("everything", &old, String::new(), None, place(1)),
        (
            "a line that is not the only one",
            &brackets,
            format!("y\n{brackets}"),
            None,
            place(60),
        ),
        (
            "such a line stays",
            &brackets,
            format!("{brackets}y\n"),
            place(60),
            None,
        ),
    ] {
        let world = World::new();
        world.write("work/a.py", before);
        let one = item("f", cited_in("a.py:60"), None);
        assert_eq!(world.told(&world.put(&one).place).1, 60, "{what}");
        world.write("work/a.py", &after);
        let spot = world.put(&one);
        let told = |place: &Place| {
            let (path, line, ..) = world.told(place);
            (path, line)
        };
        let expected = expected.unwrap_or(("document.md".to_owned(), 2));
        assert_eq!(told(&spot.place), expected, "{what}");
        assert_eq!(spot.former.as_ref().map(told), former, "{what}");
        world.write("work/a.py", before);
        assert_eq!(world.told(&world.put(&one).place).1, 60, "{what}: back again");
    }
}

#[test]
fn a_file_that_goes_or_turns_into_a_way_out_is_no_place_any_more() {
    let world = World::new();
    world.write("work/a.py", "x = 1\n");
    world.write("outside/a.py", "x = 1\n");
    let one = item("f", cited_in("a.py:1"), None);
    assert_eq!(world.told(&world.put(&one).place).0, "work/a.py");
    fs::remove_file(world.path("work/a.py")).unwrap();
    let gone = world.put(&one);
    assert_eq!((world.told(&gone.place).0.as_str(), gone.former), ("document.md", None));
    symlink(world.path("outside/a.py"), world.path("work/a.py")).unwrap();
    let gone = world.put(&one);
    assert_eq!((world.told(&gone.place).0.as_str(), gone.former), ("document.md", None));
}

#[test]
fn a_finding_that_names_other_places_is_looked_up_anew_and_one_that_is_not_shown_is_forgotten() {
    let world = World::new();
    world.write("work/a.py", "x = 1\ny = 2\n");
    let session = |world: &World| SessionFindings {
        harness: Harness::Codex,
        session: "s".to_owned(),
        cwd: None,
        transcript: None,
        document: world.path("document.md").display().to_string(),
        items: Vec::new(),
        retired: Vec::new(),
        dismissed: Vec::new(),
    };
    world.put(&item("f", cited_in("a.py:1"), None));
    world.write("work/a.py", "z = 1\ny = 2\n");
    let one = item("f", cited_in("a.py:1"), None);
    assert_eq!(world.told(&world.put(&one).place).0, "document.md");
    let other = item("f", cited_in("a.py:2"), None);
    assert_eq!(world.told(&world.put(&other).place).1, 2);
    let held = session(&world);
    world.anchors.borrow_mut().keep_only([(&held, &other)].into_iter());
    world.write("work/a.py", "z = 1\nw = 2\n");
    assert_eq!(world.told(&world.put(&other).place).0, "document.md", "still held");
    world.anchors.borrow_mut().keep_only(std::iter::empty());
    assert_eq!(world.told(&world.put(&other).place).1, 2, "seen for the first time");
}

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

#[test]
fn positions_are_counted_as_negotiated() {
    let world = World::new();
    // Four bytes, two units of UTF-16, one character; then two bytes, one unit, one character.
    world.write("document.md", "- 𝄞ä x\n");
    let path = world.path("document.md").display().to_string();
    let (utf8, utf16, utf32) = (
        PositionEncodingKind::UTF8,
        PositionEncodingKind::UTF16,
        PositionEncodingKind::UTF32,
    );
    let other = PositionEncodingKind::new("utf-7");
    for (offered, expected, end) in [
        (Some(vec![utf16.clone(), utf8.clone()]), &utf8, 2 + 4 + 2 + 2),
        (Some(vec![utf32.clone(), utf16.clone()]), &utf32, 2 + 1 + 1 + 2),
        (Some(vec![utf16.clone(), utf32.clone()]), &utf16, 2 + 2 + 1 + 2),
        (Some(vec![other.clone(), utf32.clone()]), &utf32, 2 + 1 + 1 + 2),
        (Some(vec![other]), &utf16, 2 + 2 + 1 + 2),
        (Some(vec![]), &utf16, 2 + 2 + 1 + 2),
        (None, &utf16, 2 + 2 + 1 + 2),
    ] {
        let encoding = Encoding::negotiated(offered.as_deref());
        assert_eq!(encoding.kind(), *expected, "{offered:?}");
        let place = Workspace::new(&[], encoding).in_document(&path, 0).unwrap();
        let Range { start, end: at } = place.range;
        assert_eq!((start.character, at.character), (2, end), "{offered:?}");
    }
    let beyond = Workspace::new(&[], Encoding::Utf8).in_document(&path, 7).unwrap();
    assert_eq!(beyond.range.end, Position::new(7, 0));
}
