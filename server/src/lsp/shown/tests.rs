//! Workspaces and sessions made by hand: who is shown where, how long, and what an editor is told of it.
//! When it is sent is tested with a whole server.

use std::os::unix::fs::symlink;

use proofmark_protocol::Severity;
use proofmark_protocol::findings::Item;

use super::*;

const HOUR: u64 = 60 * 60 * 1_000;

fn session(name: &str, cwd: Option<&Path>, last_seen: Option<u64>) -> SessionFindings {
    SessionFindings {
        harness: Harness::ALL[0],
        session: name.to_owned(),
        cwd: cwd.map(|cwd| cwd.display().to_string()),
        transcript: None,
        last_seen,
        document: "/d.md".to_owned(),
        scope: None,
        items: Vec::new(),
        retired: Vec::new(),
        dismissed: Vec::new(),
    }
}

fn names(sessions: &[SessionFindings]) -> Vec<&str> {
    sessions.iter().map(|session| session.session.as_str()).collect()
}

#[test]
fn a_session_is_shown_where_its_folder_and_the_workspace_hold_one_another() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for made in ["repo/sub/deep", "repo-other", "else"] {
        std::fs::create_dir_all(base.join(made)).unwrap();
    }
    symlink(base.join("repo"), base.join("link")).unwrap();
    symlink(base.join("else"), base.join("repo/out")).unwrap();
    let cases: [(&[&str], Option<&str>, bool, &str); 13] = [
        (&["repo"], Some("repo"), true, "the same folder"),
        (&["repo"], Some("repo/sub/deep"), true, "the session runs inside"),
        (&["repo/sub"], Some("repo"), true, "the workspace lies inside"),
        (&["repo"], Some("repo-other"), false, "a name that only begins alike"),
        (&["repo/sub"], Some("else"), false, "another folder"),
        (&["link"], Some("repo/sub"), true, "the workspace is named by a link"),
        (
            &["repo/sub"],
            Some("link"),
            true,
            "the session's folder is named by one",
        ),
        (&["repo"], Some("repo/out"), false, "a link leads out of the workspace"),
        (&["else", "repo"], Some("repo"), true, "one of several"),
        (
            &["gone"],
            Some("gone/sub"),
            true,
            "folders that are gone count as they are named",
        ),
        (&["gone"], Some("repo"), false, "and for no others"),
        (&["repo"], None, true, "a session without a folder"),
        (&[], Some("else"), true, "an editor without one"),
    ];
    for (folders, cwd, expected, why) in cases {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| base.join(folder)).collect();
        let cwd = cwd.map(|cwd| base.join(cwd));
        let sessions = [session("s", cwd.as_deref(), None)];
        let shown = of(sessions.iter(), &folders, &EditorOptions::default(), 0);
        assert_eq!(!shown.is_empty(), expected, "{why}");
    }
}

#[test]
fn a_session_is_shown_as_long_as_it_is_not_too_old_and_the_first_end_is_known() {
    let now = 1_000 * HOUR;
    let sessions = [
        session("just now", None, Some(now)),
        session("an hour ago", None, Some(now - HOUR)),
        session("longer ago", None, Some(now - HOUR - 1)),
        session("a week ago", None, Some(now - 168 * HOUR)),
        session("longer than a week ago", None, Some(now - 168 * HOUR - 1)),
        session("unknown", None, None),
        session("of a clock that runs fast", None, Some(now + HOUR)),
    ];
    for (hours, expected, next) in [
        (
            1.0,
            &["just now", "an hour ago", "unknown", "of a clock that runs fast"][..],
            Some(1),
        ),
        (
            0.5,
            &["just now", "unknown", "of a clock that runs fast"],
            Some(HOUR / 2 + 1),
        ),
        (
            168.0,
            &[
                "just now",
                "an hour ago",
                "longer ago",
                "a week ago",
                "unknown",
                "of a clock that runs fast",
            ],
            Some(1),
        ),
    ] {
        let options = EditorOptions {
            max_age_hours: hours,
            ..EditorOptions::default()
        };
        let shown = of(sessions.iter(), &[], &options, now);
        assert_eq!(names(&shown), expected, "{hours}");
        let left = until_the_first_is_old(&shown, &options, now);
        assert_eq!(left, next.map(Duration::from_millis), "{hours}");
    }
    let nobody = until_the_first_is_old(&[session("unknown", None, None)], &EditorOptions::default(), now);
    assert_eq!(nobody, None);
}

fn item(code: &str) -> Item {
    Item {
        id: code.to_owned(),
        code: code.to_owned(),
        severity: Severity::Warning,
        message: String::new(),
        subject: String::new(),
        claim: None,
        finding: None,
        agent: None,
        turn: 1,
        line: 4,
        cited: Vec::new(),
        check: None,
        evidence: Vec::new(),
    }
}

#[test]
fn a_code_is_shown_in_the_severity_that_the_person_has_set() {
    let mut one = session("s", None, None);
    one.items = vec![item("stale-verdict"), item("scope-drift")];
    let options = EditorOptions {
        severity: [("stale-verdict".to_owned(), Severity::Information)].into(),
        ..EditorOptions::default()
    };
    let shown = of([one].iter(), &[], &options, 0);
    let severities: Vec<Severity> = shown[0].items.iter().map(|item| item.severity).collect();
    assert_eq!(severities, [Severity::Information, Severity::Warning]);
}

#[test]
fn an_editor_is_told_everything_at_first_and_then_what_is_new() {
    let (a, b) = (session("a", None, Some(1)), session("b", None, Some(1)));
    let newer = session("a", None, Some(2));
    let mut told = Told::default();
    let mut step = |shown: &[&SessionFindings], anew: bool| {
        let shown: Vec<SessionFindings> = shown.iter().map(|session| (*session).clone()).collect();
        let next = told.next(&shown, anew);
        next.map(|next| {
            told.take(&next);
            (next.whole, names(&next.sessions).join(" "))
        })
    };
    let said = |whole: bool, sessions: &str| Some((whole, sessions.to_owned()));
    assert_eq!(step(&[], false), said(true, ""), "that there is nothing is told too");
    assert_eq!(step(&[], true), None);
    assert_eq!(step(&[&a], false), said(false, "a"));
    assert_eq!(step(&[&a], false), None);
    assert_eq!(step(&[&a], true), None, "other settings that change nothing");
    assert_eq!(step(&[&a, &b], false), said(false, "b"));
    assert_eq!(step(&[&newer, &b], false), said(false, "a"));
    assert_eq!(
        step(&[&newer], false),
        said(true, "a"),
        "one that left is told by who is there"
    );
    assert_eq!(step(&[&b], false), said(true, "b"), "also when another one came");
    assert_eq!(step(&[&a, &b], true), said(true, "a b"), "other settings");
    told.forget();
    assert!(
        told.next(&[b], false).is_some_and(|next| next.whole),
        "after a reconnect"
    );
}
