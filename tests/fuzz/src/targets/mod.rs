//! The table of targets: a name and what is called with each input.
//! A target panics when something does not hold that always has to.

mod answer;
mod frames;
mod installer;
mod judge;
mod lines;
mod payload;
mod record;
mod settings;
mod shell;
mod text;
mod transcript;
mod trust;
mod verdict;

/// What is called with an input.
pub type Target = fn(&[u8]);

/// Every target, in the order in which `tests/run fuzz` runs them.
pub const ALL: &[(&str, Target)] = &[
    ("payload", payload::run),
    ("answer", answer::run),
    ("transcript", transcript::run),
    ("record", record::run),
    ("shell", shell::run),
    ("verdict", verdict::run),
    ("text", text::run),
    ("frames", frames::run),
    ("lines", lines::run),
    ("settings", settings::run),
    ("installer", installer::run),
    ("trust", trust::run),
    ("judge", judge::run),
];
