//! What a person can do about a kept finding: dismiss it, take that back, see more of it; in an editor and by command.
//! Where it is shown is `kept`'s.

use std::fs;

use anyhow::{Context, Result, ensure};
use proofmark_protocol::Finding;
use proofmark_protocol::findings::CheckRef;
use proofmark_server::session::FindingEnd;
use proofmark_tests::lsp_client::{Editor, uri};
use serde_json::{Value, json};

use super::kept::{Session, at, finding, listed, shown, shows};
use super::{capabilities, is_document, open, world};

fn titled(actions: &[Value], title: &str) -> Result<Value> {
    let found = actions
        .iter()
        .find(|action| action["title"].as_str().is_some_and(|known| known.starts_with(title)));
    found
        .cloned()
        .with_context(|| format!("no action {title}: {actions:#?}"))
}

#[test]
fn dismissing_one_in_an_editor_clears_it_everywhere_and_undoing_brings_it_back() -> Result<()> {
    let world = world()?;
    let session = Session::new(&world, "s")?;
    for (id, recorded, title, wrong) in [
        ("f1", "vscode-1.65", "Dismiss: it was wrong", true),
        ("f2", "emacs-29.1", "Dismiss: it was right", false),
    ] {
        let mut editors = [Editor::open(&world, &[], &capabilities(recorded)?)?, open(&world)?];
        session.note(finding(id, "src/retry.py", 2))?;
        for editor in &mut editors {
            editor.wait_until("the finding", shows(id))?;
        }
        let (place, one) = shown(&editors[0], id).context("not shown")?;
        // Not every editor takes related information; the document is the same for all.
        let (_, other) = shown(&editors[1], id).context("not shown")?;
        let document = other["relatedInformation"][0]["location"].clone();
        let actions = editors[0].actions(&place, &one["range"])?;
        let answer = editors[0].run(&titled(&actions, title)?)?;
        assert_eq!(
            (&answer["state"], &answer["wrong"]),
            (&json!("dismissed"), &json!(wrong))
        );
        for editor in &mut editors {
            editor.wait_until("it is gone", |editor| !shows(id)(editor))?;
        }
        let kept = listed(&world)?;
        let kept = kept.iter().find(|kept| kept["id"] == id).context("not listed")?;
        assert_eq!((&kept["state"], &kept["wrong"]), (&json!("dismissed"), &json!(wrong)));
        // The way back is on its line in the session's document.
        let uri = document["uri"].as_str().context("no document")?;
        let actions = editors[1].actions(uri, &document["range"])?;
        editors[1].run(&titled(&actions, "Undo: show stale-verdict again")?)?;
        for editor in &mut editors {
            editor.wait_until("it is back", shows(id))?;
        }
        session.end(id, FindingEnd::Owned)?;
        let [first, _] = &mut editors;
        let failure = first.ask("dismissFinding", json!({"id": id}))?;
        assert_eq!(failure["error"]["code"], -32052, "{failure}");
    }
    Ok(())
}

#[test]
fn dismissing_one_by_command_clears_it_and_undo_brings_it_back() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    let session = Session::new(&world, "s")?;
    session.note(finding("f1", "src/retry.py", 2))?;
    editor.wait_until("the finding", shows("f1"))?;
    let owner = world.owner()?;
    let why = "it ran in [another] place";
    let done = world
        .proofmark(&["dismiss", "f1", "--wrong", "--why", why])?
        .success()?;
    assert!(
        done.stdout.starts_with("Dismissed as wrong: Finding f1 passed"),
        "{done:?}"
    );
    editor.wait_until("it is gone", |editor| !shows("f1")(editor))?;
    let list = world.proofmark(&["findings"])?.success()?.stdout;
    assert!(
        list.starts_with("0 findings, 1 over\n") && list.contains("dismissed as wrong") && list.contains(why),
        "{list}"
    );
    for (arguments, expected) in [
        (&["dismiss", "f1"][..], "the finding f1 does not stand any more"),
        (&["dismiss", "none"], "no finding on the ledger has the id none"),
        (
            &["dismiss", "none", "--undo"],
            "no finding on the ledger has the id none",
        ),
        (&["dismiss", "f1", "--undo", "--wrong"], "cannot be used with"),
    ] {
        let done = world.proofmark(arguments)?;
        assert!(
            done.code != Some(0) && done.stderr.contains(expected),
            "{arguments:?}: {done:?}"
        );
    }
    world.proofmark(&["dismiss", "f1", "--undo"])?.success()?;
    editor.wait_until("it is back", shows("f1"))?;
    let done = world.proofmark(&["dismiss", "f1", "--undo"])?;
    assert!(done.stderr.contains("the finding f1 is not dismissed"), "{done:?}");
    let list = world.proofmark(&["findings", "--session", "s"])?.success()?.stdout;
    assert!(list.contains("src/retry.py:2, pytest -q --maxfail 1"), "{list}");
    assert_eq!(
        world
            .proofmark(&["findings", "--session", "other", "--json"])?
            .success()?
            .stdout
            .trim(),
        "[]"
    );
    assert_eq!(world.owner()?, owner, "no command has started or replaced a server");
    Ok(())
}

#[test]
fn without_a_ledger_there_is_nothing_to_list_and_nothing_to_dismiss() -> Result<()> {
    let world = world()?;
    assert_eq!(world.proofmark(&["findings", "--json"])?.success()?.stdout.trim(), "[]");
    let done = world.proofmark(&["dismiss", "f1"])?;
    assert!(
        done.code == Some(1) && done.stderr.contains("there is no ledger"),
        "{done:?}"
    );
    assert!(!world.is_served()?);
    Ok(())
}

#[test]
fn an_editor_is_given_what_goes_with_one_and_nothing_is_run() -> Result<()> {
    let world = world()?;
    let marker = world.project().join("was-run");
    fs::write(
        world.project().join("Makefile"),
        format!("test:\n\ttouch {}\n", marker.display()),
    )?;
    let session = Session::new(&world, "7f3a")?;
    let mut editor = Editor::open(&world, &[], &capabilities("vscode-1.65")?)?;
    session.note(Finding {
        places: vec![at("none.py", Some(3))],
        check: Some(CheckRef {
            runner: "make".to_owned(),
            selection: vec!["test".to_owned()],
            folder: String::new(),
            command: "make test".to_owned(),
        }),
        ..finding("f1", "", 1)
    })?;
    editor.wait_until("the finding", shows("f1"))?;
    let (place, one) = shown(&editor, "f1").context("not shown")?;
    assert_eq!(
        place,
        uri(&world.project().join("Makefile")),
        "the target that defines the check"
    );
    let asked = |editor: &Editor, method: &str| editor.requests().iter().any(|request| request["method"] == method);
    editor.wait_until("a refresh is asked for", |editor| {
        asked(editor, "workspace/codeLens/refresh")
    })?;
    let at = json!({"textDocument": {"uri": place}, "position": one["range"]["start"]});
    let hover = editor.ask("textDocument/hover", at)?;
    assert_eq!(
        hover["result"]["contents"],
        json!({"kind": "markdown", "value": "**stale-verdict**, session `7f3a`, turn 4; the check: `make test`"})
    );
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": place}}))?;
    assert_eq!(
        lenses["result"][0]["command"]["command"], "proofmark.openDocument",
        "{lenses}"
    );
    let actions = editor.actions(&place, &one["range"])?;
    let titles: Vec<&str> = actions.iter().filter_map(|action| action["title"].as_str()).collect();
    assert_eq!(
        titles,
        [
            "Dismiss: it was right",
            "Dismiss: it was wrong",
            "Copy as prompt",
            "Show the command that runs the check again",
            "Open the session's document",
            "Open the transcript",
        ]
    );
    let command = editor.run(&titled(&actions, "Show the command")?)?;
    assert_eq!(command, json!({"command": "make test", "cwd": world.project()}));
    let prompt = editor.run(&titled(&actions, "Copy as prompt")?)?;
    let prompt = prompt.as_str().context("no text")?;
    assert!(
        prompt.contains("Finding f1 passed in turn 2") && prompt.ends_with("The check is: make test"),
        "{prompt}"
    );
    let document = editor.run(&titled(&actions, "Open the session's document")?)?;
    assert!(
        document.as_str().is_some_and(|document| is_document(&world, document)),
        "{document}"
    );
    let transcript = editor.run(&titled(&actions, "Open the transcript")?)?;
    assert_eq!(transcript, json!(uri(&world.home().join("t.jsonl"))));
    editor.wait_until("both are asked for", |editor| {
        let shown = editor
            .requests()
            .iter()
            .filter(|request| request["method"] == "window/showDocument");
        shown.map(|request| &request["params"]["uri"]).collect::<Vec<_>>() == [&document, &transcript]
    })?;
    // An error was the answer each time, and the server goes on.
    session.end("f1", FindingEnd::Owned)?;
    editor.wait_until("it is gone", |editor| !shows("f1")(editor))?;
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": place}}))?;
    assert_eq!(lenses["result"], json!([]));
    ensure!(!marker.exists(), "the check was run");
    Ok(())
}
