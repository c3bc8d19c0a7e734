//! A block's text as sentences, and a sentence as tokens: words, numbers, code, marks, stops.
//! What a sentence says stays out.

use super::blocks::{Block, LINE_END, code_of};
use super::lexicon::{ABBREVIATIONS, FAIL_MARKS, List, PASS_MARKS, WARNING_MARKS, check_word, number_word};
use crate::text::spoken::{QUOTATION, take_quotes};

/// The longest sentence, in tokens. A longer one goes on as the next, and says nothing plainly.
const LONGEST: usize = 300;
/// The same in bytes, up to the end of its last word.
const LONGEST_TEXT: usize = 4_000;
/// The longest word or code span that is read, in bytes; a longer one is one without letters.
const LONGEST_WORD: usize = 512;
/// What is nothing to read, and parts no word either.
pub(super) const WITHIN_WORDS: [char; 4] = ['*', '\u{fe0f}', '\u{200b}', '\u{feff}'];
/// How much of a line is looked at to tell whether it begins with a label, in characters.
const LABEL: usize = 32;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// A code span; its text keeps its letter case.
    Code,
    Number(u64),
    /// `41/42`.
    Ratio(u64, u64),
    /// A tick or a green sign.
    Pass,
    /// A cross or a red sign.
    Fail,
    /// A warning sign.
    Warning,
    /// Words in quotation marks.
    Quote,
    /// `, ; : ( ) |`, and `-` for any dash or arrow between words.
    Stop(char),
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// In lower case, except for code.
    pub(super) text: String,
}

impl Token {
    /// Whether it is a word, number words included, of this list.
    pub(super) fn is(&self, list: &(impl List + ?Sized)) -> bool {
        matches!(self.kind, Kind::Word | Kind::Number(_)) && list.holds(&self.text)
    }

    pub(super) fn is_stop(&self, stops: &[char]) -> bool {
        matches!(self.kind, Kind::Stop(c) if stops.contains(&c))
    }
}

/// One sentence.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    pub(super) tokens: Vec<Token>,
    /// As it is written, without Markdown.
    pub(super) text: String,
    pub(super) question: bool,
    /// It is a piece of one that was too long.
    pub(super) cut: bool,
}

/// The sentences of a block. `own` leaves out what it quotes.
pub(super) fn sentences(block: &Block, own: bool) -> Vec<Sentence> {
    let mut spoken = String::new();
    if own {
        take_quotes(&block.text, &mut spoken, &mut Vec::new());
    } else {
        spoken.push_str(&block.text);
    }
    let mut scan = Scan {
        codes: &block.codes,
        found: Vec::new(),
        sentence: Sentence::default(),
        word: String::new(),
    };
    let mut rest = spoken.chars();
    let mut before = None;
    while let Some(c) = rest.next() {
        scan.take(c, before, rest.as_str());
        before = Some(c);
    }
    scan.end_sentence(false);
    scan.found
}

struct Scan<'a> {
    codes: &'a [String],
    found: Vec<Sentence>,
    sentence: Sentence,
    word: String,
}

impl Scan<'_> {
    fn take(&mut self, c: char, before: Option<char>, rest: &str) {
        let next = rest.chars().next();
        if let Some(code) = code_of(c, self.codes) {
            self.end_word();
            self.sentence
                .text
                .push_str(&code[..code.floor_char_boundary(LONGEST_WORD)]);
            self.push(Kind::Code, code.trim());
            return;
        }
        if c == LINE_END || (c == '\n' && begins_anew(rest)) {
            self.end_sentence(false);
            return;
        }
        if self.sentence.text.len() < LONGEST_TEXT + LONGEST_WORD {
            self.sentence.text.push(if c == '\n' { ' ' } else { c });
        }
        if let Some(kind) = mark(c) {
            self.end_word();
            self.push(kind, "");
            return;
        }
        let ends = || next.is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '/' | '_' | '-' | '.'));
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => self.word.push(c),
            '\u{a0}' | '\u{202f}' | '\u{2009}' | ',' if groups_digits(before, rest) => {}
            _ if c.is_whitespace() => self.end_word(),
            ',' | ';' | '|' | '(' | ')' => self.stop(c),
            '[' | '{' => self.stop('('),
            ']' | '}' => self.stop(')'),
            '、' | '·' | '•' => self.stop(','),
            '，' | '；' | '：' => self.stop(';'),
            ':' if next.is_none_or(|next| !next.is_alphanumeric() && next != '/' && next != ':') => self.stop(':'),
            '—' | '–' | '―' | '→' | '⇒' => self.stop('-'),
            '.' if ends() && next.is_none_or(|next| !next.is_ascii_punctuation() || is_closing(next)) => {
                let abbreviation = ABBREVIATIONS.contains(&self.word.to_lowercase().as_str());
                self.end_word();
                if !abbreviation {
                    self.end_sentence(false);
                }
            }
            '!' | '?' if ends() => self.end_sentence(c == '?'),
            '…' | '。' | '！' => self.end_sentence(false),
            '？' => self.end_sentence(true),
            _ if WITHIN_WORDS.contains(&c) => {}
            '‘' | '’' | '\u{201b}' | '\u{2032}' => self.word.push('\''),
            '“' | '”' | '„' | '«' | '»' | '"' => self.end_word(),
            _ if QUOTATION.contains(c) => {
                self.end_word();
                self.push(Kind::Quote, "");
            }
            _ if c.is_alphanumeric() || c.is_ascii() => self.word.push(c),
            _ => self.end_word(),
        }
    }

    fn push(&mut self, kind: Kind, text: &str) {
        if self.sentence.tokens.len() == LONGEST || self.sentence.text.len() > LONGEST_TEXT {
            self.sentence.cut = true;
            self.finish(false);
            self.sentence.cut = true;
        }
        let text = if text.len() > LONGEST_WORD {
            String::new()
        } else {
            text.to_owned()
        };
        self.sentence.tokens.push(Token { kind, text });
    }

    fn stop(&mut self, c: char) {
        self.end_word();
        self.push(Kind::Stop(c), "");
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let mut word = std::mem::take(&mut self.word);
        if word.is_ascii() {
            word.make_ascii_lowercase();
        } else {
            word = word.to_lowercase();
        }
        self.take_word(&word);
        // For the next one, so that it needs no memory of its own.
        word.clear();
        self.word = word;
    }

    fn take_word(&mut self, word: &str) {
        if word.chars().all(|c| matches!(c, '-' | '>' | '=')) {
            self.push(Kind::Stop('-'), "");
            return;
        }
        if matches!(word, "&" | "+" | "&&") {
            self.push(Kind::Word, "and");
            return;
        }
        let kept_start = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '@' | '_' | '-' | '~');
        let kept_end = |c: char| c.is_alphanumeric() || matches!(c, '%' | '_' | '/' | '+');
        let word = word
            .trim_start_matches(|c| !kept_start(c))
            .trim_end_matches(|c| !kept_end(c));
        if word.is_empty() {
            return;
        }
        // "lint/typecheck" is two checks, "tests/unit" is a path.
        let mut parts = word.split('/');
        if word.contains('/') && parts.all(|part| check_word(part).is_some()) && !word.starts_with("tests/") {
            for (at, part) in word.split('/').enumerate() {
                if at > 0 {
                    self.push(Kind::Word, "and");
                }
                self.push(Kind::Word, part);
            }
            return;
        }
        self.push(kind_of(word), word);
    }

    fn end_sentence(&mut self, question: bool) {
        self.end_word();
        self.finish(question);
    }

    fn finish(&mut self, question: bool) {
        let mut sentence = std::mem::take(&mut self.sentence);
        if sentence.tokens.is_empty() {
            return;
        }
        sentence.question = question;
        sentence.text = crate::text::words::one_line(sentence.text.trim_matches([' ', '\n', '|']));
        if sentence.text.contains(QUOTATION) {
            sentence.text = sentence.text.replace(QUOTATION, "“…”");
        }
        self.found.push(sentence);
    }
}

/// What a character shows by itself; none of them is ASCII.
fn mark(c: char) -> Option<Kind> {
    let marks = [
        (PASS_MARKS, Kind::Pass),
        (FAIL_MARKS, Kind::Fail),
        (WARNING_MARKS, Kind::Warning),
    ];
    let found = || marks.into_iter().find(|(marks, _)| marks.contains(&c));
    (!c.is_ascii()).then(found).flatten().map(|(_, kind)| kind)
}

fn kind_of(word: &str) -> Kind {
    if let Some(number) = number_word(word).or_else(|| number(word)) {
        return Kind::Number(number);
    }
    let ratio = word
        .split_once('/')
        .and_then(|(part, whole)| Some((number(part)?, number(whole)?)));
    ratio.map_or(Kind::Word, |(part, whole)| Kind::Ratio(part, whole))
}

/// A whole number, with or without underscores between its digits.
fn number(word: &str) -> Option<u64> {
    let plain = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') && !word.starts_with('_');
    plain.then(|| word.replace('_', "").parse().ok()).flatten()
}

/// True for a separator of thousands: a digit before it, three behind it and not a fourth.
fn groups_digits(before: Option<char>, rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).take(4).count();
    before.is_some_and(|c| c.is_ascii_digit()) && digits == 3
}

fn is_closing(c: char) -> bool {
    matches!(c, ')' | ']' | '}' | '"' | '\'' | '|' | '*')
}

/// True when a line begins with a mark or a label of its own: then it does not go on with the line before.
fn begins_anew(line: &str) -> bool {
    let mut words = 0_usize;
    for (at, c) in line.chars().take(LABEL).enumerate() {
        match c {
            ':' => return at > 0 && words < 4,
            '\n' => return false,
            ' ' => words += 1,
            _ if PASS_MARKS.contains(&c) || FAIL_MARKS.contains(&c) => return words == 0,
            _ => {}
        }
    }
    false
}
