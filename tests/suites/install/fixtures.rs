//! The settings files of `fixtures/settings`: installed into, once more, and undone, byte by byte.
//! What is not told by a file before and after stands in the other tests.

use std::fs;
use std::path::PathBuf;

use proofmark_protocol::Harness;
use proofmark_tests::schema::workspace;
use serde::Deserialize;

use crate::stage::{Files, HOOK, Stage};

#[derive(Deserialize)]
struct Case {
    harness: Harness,
    name: String,
    version: Option<String>,
    #[serde(default)]
    says: Vec<String>,
}

fn folder() -> PathBuf {
    workspace().join("fixtures/settings")
}

fn cases() -> Vec<Case> {
    serde_json::from_slice(&fs::read(folder().join("cases.json")).unwrap()).unwrap()
}

/// The files of one side of a case, as they lie in a home whose hook is at this path.
fn side(case: &Case, side: &str, stage: &Stage) -> Files {
    let from = folder().join(case.harness.as_str()).join(&case.name).join(side);
    let Ok(files) = fs::read_dir(from) else {
        return Files::new();
    };
    let within = stage.folder(case.harness);
    let within = within.strip_prefix(&stage.home).unwrap();
    files
        .map(|file| {
            let path = file.unwrap().path();
            let text = fs::read(&path).unwrap();
            // Settings may hold any bytes, and the path in them has none but ASCII.
            let text = String::from_utf8(text).unwrap().replace(HOOK, &stage.hook());
            (within.join(path.file_name().unwrap()), text.into_bytes())
        })
        .collect()
}

#[test]
fn settings_files_are_changed_as_told_once_and_come_back_to_the_byte() {
    let cases = cases();
    assert!(cases.len() >= 40, "{} cases only", cases.len());
    for case in cases {
        let what = format!("{} {}", case.harness, case.name);
        let stage = Stage::new();
        fs::create_dir_all(stage.folder(case.harness)).unwrap();
        for (path, bytes) in side(&case, "before", &stage) {
            fs::write(stage.home.join(path), bytes).unwrap();
        }
        if let Some(version) = &case.version {
            stage.version(case.harness, version);
        }
        let before = stage.files();
        let after = side(&case, "after", &stage);
        let harness = case.harness.as_str();

        let dry = stage.done(&["install", harness, "--dry-run"]);
        assert_eq!(stage.files(), before, "{what}: a dry run has written");
        assert!(
            !stage.world.state().exists(),
            "{what}: a dry run has made the state folder"
        );

        let said = stage.done(&["install", harness]);
        assert_same(&stage.files(), &after, &what);
        for wanted in &case.says {
            assert!(
                said.contains(wanted.as_str()),
                "{what} does not say {wanted:?}:\n{said}"
            );
            assert!(
                dry.contains(wanted.as_str()),
                "{what} does not say {wanted:?} in a dry run:\n{dry}"
            );
        }

        let again = stage.done(&["install", harness]);
        assert!(again.contains("Up to date"), "{what}:\n{again}");
        assert!(
            !again.contains("\n+"),
            "{what} shows a change where there is none:\n{again}"
        );
        assert_same(&stage.files(), &after, &what);

        stage.done(&["uninstall", harness, "--dry-run"]);
        assert_same(&stage.files(), &after, &what);
        stage.done(&["uninstall", harness]);
        let mut left = stage.files();
        if case.harness == Harness::Cursor && before.is_empty() {
            let emptied = left.remove(&PathBuf::from(".cursor/hooks.json")).unwrap();
            assert_eq!(emptied, b"{\n  \"version\": 1,\n  \"hooks\": {}\n}\n", "{what}");
        }
        // Older entries of ours that were in it before do not come back.
        let undone = side(&case, "undone", &stage);
        assert_same(&left, if undone.is_empty() { &before } else { &undone }, &what);
        let kept = fs::read_dir(stage.world.state().join("install/backups")).unwrap();
        let kept: Vec<Vec<u8>> = kept.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
        for (path, bytes) in before.iter().filter(|(path, bytes)| after[*path] != **bytes) {
            assert!(
                kept.contains(bytes),
                "{what}: {} is not among the backups",
                path.display()
            );
        }
    }
}

fn assert_same(found: &Files, wanted: &Files, what: &str) {
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(wanted), "{what}");
    for (path, bytes) in found {
        assert_eq!(
            String::from_utf8_lossy(bytes),
            String::from_utf8_lossy(&wanted[path]),
            "{what}: {}",
            path.display()
        );
        assert_eq!(bytes, &wanted[path], "{what}: {}", path.display());
    }
}
