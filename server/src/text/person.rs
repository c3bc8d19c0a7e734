//! The person's own words in a prompt: without what a harness wraps around them and without what they pasted.
//! Quotes and code stay out: they are for those who read the words.

/// How much of a prompt is read, in bytes; what stands behind it is nobody's.
const READ_LIMIT: usize = 1 << 20;
/// So many names of elements without an end are remembered, so that no text is searched more often.
const UNCLOSED: usize = 32;

/// A prompt that begins like this is a program's from end to end: our own follow-ups, a hook's, a summary after
/// compaction and a plan that is handed over (Claude Code up to 2.1.332), a helper's end.
const PROGRAMS: &[&str] = &[
    "Proofmark",
    "Stop hook feedback",
    "SubagentStop hook feedback",
    "<task-notification",
    "<subagent_notification",
    "<codex_delegation",
    "<hook_prompt",
    "This session is being continued from a previous conversation",
    "Implement the following plan:",
    "# AGENTS.md instructions",
];
/// Elements of a harness: cut out wherever they stand, and without an end up to the end of the prompt.
const ENVELOPES: &[&str] = &[
    "task-notification",
    "system-reminder",
    "command-",
    "local-command",
    "hook_prompt",
    "environment_context",
    "bash-",
];
/// What Cursor puts around the person's words (transcripts in text and in lines).
const QUERY: (&str, &str) = ("<user_query>", "</user_query>");
/// What Codex Desktop puts before the person's words, on a line of its own (0.133 on).
const REQUEST: &str = "## My request for Codex:";

/// The person's own words, in the prompt's order; empty for a text that no person wrote.
///
/// Out are envelopes, elements pasted from the beginning of a line on, log lines, stack traces, diffs, and what follows
/// a shell's prompt. A blank line stands in their place. Only the first MiB is read.
pub(super) fn own_words(prompt: &str) -> String {
    let text = &prompt[..prompt.floor_char_boundary(READ_LIMIT)];
    let text = text.trim_start_matches('\u{feff}');
    if is_programs(text) {
        return String::new();
    }
    let text = without_elements(request(text));
    if is_programs(&text) {
        return String::new();
    }
    without_pasted_lines(&text)
}

fn is_programs(text: &str) -> bool {
    let text = text.trim_start();
    PROGRAMS.iter().any(|beginning| text.starts_with(beginning))
}

/// The part of a wrapped prompt that the person wrote.
fn request(text: &str) -> &str {
    // A person who shows such an element does not begin with one.
    let begins = text.trim_start().starts_with('<');
    if let Some((_, inside)) = text.split_once(QUERY.0).filter(|_| begins) {
        return inside.split_once(QUERY.1).map_or(inside, |(inside, _)| inside);
    }
    let wrapped = text.trim_start().starts_with("# ");
    let at = text
        .match_indices(REQUEST)
        .find(|(at, _)| wrapped && (*at == 0 || text[..*at].ends_with('\n')));
    at.map_or(text, |(at, _)| &text[at + REQUEST.len()..])
}

fn without_elements(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut unclosed: Vec<&str> = Vec::new();
    let mut from = 0;
    let mut looked = 0;
    while let Some(at) = memchr::memchr(b'<', &text.as_bytes()[looked..]).map(|at| looked + at) {
        looked = at + 1;
        let Some(name) = element(&text[at..]) else { continue };
        let enveloped = ENVELOPES.iter().any(|envelope| name.starts_with(envelope));
        let lead = text[from..at].trim_end_matches([' ', '\t', '\r']);
        let line_start = lead.is_empty() || lead.ends_with('\n');
        if !(enveloped || line_start) {
            continue;
        }
        let end = if unclosed.contains(&name) || unclosed.len() >= UNCLOSED {
            None
        } else {
            end_of(&text[at..], name).map(|end| at + end)
        };
        let end = match end {
            Some(end) => end,
            None if enveloped && line_start => text.len(),
            None => {
                if unclosed.len() < UNCLOSED {
                    unclosed.push(name);
                }
                continue;
            }
        };
        kept.push_str(&text[from..at]);
        kept.push_str("\n\n");
        (from, looked) = (end, end);
    }
    kept.push_str(&text[from..]);
    kept
}

/// The name of the element that begins here.
fn element(text: &str) -> Option<&str> {
    let rest = &text[1..];
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    let name = &rest[..end];
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic()) && rest[end..].starts_with(['>', ' ', '\n', '\t']);
    fits.then_some(name)
}

fn end_of(text: &str, name: &str) -> Option<usize> {
    let close = format!("</{name}>");
    memchr::memmem::find(text.as_bytes(), close.as_bytes()).map(|at| at + close.len())
}

/// What the lines before one have been.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// The person's.
    Own,
    /// Pasted, and all that follows up to a blank line.
    Pasted,
}

fn without_pasted_lines(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut before = Before::Own;
    for line in text.split_inclusive('\n') {
        let said = line.trim();
        // Without its fences what a block shows would be taken for said.
        if said.is_empty() || is_fence(said) {
            before = Before::Own;
        } else if before == Before::Pasted || begins_paste(said) {
            before = Before::Pasted;
            kept.push('\n');
            continue;
        } else if is_log(said) {
            kept.push('\n');
            continue;
        }
        kept.push_str(line);
    }
    kept
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// True for a line after which more of the same kind follows: a shell's prompt, a trace, a diff.
fn begins_paste(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "$ ",
        "% ",
        "❯ ",
        "➜ ",
        "❯",
        "PS C:",
        "Traceback (",
        "diff --git ",
        "@@ ",
        "--- a/",
        "+++ b/",
        "goroutine ",
        "panic: ",
        "[Request interrupted by user",
    ];
    let shell = || {
        let host = line
            .split_whitespace()
            .next()
            .is_some_and(|word| word.contains('@') && !word.starts_with('@'));
        host && (line.contains(" % ") || line.contains("$ ") || line.contains("# "))
    };
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || (line.starts_with("thread '") && line.contains("panicked at"))
        || shell()
}

/// True for a line that a program printed.
fn is_log(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "File \"",
        "--> ",
        "error[",
        "npm ERR!",
        "npm error",
        "Caused by:",
        "--- FAIL",
        "--- PASS",
        "=== RUN",
        "{\"",
        "[{",
        "E   ",
        "ERROR:",
        "WARNING:",
        "INFO:",
        "DEBUG:",
        "FAIL\t",
        "ok  \t",
    ];
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || is_frame(line)
        || is_added_line(line)
        || is_stamped(line)
        || is_data(line)
}

/// A frame of a stack trace: `at parse (a.js:1:2)`.
fn is_frame(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("at ") else {
        return false;
    };
    let place = rest.trim_end_matches(')');
    place
        .rsplit(':')
        .next()
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
        && place.contains(':')
}

/// A line of a diff by itself: `+run = "x"`. "+1" is a vote.
fn is_added_line(line: &str) -> bool {
    let behind = line.strip_prefix('+').and_then(|rest| rest.chars().next());
    behind.is_some_and(|c| !c.is_whitespace() && !c.is_ascii_digit())
}

/// A line that begins with a date, a time or a level.
fn is_stamped(line: &str) -> bool {
    const LEVELS: &[&str] = &["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "NOTICE"];
    let bare = |word: &str| -> String { word.trim_matches(['[', ']', '(', ')', ':', '|', ',']).to_owned() };
    let mut words = line.split_whitespace().take(4);
    let Some(first) = words.next() else { return false };
    let dated = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let signs = word.bytes().filter(|b| matches!(b, b':' | b'-' | b'/')).count();
        digits >= 6 && signs >= 2 && word.len() >= 8 && word.starts_with(|c: char| c.is_ascii_digit())
    };
    let first = bare(first);
    LEVELS.contains(&first.as_str()) || dated(&first)
}

/// A line of settings or of a structured log: names with values, and little else.
fn is_data(line: &str) -> bool {
    let named = |word: &str| {
        word.split_once(['=', ':'])
            .is_some_and(|(name, value)| !name.is_empty() && !value.is_empty() && !value.starts_with('/'))
    };
    let json = line
        .strip_prefix('"')
        .and_then(|rest| rest.split_once("\":"))
        .is_some_and(|(key, _)| !key.contains('"'));
    let brackets = line
        .bytes()
        .all(|b| matches!(b, b'{' | b'}' | b'[' | b']' | b',' | b' '));
    let (mut all, mut data) = (0_usize, 0_usize);
    for word in line.split_whitespace() {
        all += 1;
        data += usize::from(named(word));
    }
    json || brackets || (data >= 3 && data * 2 >= all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_words_are_what_stays() {
        for (prompt, own) in [
            ("look", "look"),
            ("\u{feff}Proofmark asks for a check", ""),
            ("Stop hook feedback:\nlook", ""),
            (
                "<task-notification>\n<result>look</result>\n</task-notification>\nlook",
                "",
            ),
            ("<system-reminder>not mine</system-reminder>look", "look"),
            ("look <system-reminder>not mine</system-reminder>", "look"),
            ("look\n<system-reminder>not mine", "look"),
            (
                "what is <system-reminder> for? look",
                "what is <system-reminder> for? look",
            ),
            (
                "<command-name>/x</command-name>\n<command-args>not mine</command-args>",
                "",
            ),
            ("<local-command-stdout>not mine</local-command-stdout>", ""),
            ("<system-reminder>a</system-reminder>\nProofmark: look", ""),
            (
                "# In app browser:\n- not mine\n\n## My request for Codex:\nlook\n",
                "look",
            ),
            (
                "Say: ## My request for Codex: look",
                "Say: ## My request for Codex: look",
            ),
            ("<timestamp>x</timestamp>\n<user_query>\nlook\n</user_query>", "look"),
            ("<user_query>\nlook", "look"),
            ("~~~\n<user_query>\nundo\n</user_query>\n~~~", "~~~ ~~~"),
            (
                "why `<user_query>undo</user_query>`?",
                "why `<user_query>undo</user_query>`?",
            ),
            ("<ide_selection>not mine</ide_selection>\nlook", "look"),
            ("a List<T> look", "a List<T> look"),
            ("<br> look", "<br> look"),
            ("look\n$ make\nnot mine\n\nlook", "look look"),
            ("me@host app % make\nnot mine\n\nlook", "look"),
            ("look\nTraceback (most recent call last):\nnot mine", "look"),
            ("look\n    at parse (a.js:1:2)", "look"),
            ("at home look", "at home look"),
            ("look\n+run = 1", "look"),
            ("+1 look", "+1 look"),
            ("2024-01-02 03:04:05 not mine\nlook", "look"),
            ("[12:03:44.120] not mine\nlook", "look"),
            ("ERROR not mine\nlook", "look"),
            ("level=info msg=x at=1\nlook", "look"),
            ("{\"level\": 1}\nlook", "look"),
            ("```\n$ make\n```\nlook", "``` ``` look"),
        ] {
            let words: Vec<_> = own_words(prompt).split_whitespace().map(str::to_owned).collect();
            assert_eq!(words.join(" "), own, "{prompt:?}");
        }
    }
}
