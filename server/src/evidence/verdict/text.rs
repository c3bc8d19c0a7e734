//! An output as the plain lines a person would see: without colours, redraws, carriage returns and the endless middle.
//! What the lines mean stays out.

/// How much of each end of an output is looked at, in bytes: summaries stand at the end, and what could not start says
/// so at the beginning.
const END: usize = 256 * 1024;

/// `output` without escape sequences, NULs (UTF-16 read as bytes has one beside each letter), a byte-order mark, and,
/// where it is longer than both ends, its middle.
pub(super) fn clean(output: &str) -> String {
    if output.len() <= 2 * END {
        return strip(output);
    }
    // A line cut in two could pass for a summary that nobody printed, so only whole lines stay.
    let head = &output[..output.floor_char_boundary(END)];
    let head = head.rfind('\n').map_or("", |end| &head[..=end]);
    let tail = &output[output.ceil_char_boundary(output.len() - END)..];
    let tail = tail.find('\n').map_or("", |end| &tail[end + 1..]);
    let mut text = strip(head);
    text.push_str(&strip(tail));
    text
}

/// The lines of a cleaned text, without empty ones, which no summary needs; of a line redrawn after carriage returns,
/// only its last state.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| {
            let line = line.trim_end_matches('\r');
            line.rsplit_once('\r').map_or(line, |(_, last)| last)
        })
        .filter(|line| !line.is_empty())
        .collect()
}

/// Whether any line is as `matches` has it.
pub(super) fn any(lines: &[&str], matches: impl Fn(&str) -> bool) -> bool {
    lines.iter().any(|line| matches(line))
}

fn strip(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\0' | '\u{feff}' => {}
            '\u{9b}' => skip_sequence(&mut chars),
            '\u{1b}' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    skip_sequence(&mut chars);
                }
                Some(']') => skip_string(&mut chars),
                Some('(' | ')' | '*' | '+' | '#' | '%') => {
                    chars.next();
                    chars.next_if(|char| *char != '\n');
                }
                _ => {
                    chars.next_if(|char| *char != '\n');
                }
            },
            _ => plain.push(char),
        }
    }
    plain
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Parameters of a control sequence, and the letter that ends it.
fn skip_sequence(chars: &mut Chars<'_>) {
    while chars.next_if(|char| (' '..='?').contains(char)).is_some() {}
    chars.next_if(|char| ('@'..='~').contains(char));
}

/// A title or a link; one that nobody ends goes to the end of its line only, so that it swallows no summary.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(char) = chars.next_if(|char| *char != '\n') {
        if char == '\u{7}' {
            return;
        }
        if char == '\u{1b}' && chars.next_if_eq(&'\\').is_some() {
            return;
        }
    }
}

/// The number that `text` is, digits only.
pub(super) fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// The number `text` begins with, and what follows it.
pub(super) fn leading(text: &str) -> Option<(u64, &str)> {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    Some((number(&text[..end])?, &text[end..]))
}

/// The parts of a list like `1 failed, 3 passed`: each a number and its words. None where a part is anything else.
pub(super) fn counted<'a>(text: &'a str, separator: &str) -> Option<Vec<(u64, &'a str)>> {
    text.split(separator)
        .map(|part| {
            let (count, words) = leading(part.trim())?;
            Some((count, words.strip_prefix(' ')?.trim()))
        })
        .collect()
}

/// The parts of a list like `Tests: 3, Failures: 1`: each a name and its number. None where a part is anything else.
pub(super) fn labelled(text: &str) -> Option<Vec<(&str, u64)>> {
    text.trim()
        .trim_end_matches('.')
        .split(',')
        .map(|part| {
            let (name, count) = part.split_once(':')?;
            Some((name.trim(), number(count.trim())?))
        })
        .collect()
}

/// Whether `text` is a time taken: `0.02s`, `1m 3s`, `12 ms`, `0.345 s`.
pub(super) fn is_duration(text: &str) -> bool {
    let unit = |word: &str| {
        matches!(
            word,
            "s" | "ms" | "m" | "h" | "us" | "µs" | "ns" | "sec" | "seconds" | "second"
        )
    };
    let mut any = false;
    let mut bare_number = false;
    for word in text.split_whitespace() {
        let digits = word.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.' || char == ':');
        let has_digits = digits.len() < word.len();
        match (has_digits, digits.is_empty()) {
            (true, true) if !bare_number => bare_number = true,
            (true, false) if unit(digits) && !bare_number => {}
            (false, _) if bare_number && unit(word) => bare_number = false,
            _ => return false,
        }
        any = true;
    }
    any && !bare_number
}
