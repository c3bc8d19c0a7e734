//! The one place that writes to the terminal, colours where the terminal has them.
//! What is said is put together elsewhere.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use proofmark_server::text::{is_unsafe, printable};
use serde::Serialize;

/// What a piece of text is, so that each kind looks the same everywhere.
pub(crate) struct Look;

impl Look {
    /// Headings.
    pub(crate) const HEAD: Style = Style::new().bold();
    /// What matters less.
    pub(crate) const DIM: Style = Style::new().dimmed();
    /// A refusal.
    pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
    /// Something worth a look.
    pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
    /// All is well.
    pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
}

/// The text in a style, for a terminal that shows styles; elsewhere they are taken out on the way.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes one piece of text and a line end to stdout. A closed pipe ends the command without noise.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match writeln!(out, "{}", printable(text)).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => Ok(written?),
    }
}

/// Writes a value as indented JSON to stdout.
pub(crate) fn say_json(value: &impl Serialize) -> anyhow::Result<()> {
    say(&json_text(value)?)
}

/// Writes one line to stderr.
pub(crate) fn complain(text: &str) {
    // Where stderr is closed there is nobody to tell.
    let _closed = writeln!(anstream::stderr().lock(), "{}", printable(text));
}

/// JSON as a terminal may show it: what JSON leaves as it is, and a terminal obeys, is written as an escape.
fn json_text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = String::new();
    for c in serde_json::to_string_pretty(value)?.chars() {
        if c != '\n' && is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    Ok(text)
}

/// A time span in the largest unit that fits, from milliseconds.
pub(crate) fn span(millis: u64) -> String {
    let seconds = millis / 1_000;
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    count(number, unit)
}

/// A number with its unit: `1 turn`, `2 turns`.
pub(crate) fn count(number: u64, unit: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}
