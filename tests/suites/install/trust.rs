//! Trust in Codex's hooks: written only when the person says so, taken back, and what happens to that in others' hooks.
//! Whether hash and key are Codex's own is tested in the client.

use std::fs;

use proofmark_protocol::Harness::Codex;

use crate::stage::{Stage, count};

/// What Codex 0.171.0 knows `{"type": "command", "command": "later"}` of Stop by.
const LATER: &str = "a8d1d964f3307be88a6e77a330688d05a37027c478d92ed1f4511060317f636c";

#[test]
fn trust_is_shown_and_written_only_when_the_person_says_so() {
    let stage = Stage::new();
    stage.version(Codex, "codex-cli 0.171.0");
    let toml = stage.put(Codex, "config.toml", "model = \"x\" # mine\r\n");
    let before = stage.files();
    let said = stage.done(&["install", "codex"]);
    assert!(said.contains("type /hooks"), "{said}");
    assert_eq!(count(&said, "sha256:"), 7, "{said}");
    assert_eq!(fs::read(&toml).unwrap(), b"model = \"x\" # mine\r\n");
    let said = stage.done(&["install", "codex", "--trust", "--dry-run"]);
    assert!(count(&said, "+trusted_hash") == 7 && said.contains("dry run"), "{said}");
    assert_eq!(fs::read(&toml).unwrap(), b"model = \"x\" # mine\r\n");
    let said = stage.done(&["install", "codex", "--trust"]);
    assert!(!said.contains("type /hooks"), "{said}");
    let text = fs::read_to_string(&toml).unwrap();
    assert!(
        text.starts_with("model = \"x\" # mine\r\n\r\n[hooks.state.") && count(&text, "trusted_hash") == 7,
        "{text}"
    );
    assert_eq!(count(&text, "\n"), count(&text, "\r\n"));
    let said = stage.done(&["install", "codex"]);
    assert!(said.contains("Up to date") && !said.contains("sha256"), "{said}");
    // Codex itself writes into this file, too.
    let later = "\r\n[projects.\"/p\"]\r\ntrust_level = \"trusted\"\r\n";
    fs::write(&toml, format!("{text}{later}")).unwrap();
    stage.done(&["uninstall", "codex"]);
    let mut wanted = before.clone();
    wanted.insert(
        ".codex/config.toml".into(),
        format!("model = \"x\" # mine\r\n{later}").into_bytes(),
    );
    assert_eq!(stage.files(), wanted);
}

#[test]
fn others_keep_their_place_when_we_come_and_are_named_when_they_lose_it() {
    let stage = Stage::new();
    stage.version(Codex, "0.171.0");
    let theirs = |hash: &str, place: u8| {
        let key = stage.folder(Codex).join(format!("hooks.json:stop:{place}:0"));
        format!(
            "[hooks.state.\"{}\"]\ntrusted_hash = \"sha256:{hash}\"\n",
            key.display()
        )
    };
    let group = "{\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}";
    let file = stage.put(Codex, "hooks.json", format!("{{\"hooks\": {{\"Stop\": [{group}]}}}}"));
    let said = stage.done(&["install", "codex"]);
    let ours = stage.folder(Codex).join("hooks.json:stop:1:0");
    assert!(
        said.contains("~/.codex/hooks.json:stop:1:0"),
        "ours does not come after theirs ({}): {said}",
        ours.display()
    );

    // Somebody else comes after us, and is trusted there.
    let text = fs::read_to_string(&file).unwrap();
    let added = text.replacen("}]}],", &format!("}}]}}, {}],", group.replace("theirs", "later")), 1);
    assert_ne!(added, text);
    fs::write(&file, added).unwrap();
    let hash = "0e0a5e1b0f3d1f";
    stage.put(Codex, "config.toml", theirs(hash, 2));
    let said = stage.done(&["uninstall", "codex", "--dry-run"]);
    assert!(
        !said.contains("has moved up"),
        "a hash that is not theirs is no trust: {said}"
    );
    let listed = stage.done(&["install", "codex"]);
    assert!(listed.contains("Up to date"), "{listed}");

    stage.put(Codex, "config.toml", theirs(LATER, 2));
    let said = stage.done(&["uninstall", "codex"]);
    assert!(said.contains("“later” (Stop) has moved up"), "{said}");
    assert_eq!(count(fs::read(&file).unwrap(), "proofmark"), 0);
}

#[test]
fn an_entry_of_ours_that_goes_while_we_install_tells_who_moves_up() {
    let stage = Stage::new();
    stage.version(Codex, "0.171.0");
    let entry = |command: &str| format!("{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"}}]}}");
    let ours = entry("/old/proofmark-hook codex");
    stage.put(
        Codex,
        "hooks.json",
        format!("{{\"hooks\": {{\"Stop\": [{ours}, {ours}, {}]}}}}", entry("later")),
    );
    let key = stage.folder(Codex).join("hooks.json:stop:2:0");
    let trust = format!(
        "[hooks.state.\"{}\"]\ntrusted_hash = \"sha256:{LATER}\"\n",
        key.display()
    );
    stage.put(Codex, "config.toml", trust);
    for arguments in [&["install", "codex", "--dry-run"][..], &["install", "codex"]] {
        let said = stage.done(arguments);
        assert!(said.contains("“later” (Stop) has moved up"), "{said}");
    }
}
