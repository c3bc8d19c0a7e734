//! Diagnostics from sessions made by hand: what goes with one, and how many a file takes.
//! Where they are put is `place`'s.

use std::path::PathBuf;

use proofmark_protocol::Harness;
use proofmark_protocol::findings::{CheckRef, Cited};
use proofmark_protocol::query::{Scope, ScopePhase};
use serde_json::Value;
use tempfile::TempDir;

use super::*;

fn item(nth: usize, severity: Severity) -> Item {
    Item {
        id: format!("finding:f{nth}"),
        code: "untried-claim".to_owned(),
        severity,
        message: format!("Finding {nth}."),
        subject: String::new(),
        claim: None,
        finding: Some(format!("f{nth}")),
        agent: None,
        turn: 3,
        line: u32::try_from(nth).unwrap(),
        cited: Vec::new(),
        check: None,
        evidence: Vec::new(),
    }
}

fn at(path: &str, line: u32) -> Cited {
    Cited {
        path: path.to_owned(),
        line: Some(line),
    }
}

/// A folder with a workspace of one file, and a session with its document.
fn session(items: Vec<Item>) -> (TempDir, SessionFindings, Setup) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let work = base.join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("a.py"), "x = 1\n".repeat(300)).unwrap();
    let document = base.join("d.md");
    std::fs::write(&document, "- row\n".repeat(300)).unwrap();
    let session = SessionFindings {
        harness: Harness::Codex,
        session: "4c252179-f94b".to_owned(),
        cwd: Some(work.display().to_string()),
        transcript: Some("/t.jsonl".to_owned()),
        last_seen: None,
        document: document.display().to_string(),
        scope: None,
        items,
        retired: Vec::new(),
        dismissed: Vec::new(),
    };
    let setup = Setup {
        folders: vec![work],
        related: true,
        ..Setup::default()
    };
    (folder, session, setup)
}

/// What is shown, by the name of its file.
fn shown(sessions: &[SessionFindings], setup: &Setup) -> BTreeMap<String, Vec<Diagnostic>> {
    let state_dir = PathBuf::from("/state");
    let places = of(sessions, setup, &state_dir, &mut Anchors::default());
    let name = |uri: Uri| uri.as_str().rsplit('/').next().unwrap_or_default().to_owned();
    places.into_iter().map(|(uri, shown)| (name(uri), shown)).collect()
}

#[test]
fn a_file_takes_fifty_and_the_last_says_how_many_more_there_are() {
    for (count, expected, more) in [
        (49, 49, None),
        (50, 50, None),
        (51, 50, Some("2 more findings")),
        (200, 50, Some("151 more findings")),
    ] {
        // The oldest is an error, all others are warnings but for every tenth.
        let severity = |nth| match nth {
            0 => Severity::Error,
            nth if nth % 10 == 0 => Severity::Information,
            _ => Severity::Warning,
        };
        let items = (0..count).map(|nth| Item {
            cited: vec![at("a.py", u32::try_from(nth + 1).unwrap())],
            ..item(nth, severity(nth))
        });
        let (_folder, session, setup) = session(items.collect());
        let places = shown(&[session], &setup);
        let all = &places["a.py"];
        assert_eq!((places.len(), all.len()), (1, expected), "{count}");
        let last = all.last().unwrap();
        let Some(more) = more else {
            assert_eq!(last.message, format!("Finding {}.", count - 1), "{count}");
            continue;
        };
        assert!(
            last.message.starts_with(more) && last.data.is_none(),
            "{}",
            last.message
        );
        assert_eq!(all[0].message, "Finding 0.", "{count}: the worst one stays");
        let lines: Vec<u32> = all[..49].iter().map(|one| one.range.start.line).collect();
        assert!(lines.is_sorted(), "{count}: in their order");
        let warnings = |one: &&Diagnostic| one.severity == Some(DiagnosticSeverity::WARNING);
        if count > 60 {
            assert_eq!(
                all.iter().filter(warnings).count(),
                48,
                "{count}: then what matters more"
            );
            assert_eq!(
                lines[1..],
                (147..count as u32).filter(|nth| nth % 10 != 0).collect::<Vec<_>>()[..]
            );
        }
    }
}

#[test]
fn related_information_leads_to_what_a_finding_rests_on() {
    let evidence = |what: &str, turn, place| Evidence {
        what: what.to_owned(),
        turn,
        id: None,
        place,
    };
    let rests = vec![
        evidence("passed", Some(1), None),
        evidence("edited a.py", Some(2), Some(at("a.py", 7))),
        evidence("edited elsewhere", None, Some(at("../d.md", 1))),
    ];
    let placed = Item {
        cited: vec![at("a.py", 2)],
        evidence: rests.clone(),
        ..item(4, Severity::Error)
    };
    let unplaced = Item {
        evidence: rests.clone(),
        ..item(5, Severity::Error)
    };
    let claim = Item {
        finding: None,
        evidence: rests,
        ..item(6, Severity::Information)
    };
    let (_folder, session, setup) = session(vec![placed, unplaced, claim]);
    let related = |one: &Diagnostic| -> Vec<(String, u32, String)> {
        let all = one.related_information.iter().flatten();
        let told = all.map(|related| {
            let place = &related.location;
            let name = place.uri.as_str().rsplit('/').next().unwrap_or_default().to_owned();
            (name, place.range.start.line, related.message.clone())
        });
        told.collect()
    };
    let row = |name: &str, line, what: &str| (name.to_owned(), line, what.to_owned());
    let places = shown(std::slice::from_ref(&session), &setup);
    assert_eq!(
        related(&places["a.py"][0]),
        [
            row("d.md", 4, "Turn 3 in the session's document"),
            row("d.md", 4, "passed (turn 1)"),
            row("a.py", 6, "edited a.py (turn 2)"),
            row("d.md", 4, "edited elsewhere"),
        ]
    );
    assert_eq!(
        related(&places["d.md"][0]),
        [
            row("d.md", 5, "passed (turn 1)"),
            row("a.py", 6, "edited a.py (turn 2)"),
            row("d.md", 5, "edited elsewhere"),
        ]
    );
    assert_eq!(related(&places["d.md"][1]), []);
    let plain = Setup {
        related: false,
        ..setup
    };
    let places = shown(&[session], &plain);
    assert!(places.values().flatten().all(|one| one.related_information.is_none()));
}

#[test]
fn a_line_that_has_gone_is_named_where_the_finding_went() {
    let one = Item {
        cited: vec![at("a.py", 2)],
        ..item(4, Severity::Warning)
    };
    let (folder, session, setup) = session(vec![one]);
    let mut anchors = Anchors::default();
    let state_dir = PathBuf::from("/state");
    let sessions = [session];
    assert_eq!(of(&sessions, &setup, &state_dir, &mut anchors).len(), 1);
    std::fs::write(folder.path().join("work/a.py"), "y\nz\n").unwrap();
    let places = of(&sessions, &setup, &state_dir, &mut anchors);
    let (uri, shown) = places.into_iter().next().unwrap();
    assert!(uri.as_str().ends_with("/d.md"));
    let [former] = &shown[0].related_information.clone().unwrap()[..] else {
        panic!("{shown:?}")
    };
    assert!(former.location.uri.as_str().ends_with("/a.py"));
    assert_eq!((former.location.range.start.line, shown[0].range.start.line), (1, 4));
    let without: [SessionFindings; 0] = [];
    assert!(of(&without, &setup, &state_dir, &mut anchors).is_empty());
}

#[test]
fn data_holds_what_actions_need_and_the_code_leads_to_its_page() {
    let check = CheckRef {
        runner: "pytest".to_owned(),
        selection: Vec::new(),
        folder: String::new(),
        command: "pytest -q".to_owned(),
    };
    let one = Item {
        check: Some(check),
        ..item(1, Severity::Warning)
    };
    let (_folder, mut session, setup) = session(vec![one]);
    session.scope = Some(Scope {
        phase: ScopePhase::Locked,
        ..Scope::default()
    });
    let places = shown(&[session], &setup);
    let one = &places["d.md"][0];
    let expected = json!({
        "id": "finding:f1", "claim": Value::Null, "finding": "f1", "harness": "codex", "session": "4c252179-f94b",
        "transcript": "/t.jsonl", "turn": 3, "command": "pytest -q", "docs": "docs/checks/untried-claim.md",
        "scope": "locked",
    });
    assert_eq!(one.data, Some(expected));
    let href = one.code_description.as_ref().map(|page| page.href.as_str().to_owned());
    assert_eq!(href.as_deref(), Some("file:///state/docs/checks/untried-claim.md"));
    assert_eq!(one.severity, Some(DiagnosticSeverity::WARNING));
    assert!(
        !one.message.contains("pytest"),
        "never a command in a message: agents read it"
    );
}

#[test]
fn a_command_is_offered_only_when_all_of_it_is_seen_and_nothing_runs_when_it_is_typed() {
    let long = format!("pytest {}", "x".repeat(MAX_COMMAND));
    for (command, offered) in [
        ("pytest  -q 'a  b'", true),
        ("pytest\n", false),
        ("pytest\rrm x", false),
        ("pytest \u{202e}x", false),
        ("pytest \u{200b}x", false),
        ("\u{1b}[2Kpytest", false),
        ("TOKEN=[redacted] pytest", false),
        (long.as_str(), false),
        (" ", false),
    ] {
        let check = CheckRef {
            runner: "pytest".to_owned(),
            selection: Vec::new(),
            folder: String::new(),
            command: command.to_owned(),
        };
        let one = Item {
            check: Some(check),
            ..item(1, Severity::Error)
        };
        assert_eq!(super::command(&one), offered.then_some(command), "{command:?}");
    }
    assert_eq!(super::command(&item(1, Severity::Error)), None);
}

/// What this thread has worked, in nanoseconds.
fn worked() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

#[test]
fn many_findings_take_as_long_each_as_few() {
    let quickest = |count: usize| {
        let items = (0..count).map(|nth| Item {
            cited: vec![at("a.py", u32::try_from(nth % 300 + 1).unwrap())],
            ..item(nth, Severity::Warning)
        });
        let (_folder, session, setup) = session(items.collect());
        let sessions = [session];
        let run = || {
            let begun = worked();
            assert_eq!(shown(&sessions, &setup)["a.py"].len(), MAX_IN_FILE);
            worked() - begun
        };
        (0..5).map(|_| run()).min().unwrap_or_default()
    };
    // Of this thread's own time: who else runs on the machine does not count.
    // Eight times as many; with a look at each pair it would be sixty-four times as long.
    let (few, many) = (quickest(500), quickest(4_000));
    assert!(many < few * 24, "{few} ns for 500, {many} ns for 4000");
}
