//! What people and other programs do around an installation: move it, upgrade it, write into its files, have odd homes.
//! Files that are told by before and after stand in the fixtures.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proofmark_protocol::Harness::{ClaudeCode, Codex, Cursor};
use serde_json::{Value, json};

use crate::stage::{Stage, count, run};

fn value(path: &PathBuf) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_harness_that_is_not_there_is_said_and_skipped() {
    let stage = Stage::new();
    let none = stage.run(&["install"]);
    assert_eq!(none.code, Some(1), "nothing at all was installed: {none:?}");
    assert_eq!(count(&none.stdout, "was not found"), 3);
    let named = stage.run(&["install", "codex"]);
    assert_eq!(named.code, Some(1));
    assert!(
        named
            .stderr
            .contains("Codex was not found: there is no ~/.codex and no `codex` on PATH"),
        "{}",
        named.stderr
    );
    assert!(stage.files().is_empty());

    stage.program("claude", "2.1.332 (Claude Code)");
    let said = stage.done(&["install"]);
    assert!(
        said.contains("Claude Code 2.1.332") && said.contains("Codex was not found"),
        "{said}"
    );
    assert_eq!(
        stage.files().into_keys().collect::<Vec<_>>(),
        [PathBuf::from(".claude/settings.json")]
    );
    stage.done(&["uninstall"]);
    assert!(
        !stage.folder(ClaudeCode).exists(),
        "the folder that was made for it stays"
    );
    assert_eq!(stage.run(&["install", "vim"]).code, Some(2));
}

#[test]
fn a_file_with_foreign_entries_gets_ours_beside_them_and_older_forms_are_replaced() {
    // in-01 to in-04 of the cases for installers.
    let stage = Stage::new();
    stage.version(ClaudeCode, "2.1.332");
    let file = stage.folder(ClaudeCode).join("settings.json");
    let ours = json!({"type": "command", "command": stage.hook(), "args": ["claude-code"], "timeout": 60});
    stage.done(&["install", "claude-code"]);
    assert_eq!(value(&file)["hooks"]["Stop"], json!([{"hooks": [ours]}]));

    let theirs = json!({"matcher": "*", "hooks": [{"type": "command", "command": "theirs"}]});
    let older = json!({"hooks": [{"type": "command", "command": "/elsewhere/proofmark-hook claude-code"}]});
    stage.put(
        ClaudeCode,
        "settings.json",
        json!({"model": "x", "hooks": {"Stop": [theirs, older]}}).to_string(),
    );
    stage.done(&["install", "claude-code"]);
    let after = value(&file);
    assert_eq!(
        (&after["model"], &after["hooks"]["Stop"]),
        (&json!("x"), &json!([theirs, {"hooks": [ours]}]))
    );

    let said = stage.done(&["install", "claude-code"]);
    assert!(said.contains("Up to date"), "{said}");
    assert_eq!(value(&file), after);
}

#[test]
fn helper_agents_are_left_out_for_a_reason_until_they_are_taken_in_again() {
    // in-09 of the cases for installers.
    let stage = Stage::new();
    let file = stage.put(ClaudeCode, "settings.json", "{}");
    let before = stage.files();
    let bare = stage.run(&["install", "--without-subagents", " "]);
    assert!(bare.code == Some(1) && bare.stderr.contains("say why"), "{bare:?}");
    stage.done(&["install"]);
    assert_eq!(count(fs::read(&file).unwrap(), "Subagent"), 2);
    let said = stage.done(&["install", "--without-subagents", "they only look things up"]);
    assert!(said.contains("they only look things up"), "{said}");
    for _ in 0..2 {
        let text = fs::read(&file).unwrap();
        assert_eq!((count(&text, "Subagent"), count(&text, "\"Stop\"")), (0, 1));
        let said = stage.done(&["install"]);
        assert!(
            said.contains("they only look things up"),
            "the reason is not shown again: {said}"
        );
    }
    assert!(!stage.done(&["install", "--with-subagents"]).contains("they only"));
    assert_eq!(count(fs::read(&file).unwrap(), "Subagent"), 2);
    stage.done(&["uninstall"]);
    assert_eq!(stage.files(), before);
}

#[test]
fn what_others_write_after_the_installation_stays_when_it_is_undone() {
    for (harness, file, before) in [
        (
            ClaudeCode,
            "settings.json",
            "{\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  },\r\n  \"model\": \"x\"\r\n}",
        ),
        (ClaudeCode, "settings.json", "{\n\t\"model\": \"x\", // y\n}\n"),
        (Codex, "hooks.json", "{\n  \"description\": \"d\"\n}\n"),
        (Cursor, "hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n"),
    ] {
        let stage = Stage::new();
        let path = stage.put(harness, file, before);
        stage.done(&["install", harness.as_str()]);
        let later = |text: &str| text.replacen('{', "{\"later\": 1, ", 1);
        let later = |text: &str| {
            if harness == Codex {
                text.replace("\"d\"", "\"e\"")
            } else {
                later(text)
            }
        };
        fs::write(&path, later(&fs::read_to_string(&path).unwrap())).unwrap();
        stage.done(&["uninstall", harness.as_str()]);
        assert_eq!(fs::read_to_string(&path).unwrap(), later(before), "{harness}");
        assert!(
            stage
                .done(&["uninstall", harness.as_str()])
                .contains("Nothing of Proofmark's in")
        );
    }
}

#[test]
fn a_file_that_was_made_for_us_goes_only_while_nothing_else_is_in_it() {
    for (add, stays) in [("", false), ("\"theirs\": 1, ", true)] {
        let stage = Stage::new();
        stage.program("claude", "2.1.332");
        stage.done(&["install"]);
        let path = stage.folder(ClaudeCode).join("settings.json");
        let text = fs::read_to_string(&path).unwrap();
        // Written anew by another program: the same things, laid out in another way.
        let packed = serde_json::from_str::<Value>(&text).unwrap().to_string();
        fs::write(&path, packed.replacen('{', &format!("{{{add}"), 1)).unwrap();
        stage.done(&["uninstall"]);
        assert_eq!(path.exists(), stays, "{add}");
        if stays {
            assert_eq!(value(&path), json!({"theirs": 1}));
        }
    }
}

#[test]
fn an_upgrade_to_another_place_rewrites_the_path_and_undoing_gives_the_first_bytes() {
    let stage = Stage::new();
    for harness in [ClaudeCode, Codex, Cursor] {
        let file = if harness == ClaudeCode {
            "settings.json"
        } else {
            "hooks.json"
        };
        stage.put(harness, file, "{ }\n");
    }
    let before = stage.files();
    let mut paths = Vec::new();
    for place in ["first", "the second é's place"] {
        let folder = stage.home.with_file_name(place);
        fs::create_dir(&folder).unwrap();
        for name in ["proofmark", "proofmark-hook"] {
            symlink(stage.world.program(name), folder.join(name)).unwrap();
        }
        let done = run(&mut stage.command_of(&folder.join("proofmark"), &["install"]));
        done.success().unwrap();
        paths.push(folder.join("proofmark-hook").to_str().unwrap().to_owned());
        for (file, bytes) in stage.files() {
            let events = count(&bytes, "proofmark-hook");
            assert!(events >= 4, "{}", file.display());
            // Apostrophes are quoted for the shell, so only the folder's beginning is looked for.
            let here = paths[paths.len() - 1].split('\'').next().unwrap().to_owned();
            assert_eq!(count(&bytes, &here), events, "{}", file.display());
        }
    }
    // A shell reads the path back, and the hook runs.
    let hooks = value(&stage.folder(Codex).join("hooks.json"));
    let line = hooks["hooks"]["Stop"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut shell = stage.command_of("/bin/sh".as_ref(), &["-c", &line]);
    let ran = run(&mut shell).success().unwrap();
    assert_eq!(ran.stdout, "");
    let cursor = value(&stage.folder(Cursor).join("hooks.json"));
    let line = cursor["hooks"]["stop"][0]["command"].as_str().unwrap().to_owned();
    let ran = run(&mut stage.command_of("/bin/sh".as_ref(), &["-c", &line]))
        .success()
        .unwrap();
    assert!(ran.stdout.contains("\"continue\":true"), "{ran:?}");
    stage.done(&["uninstall"]);
    assert_eq!(stage.files(), before);
}

#[test]
fn a_home_with_spaces_and_accents_is_a_home_like_any_other() {
    let stage = Stage::at("Zoë's home $x");
    for harness in [ClaudeCode, Codex, Cursor] {
        fs::create_dir_all(stage.folder(harness)).unwrap();
    }
    stage.version(Codex, "0.171.0");
    let said = stage.done(&["install", "--trust"]);
    assert!(said.contains("~/.claude/settings.json"), "{said}");
    let toml = fs::read_to_string(stage.folder(Codex).join("config.toml")).unwrap();
    assert_eq!(count(&toml, "Zoë's home $x/.codex/hooks.json:"), 7, "{toml}");
    assert!(stage.done(&["install", "--trust"]).matches("Up to date").count() == 3);
    stage.done(&["uninstall"]);
    let left: Vec<PathBuf> = stage.files().into_keys().collect();
    assert_eq!(
        left,
        [PathBuf::from(".cursor/hooks.json")],
        "Cursor's is emptied, the others go"
    );
}

#[test]
fn folders_that_variables_name_are_used_and_found_again() {
    let stage = Stage::new();
    let elsewhere = stage.home.join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(stage.folder(Cursor)).unwrap();
    let before = stage.files();
    let with = |arguments: &[&str]| {
        let mut command = stage.command(arguments);
        for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "CURSOR_CONFIG_DIR"] {
            command.env(name, &elsewhere);
        }
        run(&mut command).success().unwrap().stdout
    };
    with(&["install", "claude-code"]);
    with(&["install", "cursor"]);
    let made: Vec<PathBuf> = stage.files().into_keys().collect();
    // Cursor's editor does not know the variable, so its file is written too.
    assert_eq!(
        made,
        [".cursor/hooks.json", "elsewhere/hooks.json", "elsewhere/settings.json"].map(PathBuf::from)
    );
    // Without the variables the files are known by what was remembered of them.
    stage.done(&["uninstall"]);
    let mut left = stage.files();
    left.retain(|path, _| !path.ends_with("hooks.json"));
    assert_eq!(left, before);
}

#[test]
fn a_project_s_settings_are_its_own() {
    let stage = Stage::new();
    stage.program("claude", "2.1.332");
    stage.put(ClaudeCode, "settings.json", "{}");
    let before = stage.files();
    let said = stage.done(&["install", "claude-code", "--scope", "project"]);
    assert!(said.contains("this machine's"), "{said}");
    assert_eq!(stage.files(), before);
    let file = stage.world.project().join(".claude/settings.json");
    assert_eq!(count(fs::read(&file).unwrap(), &stage.hook()), 7);
    let said = stage.done(&["uninstall", "claude-code"]);
    assert!(said.contains("Still installed for a project"), "{said}");
    assert!(file.exists());
    stage.done(&["uninstall", "claude-code", "--scope", "project"]);
    assert!(!file.exists() && !file.parent().unwrap().exists());
}

#[test]
fn a_mark_that_an_editor_has_put_before_our_entries_is_taken_away_again() {
    let stage = Stage::new();
    for (harness, file, stays) in [
        (ClaudeCode, "settings.json", true),
        (Codex, "hooks.json", false),
        (Cursor, "hooks.json", false),
    ] {
        stage.put(harness, file, "{\"hooks\": {}}");
        stage.done(&["install", harness.as_str()]);
        let path = stage.folder(harness).join(file);
        let good = fs::read(&path).unwrap();
        fs::write(&path, [b"\xef\xbb\xbf", good.as_slice()].concat()).unwrap();
        let said = stage.done(&["install", harness.as_str()]);
        assert_eq!(said.contains("Up to date"), stays, "{said}");
        assert_eq!(fs::read(&path).unwrap() == good, !stays, "{harness}");
    }
}
