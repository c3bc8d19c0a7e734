//! Settings files of harnesses: our entries are put in once, nothing else changes, and they can be taken out again.
//! Reading, writing and remembering files stays out.

use proofmark_protocol::Harness;

use crate::input::Input;
use crate::install::entries::{Before, hooks, rest, without};
use crate::install::harness::{Spec, spec};
use crate::install::language::Language;
use crate::install::tree::Node;
use crate::install::version::Version;
use crate::install::wanted::{Wanted, with};

const HOOK: &str = "/opt/proof mark/bin/proofmark-hook";
/// Versions of each harness that know everything, and some that know less; none is one that nobody could tell.
const VERSIONS: &[Option<Version>] = &[
    None,
    Some(Version(2, 1, 332)),
    Some(Version(2, 0, 1)),
    Some(Version(0, 171, 0)),
    Some(Version(0, 120, 0)),
    Some(Version(3, 24, 12)),
    Some(Version(2026, 9, 18)),
];

/// Harness, language and version by a byte each, then the file.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let harness = input.harness();
    let is_toml = input.byte() % 2 == 1 && harness == Harness::Codex;
    let version = input.one_of(VERSIONS);
    let no_helpers = input.byte() % 2 == 1;
    let text = input.text();
    let language = if is_toml { Language::Toml } else { Language::Json };
    let spec = spec(harness);
    let Ok(before) = language.parse(&text) else { return };
    let before = before.as_ref();
    if before.is_some_and(|root| (spec.refuses)(&text, root).is_some()) {
        return;
    }
    let versions: Vec<Version> = version.into_iter().collect();
    let wanted = wanted(spec, &versions, no_helpers);
    // What would touch more than our entries is not written at all.
    let Ok(after) = with(&text, language, &wanted) else {
        return;
    };
    assert_eq!(
        with(&after, language, &wanted).expect("what was written can be read"),
        after,
        "the same twice"
    );
    let root = language.parse(&after).expect("what was written can be read");
    assert_eq!(rest(before, spec), rest(root.as_ref(), spec), "nothing else changes");
    once(root.as_ref(), &wanted);

    let out = without(
        &after,
        language,
        spec,
        &|_| true,
        before.map(|root| Before { text: &text, root }),
    )
    .expect("it can be taken out");
    let left = language.parse(&out).expect("what is left can be read");
    assert_eq!(rest(before, spec), rest(left.as_ref(), spec), "nothing else goes");
    let ours =
        |root: Option<&Node>| root.map_or(0, |root| hooks(root, spec).iter().filter(|hook| hook.is_ours()).count());
    assert_eq!(ours(left.as_ref()), 0, "nothing of ours is left");
    // Without a single thing in it a file does not tell how it was laid out.
    let says_something = before
        .and_then(Node::members)
        .is_some_and(|members| !members.is_empty());
    // A harness that goes on with hooks of a file that was deleted is left an empty list of them.
    let is_left = spec.keeps_deleted && before.and_then(|root| root.get("hooks")).is_none();
    if says_something && ours(before) == 0 && !is_left {
        assert_eq!(out, text, "to the byte");
    }
}

fn wanted<'a>(spec: &'a Spec, versions: &[Version], no_helpers: bool) -> Wanted<'a> {
    let mut events = spec.events(versions);
    events.retain(|event| !(no_helpers && event.helper));
    Wanted {
        spec,
        hook: HOOK,
        events,
        direct: (spec.direct_since.is_none() || !versions.is_empty()).then(|| spec.is_direct(versions)),
        keeps: versions.is_empty(),
        no_helpers,
    }
}

fn once(root: Option<&Node>, wanted: &Wanted<'_>) {
    let root = root.expect("there are entries");
    let hooks = hooks(root, wanted.spec);
    for event in &wanted.events {
        let ours = hooks.iter().filter(|hook| hook.is_ours() && hook.event == event.name);
        assert_eq!(ours.count(), 1, "{}", event.name);
    }
}
