//! The built language server and clients that speak to it as editors do.
//! Real editors are in another suite; the guards against bad input in the server's own tests.

mod acted;
mod kept;
mod told;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmark_tests::lsp_client::{Editor, uri};
use proofmark_tests::scenario::fixtures;
use proofmark_tests::talk::Talk;
use proofmark_tests::world::World;
use serde_json::{Value, json};

/// A recorded editor's capabilities.
fn capabilities(name: &str) -> Result<Value> {
    let path = fixtures().join("editors/capabilities").join(format!("{name}.json"));
    let recorded: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    Ok(recorded["capabilities"].clone())
}

fn open(world: &World) -> Result<Editor> {
    Editor::open(world, &[], &capabilities("neovim-0.11")?)
}

/// A world with a source file of three lines.
fn world() -> Result<World> {
    let world = World::new()?;
    fs::create_dir(world.project().join("src"))?;
    fs::write(
        world.project().join("src/retry.py"),
        "def retry():\n    return 30\n# end\n",
    )?;
    Ok(world)
}

fn source(world: &World) -> String {
    uri(&world.project().join("src/retry.py"))
}

/// True when a claim is shown somewhere.
fn shows(claim: &str) -> impl Fn(&Editor) -> bool {
    move |editor| claims(editor).iter().any(|message| message.contains(claim))
}

fn claims(editor: &Editor) -> Vec<String> {
    let all = editor.places().into_iter().flat_map(|place| editor.at(place));
    let claims = all.filter(|finding| finding["code"] == "untried-claim");
    claims
        .filter_map(|finding| finding["message"].as_str().map(str::to_owned))
        .collect()
}

fn is_document(world: &World, uri: &str) -> bool {
    uri.starts_with(&format!("file://{}/", world.state().join("sessions").display()))
}

#[test]
fn a_session_piped_into_stdio_is_decided_and_shown_with_an_owner_and_without() -> Result<()> {
    for (arguments, served) in [(&["--solo"][..], false), (&[][..], true)] {
        let world = world()?;
        let mut talk = Talk::new(&world, "piped");
        let stop = talk.claim("src/retry.py:2 never exceeds 30 s")?;
        let mut editor = Editor::start(&world, arguments)?;
        let request = |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        // As a shell pipes it: everything at once, then the end of stdin.
        for message in [
            request(
                1,
                "initialize",
                json!({"rootUri": uri(&world.project()), "capabilities": {}}),
            ),
            request(2, "onSessionStart", talk.with(&json!({"source": "startup"}))),
            request(3, "onPrompt", talk.with(&json!({"prompt": "go on"}))),
            request(4, "onStop", stop),
        ] {
            editor.send(&message)?;
        }
        let mut answers = Vec::new();
        for _ in 0..4 {
            answers.push(editor.reply()?);
        }
        assert_eq!(editor.hang_up()?, Some(0), "{arguments:?}");
        let outcomes: Vec<&Value> = answers[1..].iter().map(|answer| &answer["result"]["outcome"]).collect();
        assert_eq!(outcomes, ["advise", "allow", "refuse"], "{arguments:?}: {answers:#?}");
        assert_eq!(editor.at(&source(&world))[0]["code"], "untried-claim", "{arguments:?}");
        assert!(is_document(
            &world,
            editor.finding("refused-turn").context("no refused turn")?.0
        ));
        assert_eq!(world.is_served()?, served, "{arguments:?}");
    }
    Ok(())
}

#[test]
fn a_claim_is_shown_where_it_points_and_a_refused_turn_in_the_sessions_document() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    Talk::new(&world, "7f3a-1").claim_by_hook(&world, "src/retry.py:2 never exceeds 30 s")?;
    editor.wait_until("the claim is shown", shows("never exceeds"))?;
    editor.wait_until("the turn is shown", |editor| editor.finding("refused-turn").is_some())?;
    let claim = &editor.at(&source(&world))[0];
    assert_eq!(
        claim["range"],
        json!({"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 13}})
    );
    assert_eq!((&claim["source"], &claim["severity"]), (&json!("proofmark"), &json!(3)));
    let href = claim["codeDescription"]["href"].as_str().context("no page")?;
    let page = fs::read_to_string(href.strip_prefix("file://").context("no file")?)?;
    assert!(page.starts_with("# untried-claim"));
    assert_eq!(claim["data"]["docs"], "docs/checks/untried-claim.md");
    let message = claim["message"].as_str().context("no message")?;
    assert!(
        message.contains("session 7f3a-1") && message.contains("turn 1") && !message.contains('\n'),
        "{message}"
    );
    let (document, turn) = editor.finding("refused-turn").context("no turn")?;
    assert!(is_document(&world, document));
    let related = &claim["relatedInformation"][0]["location"];
    assert_eq!(related["uri"], document);
    let text = fs::read_to_string(document.strip_prefix("file://").context("no file")?)?;
    let line = |finding: &Value| -> Option<&str> {
        text.lines()
            .nth(usize::try_from(finding["range"]["start"]["line"].as_u64()?).ok()?)
    };
    assert!(line(turn).is_some_and(|line| line.contains("sent back once")), "{text}");
    assert!(
        line(related).is_some_and(|line| line.contains("open: “src/retry.py:2 never exceeds 30 s”")),
        "{text}"
    );
    Ok(())
}

#[test]
fn what_points_out_of_the_workspace_is_shown_in_the_sessions_document() -> Result<()> {
    let world = world()?;
    fs::write(world.home().join("secret.py"), "x = 1\n")?;
    symlink(world.home().join("secret.py"), world.project().join("link.py"))?;
    let mut editor = open(&world)?;
    let mut talk = Talk::new(&world, "s");
    for (claim, inside) in [
        ("link.py:1 is sound", false),
        ("../state/ledger.sqlite:1 is safe", false),
        ("src/retry.py:99 is short", false),
        ("nothing is named here", false),
        ("src/retry.py line 3 is the end", true),
    ] {
        talk.claim_by_hook(&world, claim)?;
        editor.wait_until(claim, shows(claim))?;
        let mut places = editor.places().into_iter();
        let place = places.find(|place| {
            editor
                .at(place)
                .iter()
                .any(|one| one["message"].to_string().contains(claim))
        });
        let place = place.context("shown nowhere")?;
        assert_eq!(
            (place == source(&world), is_document(&world, place)),
            (inside, !inside),
            "{claim} at {place}"
        );
    }
    Ok(())
}

#[test]
fn retiring_a_claim_clears_it_and_undoing_brings_it_back() -> Result<()> {
    let world = world()?;
    for (editor_name, literal) in [("vscode-1.65", true), ("none", false)] {
        let capabilities = if literal { capabilities(editor_name)? } else { json!({}) };
        let mut editor = Editor::open(&world, &[], &capabilities)?;
        Talk::new(&world, editor_name).claim_by_hook(&world, &format!("src/retry.py:2 holds for {editor_name}"))?;
        editor.wait_until("the claim", shows(&format!("holds for {editor_name}")))?;
        let place = source(&world);
        let claim = editor
            .at(&place)
            .iter()
            .find(|one| one["message"].to_string().contains(editor_name));
        let (range, id) = claim
            .map(|one| (one["range"].clone(), one["data"]["claim"].clone()))
            .context("no claim")?;
        let actions = editor.actions(&place, &range)?;
        let titles: Vec<&str> = actions.iter().filter_map(|action| action["title"].as_str()).collect();
        assert_eq!(titles[..2], ["Retire this claim", "Copy as prompt"]);
        assert_eq!(actions[0]["command"].is_object(), literal);
        let prompt = editor.run(&actions[1])?;
        assert!(
            prompt
                .as_str()
                .is_some_and(|prompt| prompt.contains(&format!("holds for {editor_name}"))),
            "{prompt}"
        );
        editor.run(&actions[0])?;
        editor.wait_until("it is gone", |editor| {
            !shows(&format!("holds for {editor_name}"))(editor)
        })?;
        ensure!(
            world
                .claims()?
                .iter()
                .any(|claim| claim["id"] == id && claim["state"] == "retired")
        );
        // The way back is on the claim's line in the session's document.
        let (document, turn) = editor.finding("refused-turn").context("no turn")?;
        let document = document.to_owned();
        let before = turn["range"]["start"]["line"].as_u64().context("no line")?;
        let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": before, "character": 0}});
        let actions = editor.actions(&document, &whole)?;
        let undo = actions
            .iter()
            .find(|action| action.to_string().contains("undoRetire"))
            .context("no undo")?;
        editor.run(&undo.clone())?;
        editor.wait_until("it is back", shows(&format!("holds for {editor_name}")))?;
        assert_eq!(editor.close()?, Some(0));
        fs::remove_dir_all(world.state().join("sessions"))?;
        ensure!(
            world
                .proofmark(&["claims", "retire", id.as_str().unwrap_or_default()])?
                .code
                == Some(0)
        );
    }
    Ok(())
}

#[test]
fn a_claim_retired_by_another_process_disappears_in_every_editor() -> Result<()> {
    let world = world()?;
    let mut editors = [open(&world)?, open(&world)?];
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:2 holds")?;
    for editor in &mut editors {
        editor.wait_until("the claim", shows("holds"))?;
    }
    let owner = world.owner()?;
    let id = world.claims()?[0]["id"].as_str().context("no id")?.to_owned();
    world.proofmark(&["claims", "retire", &id])?.success()?;
    for editor in &mut editors {
        editor.wait_until("it is gone", |editor| !shows("holds")(editor))?;
        assert!(editor.ever().contains(&source(&world).as_str()));
    }
    assert_eq!(world.owner()?, owner, "both share one owner");
    Ok(())
}

#[test]
fn several_sessions_are_shown_in_one_editor() -> Result<()> {
    let world = world()?;
    Talk::new(&world, "one").claim_by_hook(&world, "src/retry.py:1 holds first")?;
    Talk::new(&world, "two").claim_by_hook(&world, "src/retry.py:1 holds second")?;
    let mut editor = open(&world)?;
    editor.wait_until("both", |editor| {
        shows("holds first")(editor) && shows("holds second")(editor)
    })?;
    assert_eq!(editor.at(&source(&world)).len(), 2);
    let documents = |editor: &Editor| {
        editor
            .places()
            .iter()
            .filter(|place| is_document(&world, place))
            .count()
    };
    editor.wait_until("both documents", |editor| documents(editor) == 2)?;
    let mut third = Talk::new(&world, "three");
    third.claim_by_hook(&world, "src/retry.py:1 holds third")?;
    editor.wait_until("the third", shows("holds third"))?;
    assert_eq!(editor.at(&source(&world)).len(), 3);
    Ok(())
}

#[test]
fn a_killed_owner_is_replaced_and_everything_is_published_anew() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    let mut talk = Talk::new(&world, "s");
    talk.claim_by_hook(&world, "src/retry.py:2 holds")?;
    editor.wait_until("the claim", |editor| {
        shows("holds")(editor) && editor.finding("refused-turn").is_some()
    })?;
    let (before, old) = (editor.published(), world.owner()?);
    world.kill_server()?;
    editor.wait_until("it is published anew", |editor| editor.published() >= before + 2)?;
    assert!(shows("holds")(&editor));
    assert!(world.is_served()? && world.owner()? != old);
    talk.claim_by_hook(&world, "src/retry.py:1 holds too")?;
    editor.wait_until("what comes later", shows("holds too"))?;
    Ok(())
}

#[test]
fn an_owner_that_was_told_to_stop_stays_away_until_it_is_needed() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    let mut talk = Talk::new(&world, "s");
    talk.claim_by_hook(&world, "src/retry.py:2 holds")?;
    editor.wait_until("the claim", shows("holds"))?;
    world.proofmark(&["stop"])?.success()?;
    // Answered by the editor's own server, which has noticed by then that the owner is gone.
    editor.actions(
        &source(&world),
        &json!({"start": {"line": 1, "character": 5}, "end": {"line": 1, "character": 5}}),
    )?;
    assert!(!world.is_served()? && shows("holds")(&editor));
    let claims = editor.ask("listClaims", Value::Null)?;
    assert_eq!(claims["result"].as_array().map(Vec::len), Some(1), "{claims}");
    assert!(world.is_served()?);
    talk.claim_by_hook(&world, "src/retry.py:1 holds too")?;
    editor.wait_until("what comes later", shows("holds too"))?;
    Ok(())
}

#[test]
fn a_place_that_empties_while_no_server_runs_is_cleared_by_the_next_one() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:2 holds")?;
    editor.wait_until("the claim", shows("holds"))?;
    // Killed, as by a crash, and the owner with it.
    drop(editor);
    world.kill_server()?;
    let id = world.claims()?[0]["id"].as_str().context("no id")?.to_owned();
    world.proofmark(&["claims", "retire", &id])?.success()?;
    let mut editor = open(&world)?;
    let place = source(&world);
    editor.wait_until("the place is cleared", |editor| editor.ever().contains(&place.as_str()))?;
    assert!(editor.at(&place).is_empty());
    editor.wait_until("the turn", |editor| editor.finding("refused-turn").is_some())?;
    // It is taken off the ledger after the editor was told.
    let end = Instant::now() + Duration::from_secs(20);
    let mut is_left = || -> Result<bool> {
        let left = editor.ask("publishedUris", json!({}))?;
        Ok(left["result"].as_array().context("no list")?.contains(&json!(place)))
    };
    while is_left()? {
        ensure!(Instant::now() < end, "the place stays on the ledger");
    }
    Ok(())
}

#[test]
fn a_server_on_its_own_works_beside_an_owner() -> Result<()> {
    let world = world()?;
    let mut joined = open(&world)?;
    Talk::new(&world, "hooked").claim_by_hook(&world, "src/retry.py:1 holds by hook")?;
    let mut solo = Editor::open(&world, &["--solo"], &json!({}))?;
    for editor in [&mut joined, &mut solo] {
        editor.wait_until("what the hook told", shows("holds by hook"))?;
    }
    let stop = Talk::new(&world, "solo").claim("src/retry.py:2 holds by stdio")?;
    let decision = solo.ask("onStop", stop)?;
    assert_eq!(decision["result"]["outcome"], "refuse", "{decision}");
    for editor in [&mut joined, &mut solo] {
        editor.wait_until("what stdio told", shows("holds by stdio"))?;
    }
    Talk::new(&world, "later").claim_by_hook(&world, "src/retry.py:3 holds later")?;
    solo.wait_until("what the hook told later", shows("holds later"))?;
    assert_eq!(solo.close()?, Some(0));
    Ok(())
}

#[test]
fn positions_are_counted_as_each_editor_counts() -> Result<()> {
    let world = world()?;
    // Four bytes, two units of UTF-16, one character.
    fs::write(world.project().join("notes.md"), "  𝄞𝄞 end\n")?;
    Talk::new(&world, "s").claim_by_hook(&world, "notes.md:1 is right")?;
    for (recorded, encoding, end) in [
        ("neovim-0.11", "utf-8", 14),
        ("vscode-1.65", "utf-16", 10),
        ("emacs-29.1", "utf-8", 14),
    ] {
        let mut editor = Editor::start(&world, &[])?;
        let capabilities = capabilities(recorded)?;
        let folder = uri(&world.project());
        let answer = editor.ask("initialize", json!({"rootUri": folder, "capabilities": capabilities}))?;
        assert_eq!(
            answer["result"]["capabilities"]["positionEncoding"], encoding,
            "{recorded}"
        );
        editor.tell("initialized", json!({}))?;
        let place = uri(&world.project().join("notes.md"));
        editor.wait_until("the claim", |editor| !editor.at(&place).is_empty())?;
        let range = json!({"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": end}});
        assert_eq!(editor.at(&place)[0]["range"], range, "{recorded}");
        assert_eq!(editor.close()?, Some(0), "{recorded}");
    }
    Ok(())
}

#[test]
fn an_editor_without_a_workspace_is_served_too() -> Result<()> {
    let world = world()?;
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:2 holds")?;
    let mut editor = Editor::start(&world, &[])?;
    let answer = editor.ask(
        "initialize",
        json!({"processId": null, "rootUri": null, "capabilities": {}}),
    )?;
    assert!(answer["result"]["capabilities"].is_object());
    editor.tell("initialized", json!({}))?;
    editor.wait_until("the claim", shows("holds"))?;
    assert!(
        editor.places().iter().all(|place| is_document(&world, place)),
        "{:?}",
        editor.places()
    );
    Ok(())
}

#[test]
fn a_saved_file_moves_its_findings() -> Result<()> {
    let world = world()?;
    let mut editor = open(&world)?;
    Talk::new(&world, "s").claim_by_hook(&world, "src/retry.py:3 is the end")?;
    editor.wait_until("the claim", |editor| !editor.at(&source(&world)).is_empty())?;
    fs::write(world.project().join("src/retry.py"), "only one line")?;
    editor.tell("textDocument/didSave", json!({"textDocument": {"uri": source(&world)}}))?;
    editor.wait_until("it has moved", |editor| {
        editor.at(&source(&world)).is_empty() && shows("is the end")(editor)
    })?;
    Ok(())
}

#[test]
fn an_exit_without_a_shutdown_is_a_failure() -> Result<()> {
    let world = world()?;
    for arguments in [&[][..], &["--solo"]] {
        let editor = Editor::open(&world, arguments, &json!({}))?;
        assert_eq!(editor.exit()?, Some(1), "{arguments:?}");
        let editor = Editor::open(&world, arguments, &json!({}))?;
        assert_eq!(editor.close()?, Some(0), "{arguments:?}");
    }
    Ok(())
}

#[test]
fn an_owner_with_an_editor_is_not_idle() -> Result<()> {
    let world = world()?;
    world
        .proofmark(&["serve", "--detach", "--idle-seconds", "1"])?
        .success()?;
    let owner = world.owner()?;
    let mut editor = open(&world)?;
    editor.ask("status", Value::Null)?;
    // Idle for longer than it may be, were there no editor.
    thread::sleep(Duration::from_millis(2_500));
    assert!(world.is_served()? && world.owner()? == owner);
    editor.close()?;
    let end = Instant::now() + Duration::from_secs(20);
    while world.is_served()? {
        ensure!(Instant::now() < end, "the owner stays without an editor");
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[test]
fn every_recorded_editor_is_read() -> Result<()> {
    let folder = fixtures().join("editors/capabilities");
    let names = fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    assert_eq!(names.len(), 3);
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    for path in names {
        let name = stem(&path).context("no name")?;
        assert!(
            capabilities(&name)?["textDocument"]["publishDiagnostics"].is_object(),
            "{name}"
        );
    }
    Ok(())
}
