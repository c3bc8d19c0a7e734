//! What an editor may ask for: sessions beside diagnostics, severities, an age; and whose sessions it is shown.
//! What the sessions themselves hold is tested with the pictures.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};
use proofmark_tests::lsp_client::{Editor, Told};
use proofmark_tests::talk::Talk;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use super::{shows, source, world};

fn open(world: &World, folder: &Path, options: &Value) -> Result<Editor> {
    Editor::open_at(world, &[], folder, &json!({}), options)
}

fn is_whole(told: &Told) -> bool {
    told.params["whole"] == true
}

/// The messages of what was told last, by session.
fn items(editor: &Editor) -> Vec<(String, usize)> {
    let sessions = editor.told().last().and_then(|told| told.params["sessions"].as_array());
    let item = |session: &Value| {
        let name = session["session"].as_str().unwrap_or_default().to_owned();
        (name, session["items"].as_array().map_or(0, Vec::len))
    };
    sessions.into_iter().flatten().map(item).collect()
}

fn set(editor: &mut Editor, settings: &Value) -> Result<()> {
    editor.tell(
        "workspace/didChangeConfiguration",
        json!({"settings": {"proofmark": settings}}),
    )
}

#[test]
fn sessions_are_told_after_their_diagnostics_and_whole_once_the_owner_is_back() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world, &world.project(), &json!({"sessions": true}))?;
    let mut silent = open(&world, &world.project(), &Value::Null)?;
    editor.wait_until("that there is nothing", |editor| !editor.told().is_empty())?;
    assert!(is_whole(&editor.told()[0]) && items(&editor).is_empty());
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:2 holds")?;
    editor.wait_until("the session, with the claim and the turn", |editor| {
        items(editor) == [("s".to_owned(), 2)]
    })?;
    let told = editor.told().last().context("nothing")?.clone();
    assert!(!is_whole(&told) && told.published >= 1, "{told:?}");
    let session = &told.params["sessions"][0];
    assert_eq!(session["cwd"], json!(world.project()));
    assert!(
        session["lastSeen"]
            .as_u64()
            .is_some_and(|seen| seen > 1_600_000_000_000),
        "{session}"
    );
    let before = editor.told().len();
    world.kill_server()?;
    editor.wait_until("everything, anew", |editor| editor.told().len() > before)?;
    let told = editor.told().last().context("nothing")?;
    assert!(is_whole(told) && items(&editor) == [("s".to_owned(), 2)], "{told:?}");
    silent.wait_until("the claim", shows("holds"))?;
    set(&mut silent, &json!({"severity": {"untried-claim": "error"}}))?;
    silent.wait_until("the claim as an error", |editor| {
        editor
            .finding("untried-claim")
            .is_some_and(|(_, one)| one["severity"] == 1)
    })?;
    assert!(silent.told().is_empty(), "only to those who asked for it");
    Ok(())
}

#[test]
fn an_editor_is_shown_its_own_workspace_however_that_is_named() -> Result<()> {
    let world = world()?;
    let (other, link) = (world.home().join("other"), world.home().join("link"));
    fs::create_dir(&other)?;
    symlink(world.project(), &link)?;
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:2 holds")?;
    let asked = json!({"sessions": true});
    for (folder, shown) in [
        (world.project(), true),
        (world.project().join("src"), true),
        (link, true),
        (other.clone(), false),
    ] {
        let mut editor = open(&world, &folder, &asked)?;
        editor.wait_until("what there is", |editor| !editor.told().is_empty())?;
        assert_eq!(!items(&editor).is_empty(), shown, "{}", folder.display());
        assert_eq!(shows("holds")(&editor), shown, "{}: it came before", folder.display());
        assert_eq!(editor.close()?, Some(0));
    }
    let mut editor = open(&world, &other, &asked)?;
    editor.wait_until("what there is", |editor| !editor.told().is_empty())?;
    let folders = |added: &Path| json!([{"uri": proofmark_tests::lsp_client::uri(added), "name": "more"}]);
    let event = json!({"event": {"added": folders(&world.project()), "removed": []}});
    editor.tell("workspace/didChangeWorkspaceFolders", event)?;
    editor.wait_until("the claim", |editor| !editor.at(&source(&world)).is_empty())?;
    editor.wait_until("the session", |editor| items(editor).len() == 1)?;
    assert!(editor.told().last().is_some_and(is_whole));
    Ok(())
}

#[test]
fn severity_and_age_are_the_persons_and_count_at_once() -> Result<()> {
    let world = world()?;
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:2 holds")?;
    let options = json!({"severity": {"untried-claim": "warning", "refused-turn": 7}, "maxAgeHours": "none", "x": 1});
    let mut editor = open(&world, &world.project(), &options)?;
    let severity = |editor: &Editor, code: &str| editor.finding(code).map(|(_, one)| one["severity"].clone());
    editor.wait_until("both", |editor| severity(editor, "refused-turn") == Some(json!(3)))?;
    editor.wait_until("as set", |editor| severity(editor, "untried-claim") == Some(json!(2)))?;
    // Less than it takes to get here.
    set(&mut editor, &json!({"maxAgeHours": 0.000_001}))?;
    editor.wait_until("all is too old", |editor| editor.places().is_empty())?;
    set(&mut editor, &json!({"maxAgeHours": null, "severity": null}))?;
    editor.wait_until("it is back", |editor| {
        severity(editor, "untried-claim") == Some(json!(3))
    })?;
    Ok(())
}
