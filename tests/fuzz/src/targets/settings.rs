//! Settings files and word lists: any bytes are read; a project only tightens; the same file twice is the same once.
//! Where files are looked for stays out.

use std::path::{Component, Path};

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
    word_lists(&person);
    word_lists(&project);
}

/// Either no lists, and why, or lists that can be used; behind the mark that some editors write at the beginning too.
fn word_lists(text: &str) {
    match list::parse(text) {
        Ok(lists) => {
            assert!(lists.iter().all(|list| list.fault().is_none()));
            assert_eq!(list::parse(&format!("\u{feff}{text}")).ok().as_ref(), Some(&lists));
            let twice = [lists.clone(), lists.clone()].concat();
            assert!(list::contradictions(&twice).len() >= lists.len(), "each name is told");
        }
        Err(why) => assert!(!why.to_string().trim().is_empty()),
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
    settings.clone().modes_mut().map(|mode| *mode)
}

fn only_tightens(before: &Settings, after: &Settings) {
    assert!(
        modes(before)
            .iter()
            .zip(modes(after))
            .all(|(before, after)| *before <= after)
    );
    assert!(before.untried_claim.strict <= after.untried_claim.strict);
    assert!(before.scope_lock.hard_stop_reading >= after.scope_lock.hard_stop_reading);
    assert!(before.reply_length.limit >= after.reply_length.limit);
    for list in &after.judge.project_lists {
        let parts = Path::new(list).components();
        assert!(
            parts
                .into_iter()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir)),
            "{list} leads out of the project"
        );
    }
    // Everything else is the person's.
    let mut rest = after.clone();
    for (mode, old) in rest.modes_mut().into_iter().zip(modes(before)) {
        *mode = old;
    }
    rest.untried_claim.strict = before.untried_claim.strict;
    rest.scope_lock.hard_stop_reading = before.scope_lock.hard_stop_reading;
    rest.reply_length.limit = before.reply_length.limit;
    rest.judge.project_lists.clone_from(&before.judge.project_lists);
    assert_eq!(&rest, before);
}
