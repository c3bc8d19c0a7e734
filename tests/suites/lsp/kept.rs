//! Findings that the ledger keeps: shown where they point, bounded, moved with their line, gone when they are over.
//! Which check finds what is the checks' own business: the facts are written here by hand.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmark_protocol::findings::{CheckRef, Cited};
use proofmark_protocol::{Evidence, Finding, FindingState, Harness, Severity};
use proofmark_server::engine::now;
use proofmark_server::ledger::{Durability, Ledger};
use proofmark_server::session::{Fact, FactBody, FindingEnd, SessionKey};
use proofmark_tests::lsp_client::{Editor, uri};
use proofmark_tests::world::World;
use serde_json::{Value, json};

use super::{is_document, open, source, world};

/// A session on a world's ledger, and another connection to it beside the server's.
pub(super) struct Session {
    ledger: Ledger,
    key: SessionKey,
}

impl Session {
    pub(super) fn new(world: &World, session: &str) -> Result<Self> {
        world.proofmark(&["serve", "--detach"])?.success()?;
        let ledger = Ledger::open_existing(&world.state())?.context("the server made no ledger")?;
        let key = SessionKey {
            harness: Harness::ClaudeCode,
            session: session.to_owned(),
        };
        let (transcript, cwd) = (world.home().join("t.jsonl"), world.project());
        ledger.touch(&key, transcript.to_str(), cwd.to_str(), now())?;
        Ok(Self { ledger, key })
    }

    fn write(&self, bodies: impl IntoIterator<Item = FactBody>) -> Result<()> {
        let fact = |(nth, body): (usize, FactBody)| Fact {
            at: now(),
            agent: None,
            turn: 4,
            anchor: None,
            key: format!("{}:{}:{nth}:{}", body.kind(), body.subject(), now()),
            body,
        };
        let facts: Vec<Fact> = bodies.into_iter().enumerate().map(fact).collect();
        self.ledger.append(&self.key, &facts, Durability::Process)?;
        Ok(())
    }

    pub(super) fn note(&self, finding: Finding) -> Result<()> {
        self.write([FactBody::Noted { finding }])
    }

    pub(super) fn end(&self, id: &str, end: FindingEnd) -> Result<()> {
        let finding = id.to_owned();
        self.write([FactBody::FindingEnded { finding, end }])
    }
}

pub(super) fn at(path: &str, line: Option<u32>) -> Cited {
    let path = path.to_owned();
    Cited { path, line }
}

/// A stale verdict on a file and line.
pub(super) fn finding(id: &str, path: &str, line: u32) -> Finding {
    let evidence = |what: &str, turn, place| Evidence {
        what: what.to_owned(),
        turn: Some(turn),
        id: None,
        place,
    };
    Finding {
        id: Some(id.to_owned()),
        code: "stale-verdict".to_owned(),
        severity: Severity::Error,
        subject: format!("pytest {id}"),
        message: format!("Finding {id} passed in turn 2, failed in turn 3, and the reply does not say so."),
        evidence: vec![
            evidence("the earlier pass", 2, None),
            evidence("an edit", 3, Some(at("src/retry.py", Some(1)))),
            evidence("the reply", 4, None),
        ],
        places: vec![at(path, Some(line))],
        check: Some(CheckRef {
            runner: "pytest".to_owned(),
            selection: Vec::new(),
            folder: String::new(),
            command: "pytest -q --maxfail 1".to_owned(),
        }),
        state: FindingState::Noted,
    }
}

/// True when a finding is shown somewhere.
pub(super) fn shows(id: &str) -> impl Fn(&Editor) -> bool {
    move |editor| shown(editor, id).is_some()
}

/// Where a finding is shown, and its diagnostic.
pub(super) fn shown(editor: &Editor, id: &str) -> Option<(String, Value)> {
    let all = editor
        .places()
        .into_iter()
        .flat_map(|place| editor.at(place).iter().map(move |one| (place, one)));
    all.filter(|(_, one)| one["data"]["finding"] == id)
        .map(|(place, one)| (place.to_owned(), one.clone()))
        .next()
}

/// What `proofmark findings --json` prints.
pub(super) fn listed(world: &World) -> Result<Vec<Value>> {
    Ok(serde_json::from_str(
        &world.proofmark(&["findings", "--json"])?.success()?.stdout,
    )?)
}

#[test]
fn one_is_shown_at_its_line_with_what_it_rests_on_and_goes_when_it_is_over() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    let session = Session::new(&world, "7f3a0000-1")?;
    session.note(finding("f1", "src/retry.py", 2))?;
    editor.wait_until("the finding", shows("f1"))?;
    let (place, one) = shown(&editor, "f1").context("not shown")?;
    assert_eq!(place, source(&world));
    assert_eq!(
        one["message"],
        "Finding f1 passed in turn 2, failed in turn 3, and the reply does not say so (session 7f3a0000, turn 4)."
    );
    assert_eq!((&one["severity"], &one["code"]), (&json!(1), &json!("stale-verdict")));
    assert_eq!(
        one["range"],
        json!({"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 13}})
    );
    let related = one["relatedInformation"].as_array().context("nothing related")?;
    let told: Vec<(bool, &str)> = related
        .iter()
        .map(|one| {
            let place = one["location"]["uri"].as_str().unwrap_or_default();
            (is_document(&world, place), one["message"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        told,
        [
            (true, "Turn 4 in the session's document"),
            (true, "the earlier pass (turn 2)"),
            (false, "an edit (turn 3)"),
            (true, "the reply (turn 4)"),
        ]
    );
    assert_eq!(related[2]["location"]["uri"], source(&world));
    let document = related[0]["location"]["uri"]
        .as_str()
        .and_then(|uri| uri.strip_prefix("file://"));
    let document = document.context("no file")?;
    let row = || -> Result<String> {
        Ok(fs::read_to_string(document)?
            .lines()
            .nth(4)
            .unwrap_or_default()
            .to_owned())
    };
    assert!(
        row()?.starts_with("- turn 4, finding f1, stale-verdict, open: Finding f1 passed"),
        "{}",
        row()?
    );
    session.end("f1", FindingEnd::Recovered)?;
    editor.wait_until("it is gone", |editor| !shows("f1")(editor))?;
    assert!(
        row()?.starts_with("- turn 4, finding f1, stale-verdict, over: right again: "),
        "{}",
        row()?
    );
    assert_eq!(listed(&world)?[0]["state"], "recovered");
    Ok(())
}

#[test]
fn five_hundred_at_once_stay_bounded() -> Result<()> {
    let world = world()?;
    fs::write(world.project().join("many.py"), "x = 1\n".repeat(600))?;
    let mut editor = open(&world)?;
    let session = Session::new(&world, "s")?;
    let many = (1..=500).map(|nth| FactBody::Noted {
        finding: finding(&format!("f{nth}"), "many.py", nth),
    });
    session.write(many)?;
    let place = uri(&world.project().join("many.py"));
    let last = |editor: &Editor| editor.at(&place).last().map(|one| one["message"].to_string());
    editor.wait_until("the last ones", |editor| {
        last(editor).is_some_and(|last| last.contains("151 more findings of this file"))
    })?;
    assert_eq!(editor.at(&place).len(), 50);
    let newest = |editor: &Editor| shown(editor, "f500").is_some() && shown(editor, "f1").is_none();
    assert!(newest(&editor));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 600, "character": 0}});
    let actions = editor.actions(&place, &range)?;
    let dismissing = actions
        .iter()
        .filter(|action| action["title"] == "Dismiss: it was right")
        .count();
    assert_eq!(dismissing, 49);
    for nth in 1..=500 {
        session.end(&format!("f{nth}"), FindingEnd::Recovered)?;
    }
    editor.wait_until("all are gone", |editor| editor.places().is_empty())?;
    Ok(())
}

#[test]
fn positions_are_counted_as_each_editor_counts() -> Result<()> {
    let world = world()?;
    // Four bytes, two units of UTF-16, one character.
    fs::write(world.project().join("notes.md"), "  𝄞𝄞 end\n")?;
    let session = Session::new(&world, "s")?;
    session.note(finding("f1", "notes.md", 1))?;
    for (offered, encoding, end) in [
        (json!(["utf-16", "utf-8"]), "utf-8", 14),
        (json!(["utf-16", "utf-32"]), "utf-16", 10),
        (json!(["utf-32"]), "utf-32", 8),
        (Value::Null, "utf-16", 10),
    ] {
        let mut editor = Editor::start(&world, &[])?;
        let capabilities = json!({"general": {"positionEncodings": offered}});
        let folder = uri(&world.project());
        let answer = editor.ask("initialize", json!({"rootUri": folder, "capabilities": capabilities}))?;
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], encoding);
        editor.tell("initialized", json!({}))?;
        editor.wait_until("the finding", shows("f1"))?;
        let (place, one) = shown(&editor, "f1").context("not shown")?;
        let range = json!({"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": end}});
        assert_eq!(
            (place, &one["range"]),
            (uri(&world.project().join("notes.md")), &range),
            "{encoding}"
        );
        assert!(one["relatedInformation"].is_null(), "only where the client shows it");
        assert_eq!(editor.close()?, Some(0));
    }
    Ok(())
}

#[test]
fn one_that_ends_while_everything_is_dead_is_cleared_by_the_next_front_end() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    let session = Session::new(&world, "s")?;
    session.note(finding("f1", "src/retry.py", 2))?;
    editor.wait_until("the finding", shows("f1"))?;
    // Both killed, as by a crash.
    drop(editor);
    world.kill_server()?;
    world.proofmark(&["dismiss", "f1"])?.success()?;
    let mut editor = open(&world)?;
    let place = source(&world);
    editor.wait_until("the place is cleared", |editor| editor.ever().contains(&place.as_str()))?;
    assert!(editor.places().is_empty(), "{:?}", editor.places());
    // It is taken off the ledger after the editor was told.
    let end = Instant::now() + Duration::from_secs(20);
    while editor.ask("publishedUris", json!({}))?["result"] != json!([]) {
        ensure!(Instant::now() < end, "the place stays on the ledger");
    }
    world.proofmark(&["dismiss", "f1", "--undo"])?.success()?;
    editor.wait_until("it is back", shows("f1"))?;
    Ok(())
}

#[test]
fn one_goes_with_its_line_when_the_file_is_saved_and_to_the_document_when_the_line_is_gone() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    let session = Session::new(&world, "s")?;
    session.note(finding("f1", "src/retry.py", 2))?;
    editor.wait_until("the finding", shows("f1"))?;
    let saved = json!({"textDocument": {"uri": source(&world)}});
    let line = |editor: &Editor| shown(editor, "f1").and_then(|(_, one)| one["range"]["start"]["line"].as_u64());
    fs::write(
        world.project().join("src/retry.py"),
        "import time\n\ndef retry():\n    return 30\n",
    )?;
    editor.tell("textDocument/didSave", saved.clone())?;
    editor.wait_until("it has moved down", |editor| line(editor) == Some(3))?;
    fs::write(
        world.project().join("src/retry.py"),
        "import time\n\ndef retry():\n    return 31\n",
    )?;
    editor.tell("textDocument/didSave", saved.clone())?;
    editor.wait_until("it has left the file", |editor| {
        editor.at(&source(&world)).is_empty() && shows("f1")(editor)
    })?;
    let (place, one) = shown(&editor, "f1").context("not shown")?;
    assert!(is_document(&world, &place));
    let former = &one["relatedInformation"][0]["location"];
    assert_eq!(
        (&former["uri"], &former["range"]["start"]["line"]),
        (&json!(source(&world)), &json!(3))
    );
    fs::write(world.project().join("src/retry.py"), "def retry():\n    return 30\n")?;
    editor.tell("textDocument/didSave", saved)?;
    editor.wait_until("it is back on its line", |editor| line(editor) == Some(1))?;
    assert!(editor.at(&source(&world)).len() == 1);
    Ok(())
}
