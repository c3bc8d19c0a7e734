//! What a person says, as words in sentences: folded, contractions written out, each with its place.
//! What the words mean stays out.

/// What follows a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pause {
    /// The next word.
    None,
    /// The end of a clause: a comma, a colon, a dash, the end of a line.
    Clause,
    /// The end of a sentence.
    Sentence,
}

/// A word.
#[derive(Debug)]
pub(super) struct Word {
    /// In lower case, without the punctuation around it.
    pub(super) text: String,
    /// Where it stands in the text, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// What follows it.
    pub(super) pause: Pause,
    /// True when a colon does.
    pub(super) colon: bool,
}

/// Short forms, and what people mean by them.
const WRITTEN_OUT: &[(&str, &str)] = &[
    ("u", "you"),
    ("ur", "your"),
    ("im", "i am"),
    ("ive", "i have"),
    ("youre", "you are"),
    ("youve", "you have"),
    ("thats", "that is"),
    ("whats", "what is"),
    ("theres", "there is"),
    ("wtf", "what the fuck"),
    ("pls", "please"),
    ("plz", "please"),
    ("cannot", "can not"),
    ("dont", "do not"),
    ("doesnt", "does not"),
    ("didnt", "did not"),
    ("didn", "did not"),
    ("isnt", "is not"),
    ("wasnt", "was not"),
    ("werent", "were not"),
    ("arent", "are not"),
    ("shouldnt", "should not"),
    ("shouldve", "should have"),
    ("wouldnt", "would not"),
    ("couldnt", "could not"),
    ("havent", "have not"),
    ("hasnt", "has not"),
    ("cant", "can not"),
    ("can't", "can not"),
    ("won't", "will not"),
    ("wont", "will not"),
    ("let's", "let us"),
    ("lets", "let us"),
];
/// Endings after an apostrophe.
const ENDINGS: &[(&str, &str)] = &[
    ("n't", "not"),
    ("'re", "are"),
    ("'ve", "have"),
    ("'ll", "will"),
    ("'m", "am"),
    ("'d", "would"),
];
/// Words whose "'s" is "is".
const WITH_IS: &[&str] = &["that", "this", "what", "it", "who", "there", "here", "where"];

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() || parts(text, at, c) {
            if let Some(start) = start.take() {
                push_chunk(text, start, at, &mut words);
            }
            let pause = if c == '\n' { Pause::Clause } else { pause_of(c) };
            if let Some(last) = words.last_mut() {
                // Two line ends in a row end a paragraph.
                let paragraph = c == '\n' && text[last.end..at].contains('\n');
                last.colon |= c == ':';
                last.pause = last.pause.max(if paragraph { Pause::Sentence } else { pause });
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    if let Some(start) = start {
        push_chunk(text, start, text.len(), &mut words);
    }
    if let Some(last) = words.last_mut() {
        last.pause = Pause::Sentence;
    }
    words
}

/// True for a sign that no word holds. A dot, a colon or a hyphen inside a name is part of it.
fn parts(text: &str, at: usize, c: char) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at + c.len_utf8()..].chars().next();
    let inside = before.is_some_and(char::is_alphanumeric) && behind.is_some_and(char::is_alphanumeric);
    match c {
        '.' => !(behind.is_some_and(char::is_alphanumeric) && before != Some('.')),
        ':' => !inside,
        '-' => !behind.is_some_and(char::is_alphanumeric) || before == Some('-') || before.is_none(),
        '\'' | '’' => !inside,
        _ => matches!(
            c,
            ',' | ';'
                | '!'
                | '?'
                | '…'
                | '—'
                | '–'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '"'
                | '”'
                | '*'
                | '|'
                | '。'
                | '！'
                | '？'
                | '、'
                | '，'
        ),
    }
}

fn pause_of(c: char) -> Pause {
    match c {
        '.' | '!' | '?' | ';' | '…' | '。' | '！' | '？' => Pause::Sentence,
        ',' | ':' | '—' | '–' | '-' | '(' | ')' | '、' | '，' => Pause::Clause,
        _ => Pause::None,
    }
}

fn push_chunk(text: &str, start: usize, end: usize, words: &mut Vec<Word>) {
    let folded: String = text[start..end]
        .chars()
        .filter(|c| !crate::text::words::is_invisible(*c))
        .map(|c| {
            if matches!(c, '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}') {
                '\''
            } else {
                c
            }
        })
        .flat_map(char::to_lowercase)
        .collect();
    let plain = folded.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'');
    for part in folded.split(|c| plain && c == '-').filter(|part| !part.is_empty()) {
        for text in written_out(part) {
            words.push(Word {
                text,
                start,
                end,
                pause: Pause::None,
                colon: false,
            });
        }
    }
}

fn written_out(word: &str) -> Vec<String> {
    if let Some((_, long)) = WRITTEN_OUT.iter().find(|(short, _)| *short == word) {
        return long.split(' ').map(str::to_owned).collect();
    }
    if let Some((short, long)) = ENDINGS
        .iter()
        .find_map(|(ending, long)| Some((word.strip_suffix(ending)?, long)))
    {
        return [short, *long]
            .into_iter()
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
    }
    match word.strip_suffix("'s") {
        Some(short) if WITH_IS.contains(&short) => vec![short.to_owned(), "is".to_owned()],
        _ => vec![word.to_owned()],
    }
}

/// True when somebody typing `meant` may have written `word`: one letter left out, doubled, or two swapped.
pub(super) fn is_slip_of(word: &str, meant: &str) -> bool {
    let (word, meant) = (word.as_bytes(), meant.as_bytes());
    if meant.len() < 6 || word.len().abs_diff(meant.len()) > 1 {
        return false;
    }
    let same = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return false;
    }
    match word.len().cmp(&meant.len()) {
        // The last letters carry the tense.
        std::cmp::Ordering::Less => same + 2 < meant.len() && word[same..] == meant[same + 1..],
        std::cmp::Ordering::Greater => {
            word[same..].first() == Some(&meant[same - 1]) && word[same + 1..] == meant[same..]
        }
        std::cmp::Ordering::Equal => {
            same + 1 < meant.len()
                && word[same] == meant[same + 1]
                && word[same + 1] == meant[same]
                && word[same + 2..] == meant[same + 2..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut line = String::new();
        for word in words(text) {
            line.push_str(&word.text);
            line.push_str(match word.pause {
                Pause::None => " ",
                Pause::Clause => " , ",
                Pause::Sentence => " . ",
            });
        }
        line.trim_end().to_owned()
    }

    #[test]
    fn words_are_folded_and_parted() {
        for (text, expected) in [
            ("You’re off, stop!", "you are off , stop ."),
            ("dont touch a.rs", "do not touch a.rs ."),
            ("look..i think", "look . i think ."),
            ("look ..i think", "look . i think ."),
            ("one\ntwo\n\nthree", "one , two . three ."),
            ("re-write src/a-b.rs:12 now", "re write src/a-b.rs:12 now ."),
            (
                "that's what's theirs, it's the user's",
                "that is what is theirs , it is the user's .",
            ),
            ("(no) — why?", "no , why ."),
            ("WTF", "what the fuck ."),
            ("", ""),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_slip_of_the_hand_is_no_other_word() {
        for (word, meant, slip) in [
            ("chnged", "changed", true),
            ("chagned", "changed", true),
            ("channged", "changed", true),
            ("charged", "changed", false),
            ("change", "changed", false),
            ("edted", "edited", true),
            ("use", "used", false),
            ("", "changed", false),
        ] {
            assert_eq!(is_slip_of(word, meant), slip, "{word} {meant}");
        }
    }
}
