//! Settings files and word lists: any bytes are read; a project only tightens; the same file twice is the same once.
//! Where files are looked for stays out.

use proofmark_protocol::settings::{Layer, Mode, Settings};
use proofmark_server::engine::fuzzing::settings;
use proofmark_server::judge::list;

use crate::input::Input;

/// The person's file, NUL, and the project's.
pub fn run(data: &[u8]) {
    let (person, project) = Input::new(data).two_texts();
    let mut known = Settings::default();
    if let Ok(value) = laid(&person) {
        let bad = known.lay_over(Layer::Person, "config.toml", &value);
        assert!(bad.iter().all(|bad| bad.starts_with("config.toml: ")));
        let mut twice = known.clone();
        assert_eq!(twice.lay_over(Layer::Person, "config.toml", &value), bad);
        assert_eq!(twice, known, "the same layer twice");
    }
    if let Ok(value) = laid(&project) {
        let before = known.clone();
        known.lay_over(Layer::Project, "proofmark.toml", &value);
        only_tightens(&before, &known);
        let once = known.clone();
        known.lay_over(Layer::Project, "proofmark.toml", &value);
        assert_eq!(known, once, "the same layer twice");
    }
    let stored = serde_json::to_string(&known).expect("settings can be written");
    assert_eq!(serde_json::from_str::<Settings>(&stored).expect("and read"), known);
    assert!(modes(&known.advising()).iter().all(|mode| *mode <= Mode::Advise));
    if let Ok(lists) = list::parse(&person) {
        assert!(lists.iter().all(|list| list.fault().is_none()));
    }
}

fn laid(text: &str) -> Result<serde_json::Value, String> {
    let read = settings(text.as_bytes());
    if let Err(why) = &read {
        assert!(why.starts_with("line "), "{why}");
    }
    read
}

fn modes(settings: &Settings) -> [Mode; 9] {
    [
        settings.untried_claim.mode,
        settings.stale_verdict.mode,
        settings.claimed_pass.mode,
        settings.scope_lock.mode,
        settings.scope_drift.mode,
        settings.plain_words.mode,
        settings.unproven_claim.mode,
        settings.malformed_tag.mode,
        settings.reply_length.mode,
    ]
}

fn only_tightens(before: &Settings, after: &Settings) {
    assert!(modes(before).iter().zip(modes(after)).all(|(before, after)| *before <= after));
    assert_eq!(before.tools, after.tools, "tools are the person's");
    assert_eq!(before.judge.enabled, after.judge.enabled, "the judge is the person's");
    assert_eq!(before.judge.runner, after.judge.runner, "no project starts a program");
    assert_eq!(before.idle_minutes, after.idle_minutes);
    assert!(before.untried_claim.strict <= after.untried_claim.strict);
    assert!(before.scope_lock.hard_stop_reading >= after.scope_lock.hard_stop_reading);
    assert_eq!(before.scope_lock.phrases, after.scope_lock.phrases);
    assert_eq!(before.scope_lock.window, after.scope_lock.window);
}
