//! What in a text looks like a key, a password or a token, and the text without it: what may be stored and shown.
//! Where texts come from, and what they say otherwise, stays out.

mod keys;
mod named;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a secret.
pub(super) const REDACTED: &str = "[redacted]";
/// Looks at one text at most: each takes something out, and two are enough for all but made-up texts.
const MOST_LOOKS: usize = 8;

/// The text without what looks like a secret: keys of known shapes, private keys, what stands behind a name such as
/// `password`, passwords in addresses, and long words of a random look that are no hash, no id and no path.
///
/// Of what has come out of it nothing more is taken out. Nobody can know every secret: one that looks like any other word stays.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = once(text);
    // What is taken out may have stood between a name and its value, which show as such only now.
    for _ in 1..MOST_LOOKS {
        let Cow::Owned(before) = &clean else { break };
        match once(before) {
            Cow::Owned(after) if after != *before => clean = Cow::Owned(after),
            _ => break,
        }
    }
    clean
}

/// The text without what shows at one look.
fn once(text: &str) -> Cow<'_, str> {
    let mut hidden: Vec<Range<usize>> = Vec::new();
    keys::find(text, &mut hidden);
    named::find(text, &mut hidden);
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    hidden.sort_by_key(|range| (range.start, range.end));
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for range in hidden {
        if range.end <= done {
            continue;
        }
        // What overlaps with the one before is part of it.
        if range.start >= done {
            clean.push_str(&text[done..range.start]);
            clean.push_str(REDACTED);
        }
        done = range.end;
    }
    clean.push_str(&text[done..]);
    Cow::Owned(clean)
}

/// True for a text from which something was taken: a command of that kind is not the one that ran.
pub fn is_redacted(text: &str) -> bool {
    text.contains(REDACTED)
}

/// The runs of bytes for which `part` holds, from left to right.
fn runs(text: &str, part: impl Fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|byte| part(*byte))?;
        let len = bytes[start..].iter().position(|byte| !part(*byte));
        at = len.map_or(bytes.len(), |len| start + len);
        Some(start..at)
    })
}
