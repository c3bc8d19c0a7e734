//! Secrets that are known by their own look: shapes of well-known keys, private key blocks, words of a random look.
//! What stands beside them stays out.

use std::ops::Range;

use super::runs;

/// The letters that may stand in what follows a prefix.
#[derive(Clone, Copy)]
enum Of {
    /// Letters, digits, `-` and `_`.
    Word,
    /// Letters and digits.
    Alnum,
    /// Capitals and digits.
    Upper,
    /// Hexadecimal digits.
    Hex,
}

/// Beginnings of keys that their makers gave them so that they are found, how many characters follow at least, and which.
const SHAPES: &[(&str, usize, Of)] = &[
    ("AKIA", 16, Of::Upper),
    ("ASIA", 16, Of::Upper),
    ("AIza", 35, Of::Word),
    ("GOCSPX-", 20, Of::Word),
    ("ghp_", 20, Of::Alnum),
    ("gho_", 20, Of::Alnum),
    ("ghu_", 20, Of::Alnum),
    ("ghs_", 20, Of::Alnum),
    ("ghr_", 20, Of::Alnum),
    ("github_pat_", 22, Of::Word),
    ("glpat-", 18, Of::Word),
    ("xoxa-", 10, Of::Word),
    ("xoxb-", 10, Of::Word),
    ("xoxe-", 10, Of::Word),
    ("xoxo-", 10, Of::Word),
    ("xoxp-", 10, Of::Word),
    ("xoxr-", 10, Of::Word),
    ("xoxs-", 10, Of::Word),
    ("xapp-", 10, Of::Word),
    ("sk_live_", 16, Of::Alnum),
    ("sk_test_", 16, Of::Alnum),
    ("rk_live_", 16, Of::Alnum),
    ("rk_test_", 16, Of::Alnum),
    ("whsec_", 20, Of::Word),
    ("npm_", 30, Of::Alnum),
    ("pypi-", 50, Of::Word),
    ("hf_", 30, Of::Alnum),
    ("dop_v1_", 32, Of::Hex),
    ("dapi", 32, Of::Hex),
    ("lin_api_", 30, Of::Alnum),
    ("shpat_", 32, Of::Hex),
    ("dckr_pat_", 20, Of::Word),
    ("hvs", 20, Of::Word),
    ("ATATT3", 40, Of::Word),
    ("cio", 32, Of::Alnum),
    ("ya29", 40, Of::Word),
];
/// A key that was cut off at the end of a text is known by so many characters behind its prefix.
const CUT: usize = 8;
/// The shortest word that is looked at for a random look, in characters: longer than the ids of calls and messages.
const LONG: usize = 32;
/// Lengths of hashes in hexadecimal: MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512.
const HASHES: [usize; 6] = [32, 40, 56, 64, 96, 128];
/// What stands before a checksum in base64.
const CHECKSUMS: [&str; 9] = [
    "md5-", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "SHA256:", "h1:",
];

/// The shortest run of letters and signs that may hold a key, also one that was cut off.
const SHORTEST: usize = "sk-".len() + CUT;

/// Adds what looks like a key.
pub(super) fn find(text: &str, hidden: &mut Vec<Range<usize>>) {
    let wide = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.');
    for run in runs(text, wide).filter(|run| run.len() >= SHORTEST) {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        for range in runs(&text[run.clone()], word).filter(|range| range.len() >= SHORTEST) {
            let range = run.start + range.start..run.start + range.end;
            if is_shaped(&text[range.clone()], range.end == text.len()) {
                hidden.push(range);
            }
        }
        if run.len() >= LONG {
            tokens(text, run, hidden);
        }
    }
    blocks(text, hidden);
}

/// True for a word that begins as a key does; one at the end of a text may have been cut off.
fn is_shaped(word: &str, last: bool) -> bool {
    // Most words are told by their first letter.
    if !word.starts_with([
        'A', 'G', 'a', 'c', 'd', 'g', 'h', 'l', 'n', 'p', 'r', 's', 'w', 'x', 'y',
    ]) {
        return false;
    }
    let fits = |(prefix, least, of): &(&str, usize, Of)| {
        let Some(rest) = word.strip_prefix(prefix) else {
            return false;
        };
        let allowed = match of {
            Of::Word => |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Of::Alnum => |byte: &u8| byte.is_ascii_alphanumeric(),
            Of::Upper => |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Of::Hex => |byte: &u8| byte.is_ascii_hexdigit(),
        };
        // A prefix of a few letters may begin a word.
        let marked = prefix.len() > 3 && prefix.ends_with(['_', '-']);
        let least = if last && marked { CUT.min(*least) } else { *least };
        rest.len() >= least && rest.bytes().all(|byte| allowed(&byte)) && (marked || has_digit(rest))
    };
    SHAPES.iter().any(fits) || is_sk(word, last)
}

/// `sk-…` of OpenAI, Anthropic and those who took it over: a part of it has a random look.
fn is_sk(word: &str, last: bool) -> bool {
    let Some(rest) = word.strip_prefix("sk-") else {
        return false;
    };
    let known = ["ant-", "proj-", "or-v1-", "svcacct-"]
        .iter()
        .any(|maker| rest.starts_with(maker));
    let random =
        |part: &str| part.len() >= 16 && has_digit(part) && part.bytes().any(|byte| byte.is_ascii_alphabetic());
    match known {
        true => rest.len() >= if last { CUT } else { 16 } && has_digit(rest),
        false => rest.len() >= 20 && rest.split(['-', '_']).any(random),
    }
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Looks at a long run of the characters that keys are made of.
fn tokens(text: &str, range: Range<usize>, hidden: &mut Vec<Range<usize>>) {
    let run = &text[range.clone()];
    // JSON Web Tokens: three parts, of which the first two are objects.
    let mut from = 0;
    for part in run.split(['/', '=']) {
        let mut parts = part.split('.');
        let object = |part: Option<&str>| part.is_some_and(|part| part.starts_with("eyJ") && part.len() >= 10);
        if object(parts.next()) && object(parts.next()) {
            let start = range.start + from;
            hidden.push(start..start + part.len());
        }
        from += part.len() + 1;
    }
    let before = &text[..range.start];
    let mut from = 0;
    for word in run.split(['.', '=']) {
        let start = range.start + from;
        let padding = run[from + word.len()..]
            .bytes()
            .take(2)
            .take_while(|byte| *byte == b'=');
        let end = start + word.len() + padding.count();
        from += word.len() + 1;
        let checksum = CHECKSUMS
            .iter()
            .any(|mark| word.starts_with(mark) || (start == range.start && before.ends_with(mark)));
        // Dashes in a row part words.
        if !checksum && word.split("--").any(is_random) {
            hidden.push(start..end);
        }
    }
}

/// True for a long word that nobody wrote: capitals, small letters and digits in turn, as base64 has them; or letters and
/// digits in turn; or hexadecimal digits of a length that no hash has.
fn is_random(word: &str) -> bool {
    if word.len() < LONG {
        return false;
    }
    if word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return !HASHES.contains(&word.len()) && has_digit(word) && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    }
    let [mut pairs, mut turns, mut edges] = [0_usize; 3];
    let [mut upper, mut lower, mut digits] = [0_usize; 3];
    let mut before = None;
    for byte in word.bytes() {
        let class = match byte {
            b'A'..=b'Z' => Some(0),
            b'a'..=b'z' => Some(1),
            b'0'..=b'9' => Some(2),
            _ => None,
        };
        upper += usize::from(class == Some(0));
        lower += usize::from(class == Some(1));
        digits += usize::from(class == Some(2));
        if let (Some(before), Some(class)) = (before, class) {
            pairs += 1;
            turns += usize::from(before != class);
            edges += usize::from((before == 2) != (class == 2));
        }
        before = class;
    }
    // A path or a name of many short words has few pairs: its signs part them.
    if pairs * 5 < word.len() * 4 {
        return false;
    }
    let base64 = upper >= 4 && lower >= 4 && digits >= 1 && turns * 20 >= pairs * 9;
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let one_case = plain && (upper == 0 || lower == 0) && digits >= 4 && edges * 4 >= pairs;
    base64 || one_case
}

/// Private keys, from their first line to their last, or to the end of a text that lacks it.
fn blocks(text: &str, hidden: &mut Vec<Range<usize>>) {
    const BEGIN: &str = "-----BEGIN ";
    const KEY: &str = "PRIVATE KEY";
    const END: &str = "-----END ";
    /// The longest name of a kind of key before these words.
    const KIND: usize = 24;
    let mut at = 0;
    while let Some(found) = text[at..].find(BEGIN) {
        let start = at + found;
        let label = start + BEGIN.len();
        at = label;
        // Capitals and digits say of what kind the key is.
        let kind = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
        let longest = text.floor_char_boundary(label + KIND + KEY.len());
        let len = text.as_bytes()[label..longest]
            .iter()
            .take_while(|byte| kind(byte))
            .count();
        if !text[label..label + len].contains(KEY) {
            continue;
        }
        let end = text[label..].find(END).map(|end| label + end + END.len());
        // The last line goes on to its dashes.
        let end = end.map_or(text.len(), |end| {
            text[end..].find("-----").map_or(text.len(), |dashes| end + dashes + 5)
        });
        hidden.push(start..end);
        at = end;
    }
}
