//! Settings that nobody should write into: said with the place, left as they are, and the other harnesses go on.
//! Settings that can be written into stand in the fixtures.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proofmark_protocol::Harness::{self, ClaudeCode, Codex, Cursor};

use crate::stage::{HOOK, Stage, count};

/// Harness, file, what is in it, and what has to be said.
const REFUSED: &[(Harness, &str, &[u8], &[&str])] = &[
    (
        ClaudeCode,
        "settings.json",
        b"{\n  \"a\": 1\n  \"b\": 2\n}",
        &["settings.json: line 2, column 9"],
    ),
    (ClaudeCode, "settings.json", b"{\"a\": ", &["line 1"]),
    (ClaudeCode, "settings.json", b"not json", &["line 1, column 1"]),
    (ClaudeCode, "settings.json", b"{}\n{}", &["line 2, column 1"]),
    (ClaudeCode, "settings.json", b"[]", &["the settings are no object"]),
    (
        ClaudeCode,
        "settings.json",
        b"{\n\"a\": \"\xff\"}",
        &["line 2, column 7", "no UTF-8"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": []}",
        &["line 1, column 11", "no object of events"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": {\n\"Stop\": {}}}",
        &["line 2, column 9", "no list"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": {\"Stop\": [\"theirs\"]}}",
        &["an entry of “Stop” is no object"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": {\"Stop\": [{\"hooks\": [\"theirs\"]}]}}",
        &["a hook of"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": {\"Stop\": [{\"hooks\": {}}]}}",
        &["are no list"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": {},\n\"hooks\": {}}",
        &["line 2, column 1", "a second time"],
    ),
    (
        ClaudeCode,
        "settings.json",
        b"{\"hooks\": {\"Stop\": [],\n \"Stop\": []}}",
        &["line 2, column 2", "a second time"],
    ),
    (
        Codex,
        "hooks.json",
        b"{\"$schema\": \"x\", \"hooks\": {}}",
        &["line 1, column 2", "takes no “$schema”"],
    ),
    (
        Codex,
        "hooks.json",
        b"{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"strange\"}]}]}}",
        &["none that Codex knows"],
    ),
    (
        Codex,
        "hooks.json",
        b"{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": 1.5}]}]}}",
        &["whole number"],
    ),
    (Codex, "config.toml", b"a = 1\nb = \n", &["config.toml: line 2"]),
    (Codex, "config.toml", b"a = 1\na = 2\n", &["config.toml: line 2"]),
    (
        Cursor,
        "hooks.json",
        b"{\"version\": 0, \"hooks\": {}}",
        &["whole number above 0"],
    ),
    (
        Cursor,
        "hooks.json",
        b"{\"version\": 1, \"hooks\": {\n\"Stop\": []}}",
        &["line 2", "knows no event"],
    ),
    (
        Cursor,
        "hooks.json",
        b"{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": 1}]}}",
        &["no command that is a text"],
    ),
    (
        Cursor,
        "hooks.json",
        b"{\"version\": 1, \"hooks\": {\"stop\": [{\"hooks\": []}]}}",
        &["no command that is a text"],
    ),
    (
        Cursor,
        "hooks.json",
        b"{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\", \"type\": \"http\"}]}}",
        &["neither"],
    ),
];

#[test]
fn a_file_that_the_harness_would_not_take_is_left_as_it_is_with_the_reason() {
    for (harness, file, bytes, says) in REFUSED {
        let stage = Stage::new();
        stage.version(Codex, "0.171.0");
        stage.put(*harness, file, bytes);
        let other = if *harness == ClaudeCode { Codex } else { ClaudeCode };
        fs::create_dir_all(stage.folder(other)).unwrap();
        let before = stage.files();
        let what = String::from_utf8_lossy(bytes);

        let one = stage.run(&["install", harness.as_str()]);
        assert_eq!(one.code, Some(1), "{what}: {one:?}");
        for wanted in *says {
            assert!(
                one.stderr.contains(wanted),
                "{what}: {wanted:?} is not in {}",
                one.stderr
            );
        }
        assert_eq!(stage.files(), before, "{what}");

        let all = stage.run(&["install"]);
        assert_eq!(all.code, Some(1), "{what}: {all:?}");
        let after = stage.files();
        assert!(
            after.len() > before.len(),
            "{what}: the other harness was not installed into"
        );
        assert!(before.iter().all(|(path, bytes)| after[path] == *bytes), "{what}");
    }
}

#[test]
fn a_name_that_stands_twice_elsewhere_is_none_of_our_business() {
    let stage = Stage::new();
    let file = stage.put(ClaudeCode, "settings.json", "{\"env\": {\"A\": \"1\", \"A\": \"2\"}}\n");
    stage.done(&["install", "claude-code"]);
    assert!(
        fs::read_to_string(file)
            .unwrap()
            .starts_with("{\"env\": {\"A\": \"1\", \"A\": \"2\"}, \"hooks\"")
    );
}

#[test]
fn a_folder_or_a_file_in_the_way_is_said() {
    let stage = Stage::new();
    fs::create_dir_all(stage.folder(ClaudeCode).join("settings.json")).unwrap();
    let done = stage.run(&["install", "claude-code"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("settings.json: it is no file"), "{}", done.stderr);

    let stage = Stage::new();
    stage.program("claude", "2.1.332");
    fs::write(stage.folder(ClaudeCode), "no folder").unwrap();
    let done = stage.run(&["install", "claude-code"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("settings.json: can't be looked at"),
        "{}",
        done.stderr
    );
    assert_eq!(fs::read(stage.folder(ClaudeCode)).unwrap(), b"no folder");

    // The draft can't be written beside the file: as in a folder that is not ours to write to.
    let stage = Stage::new();
    let file = stage.put(ClaudeCode, "settings.json", "{}");
    fs::create_dir(stage.folder(ClaudeCode).join(".settings.json.proofmark-draft")).unwrap();
    let done = stage.run(&["install", "claude-code"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("its folder can't be written to"),
        "{}",
        done.stderr
    );
    assert_eq!(fs::read(file).unwrap(), b"{}");
}

#[test]
fn links_are_written_through_and_stay() {
    for (to, makes) in [
        ("../dots/claude.json", true),
        ("ABSOLUTE", true),
        ("../dots/claude.json", false),
    ] {
        let stage = Stage::new();
        let target = stage.home.join("dots/claude.json");
        fs::create_dir_all(stage.home.join("dots")).unwrap();
        fs::create_dir_all(stage.folder(ClaudeCode)).unwrap();
        if makes {
            fs::write(&target, "{\n  \"model\": \"x\"\n}\n").unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        }
        let before = stage.files();
        let link = stage.folder(ClaudeCode).join("settings.json");
        let to = if to == "ABSOLUTE" { target.to_str().unwrap() } else { to };
        symlink(to, &link).unwrap();
        stage.done(&["install"]);
        assert_eq!(fs::read_link(&link).unwrap().to_str(), Some(to));
        assert_eq!(count(fs::read(&target).unwrap(), &stage.hook()), 7, "{to}");
        if makes {
            assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
        }
        stage.done(&["uninstall"]);
        assert_eq!(fs::read_link(&link).unwrap().to_str(), Some(to));
        fs::remove_file(&link).unwrap();
        assert_eq!(stage.files(), before, "{to}");
    }
    let stage = Stage::new();
    fs::create_dir_all(stage.folder(Cursor)).unwrap();
    symlink("hooks.json", stage.folder(Cursor).join("hooks.json")).unwrap();
    let done = stage.run(&["install"]);
    assert!(
        done.code == Some(1) && done.stderr.contains("lead in a circle"),
        "{done:?}"
    );
    fs::remove_file(stage.folder(Cursor).join("hooks.json")).unwrap();
    symlink("real.json", stage.folder(Cursor).join("hooks.json")).unwrap();
    assert!(
        stage
            .done(&["install"])
            .contains("does not read a hooks.json that is a symbolic link")
    );
}

#[test]
fn what_can_not_be_read_any_more_is_not_undone_and_that_is_said() {
    let stage = Stage::new();
    let file = stage.put(ClaudeCode, "settings.json", "{}");
    stage.put(Cursor, "hooks.json", "{}");
    stage.done(&["install"]);
    fs::write(&file, format!("{{ {HOOK}")).unwrap();
    let done = stage.run(&["uninstall"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("settings.json: line 1, column 3"),
        "{}",
        done.stderr
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{{ {HOOK}"));
    assert_eq!(
        fs::read(stage.folder(Cursor).join("hooks.json")).unwrap(),
        b"{}",
        "the others were not undone"
    );
}

#[test]
fn a_memory_that_can_not_be_read_stops_everything() {
    let stage = Stage::new();
    let file = stage.put(ClaudeCode, "settings.json", "{}");
    fs::create_dir_all(stage.world.state().join("install")).unwrap();
    fs::write(stage.world.state().join("install/manifest.json"), "{").unwrap();
    let done = stage.run(&["install"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("manifest.json can't be read; move it away"),
        "{}",
        done.stderr
    );
    assert_eq!(fs::read(file).unwrap(), b"{}");
}
