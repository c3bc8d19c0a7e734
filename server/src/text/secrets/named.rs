//! Secrets that are known by what stands before them: a name such as `password`, a flag, a header, an address with a user.
//! What a secret looks like in itself stays out.

use std::ops::Range;

/// Ends of names behind which a secret stands, without their signs and in small letters.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "secret",
    "secrets",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "accountkey",
    "storagekey",
    "masterkey",
    "secretkeybase",
    "credential",
    "credentials",
];
/// Whole names of that kind, whose end alone says nothing: `PWD` is a folder.
const WHOLE_NAMES: &[&str] = &["mysqlpwd", "dbpwd", "redispwd", "httppwd"];
/// Words that stand where a secret would, and are none.
const NO_SECRETS: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "required",
    "optional",
    "string",
    "str",
    "text",
    "bytes",
    "any",
    "yes",
    "no",
    "empty",
    "missing",
    "invalid",
    "valid",
    "expired",
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "value",
    "bearer",
    "basic",
    "redacted",
    "xxx",
    "xxxx",
];
/// Words that follow a flag's name in a sentence.
const PROSE: &[&str] = &[
    "a",
    "again",
    "also",
    "an",
    "and",
    "are",
    "argument",
    "arguments",
    "as",
    "at",
    "because",
    "before",
    "be",
    "but",
    "by",
    "can",
    "does",
    "expects",
    "file",
    "flag",
    "flags",
    "for",
    "from",
    "has",
    "if",
    "in",
    "instead",
    "is",
    "it",
    "must",
    "needs",
    "not",
    "now",
    "of",
    "on",
    "option",
    "options",
    "or",
    "parameter",
    "should",
    "so",
    "takes",
    "that",
    "the",
    "then",
    "to",
    "was",
    "when",
    "which",
    "with",
    "without",
    "work",
    "works",
];
/// Names of algorithms, which have the look of a password.
const ALGORITHMS: &[&str] = &[
    "argon2", "base32", "base58", "base64", "ed25519", "es256", "hs256", "md5", "oauth2", "rs256", "sha1", "sha256",
    "sha512", "utf8", "v1", "v2", "v3", "v4", "x509", "bcrypt", "scrypt",
];
/// The longest name that is looked at, and the longest value of which the kind is told, in bytes.
const LONGEST: (usize, usize) = (80, 256);
/// Schemes of an `Authorization` header.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest", "negotiate"];

/// Adds what stands behind a name, a flag or a scheme, and passwords in addresses.
pub(super) fn find(text: &str, hidden: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut calls_curl = None;
    let mut done = 0;
    // Whatever names a secret is joined to it by one of these, or is a flag, which begins with one.
    for at in memchr::memchr3_iter(b'=', b':', b'-', bytes) {
        if at < done {
            continue;
        }
        let found = match bytes[at] {
            b'-' => flag(text, at).and_then(|name| match &text[name.clone()] {
                "-u" | "--user" => {
                    let calls = calls_curl.get_or_insert_with(|| text.contains("curl"));
                    calls.then(|| behind_user(text, name.end)).flatten()
                }
                _ => behind_name(text, &name, Joint::Flag, name.end),
            }),
            b':' if bytes[at..].starts_with(b"://") => {
                address(text, at + "://".len(), hidden);
                None
            }
            _ => joint(text, at).and_then(|(name, joint, start)| behind_name(text, &name, joint, start)),
        };
        if let Some(value) = found {
            let value = value.to_its_end(text);
            done = value.end;
            hidden.push(value);
        }
    }
    for at in memchr::memmem::find_iter(bytes, "earer") {
        if let Some(value) = behind_bearer(text, at) {
            hidden.push(value.to_its_end(text));
        }
    }
}

/// How a value stands behind its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `name=value`.
    Tight,
    /// `name: value`, `name = value`: prose and code have this too.
    Loose,
    /// `--name value`.
    Flag,
}

/// A value, so far as it is looked at before it is known to be a secret: a text full of names is read once all the same.
#[derive(Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    quote: Option<u8>,
    escaped: bool,
}

impl Value {
    /// The value that begins at a place: what is in quotes, or all up to a blank or a sign that ends a word.
    fn at(text: &str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let escaped = bytes.get(at) == Some(&b'\\') && matches!(bytes.get(at + 1), Some(b'"' | b'\''));
        let at = at + usize::from(escaped);
        let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let start = at + usize::from(quote.is_some());
        let mut value = Self {
            start,
            end: start,
            quote,
            escaped,
        };
        let longest = text.floor_char_boundary(start.saturating_add(LONGEST.1));
        value.end = value.end_before(text, longest);
        (value.end > start).then_some(value)
    }

    /// Where it ends, at `longest` at the latest.
    fn end_before(&self, text: &str, longest: usize) -> usize {
        let ends = |byte: &u8| match self.quote {
            Some(quote) => *byte == quote || *byte == b'\n' || (self.escaped && *byte == b'\\'),
            None => {
                byte.is_ascii_whitespace()
                    || matches!(
                        byte,
                        b'"' | b'\'' | b'`' | b'&' | b';' | b',' | b'|' | b')' | b'<' | b'>' | b'}' | b']'
                    )
            }
        };
        let Some(bytes) = text.as_bytes().get(self.start..longest) else {
            return self.start;
        };
        let end = bytes.iter().position(ends).map_or(longest, |len| self.start + len);
        // A point ends a sentence, not a secret.
        let point = self.quote.is_none() && text[self.start..end].ends_with('.');
        end - usize::from(point)
    }

    fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    fn to_its_end(self, text: &str) -> Range<usize> {
        self.start..self.end_before(text, text.len())
    }
}

/// The secret behind a name; the value, or what stands before it, begins at `start`.
fn behind_name(text: &str, name: &Range<usize>, joint: Joint, start: usize) -> Option<Value> {
    let from = name.end.saturating_sub(LONGEST.0).max(name.start);
    // All letters of a name are ASCII.
    let name: String = text.as_bytes()[from..name.end]
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let header = name.ends_with("authorization");
    let secret = NAMES.iter().any(|end| name.ends_with(end));
    if !(header || secret || WHOLE_NAMES.contains(&name.as_str())) {
        return None;
    }
    if header && joint != Joint::Flag {
        let (scheme, behind) = word(text, start);
        let start = if SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
            behind
        } else {
            start
        };
        let value = Value::at(text, skip_blanks(text, start))?;
        let told = value.text(text);
        let is_long = told.len() >= 6 && (start == behind || is_machine_made(told));
        return (is_long && may_be_secret(told)).then_some(value);
    }
    let value = Value::at(text, skip_blanks(text, start))?;
    let told = value.text(text);
    let quoted = value.quote.is_some();
    let secret = match joint {
        Joint::Tight => !(told.len() < 8 && name.ends_with("token") && told.bytes().all(|byte| byte.is_ascii_digit())),
        Joint::Loose => (quoted && told.len() >= 4 && !told.contains(' ')) || is_machine_made(told),
        Joint::Flag => {
            !told.starts_with('-') && !told.contains('=') && (quoted || !PROSE.contains(&plain(told).as_str()))
        }
    };
    (secret && may_be_secret(told)).then_some(value)
}

/// The password in curl's `-u name:password`.
fn behind_user(text: &str, end: usize) -> Option<Value> {
    let start = skip_blanks(text, end);
    let value = Value::at(text, start).filter(|_| start > end)?;
    let colon = value.text(text).find(':')? + 1;
    let password = Value {
        start: value.start + colon,
        ..value
    };
    (password.end > password.start && may_be_secret(password.text(text))).then_some(password)
}

/// What stands behind `Bearer`, where no header's name stands before it; `at` is the place of its second letter.
fn behind_bearer(text: &str, at: usize) -> Option<Value> {
    let start = at
        .checked_sub(1)
        .filter(|start| matches!(text.as_bytes()[*start], b'B' | b'b'))?;
    if start
        .checked_sub(1)
        .is_some_and(|before| is_of_name(text.as_bytes()[before]))
    {
        return None;
    }
    let end = start + "bearer".len();
    let start = skip_blanks(text, end);
    let value = Value::at(text, start).filter(|_| start > end)?;
    let told = value.text(text);
    (told.len() >= 12 && is_machine_made(told) && may_be_secret(told)).then_some(value)
}

/// A letter of a name.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The flag that begins at a place, where a blank stands behind it.
fn flag(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if at.checked_sub(1).is_some_and(|before| is_of_name(bytes[before])) {
        return None;
    }
    let longest = bytes.len().min(at + LONGEST.0);
    let len = bytes[at..longest].iter().position(|byte| !is_of_name(*byte))?;
    let end = at + len;
    let long = bytes[at..end].starts_with(b"--") && len > "--".len();
    ((long || &bytes[at..end] == b"-u") && matches!(bytes[end], b' ' | b'\t')).then_some(at..end)
}

/// What the sign at a place joins: the name before it, how, and where what is joined to it begins.
fn joint(text: &str, at: usize) -> Option<(Range<usize>, Joint, usize)> {
    let bytes = text.as_bytes();
    let next = *bytes.get(at + 1)?;
    // The name may be quoted, in JSON also within a text, and be set apart.
    let shortest = at.saturating_sub(LONGEST.0);
    let before = |end: usize, part: &dyn Fn(u8) -> bool| {
        let others = bytes[shortest..end].iter().rposition(|byte| !part(*byte));
        others.map_or(shortest, |other| shortest + other + 1)
    };
    let blank = before(at, &|byte| matches!(byte, b' ' | b'\t'));
    let end = before(blank, &|byte| matches!(byte, b'"' | b'\'' | b'\\'));
    if blank - end > 2 {
        return None;
    }
    let start = before(end, &is_of_name);
    let (joint, behind) = match (bytes[at], next) {
        (b'=', b'=' | b'~') | (b':', b':') => return None,
        (b'=', b'>') | (b':', b'=') => (Joint::Loose, at + 2),
        (b':', _) | (b'=', b' ' | b'\t') => (Joint::Loose, at + 1),
        _ if blank < at => (Joint::Loose, at + 1),
        _ => (Joint::Tight, at + 1),
    };
    (start < end).then_some((start..end, joint, behind))
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let blanks = text.as_bytes()[at..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'));
    at + blanks.count()
}

/// The word at a place, and where it ends.
fn word(text: &str, at: usize) -> (&str, usize) {
    let start = skip_blanks(text, at);
    let len = text.as_bytes()[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    (&text[start..start + len], start + len)
}

/// False for what refers to a secret, or says that there is one, and is none itself.
fn may_be_secret(value: &str) -> bool {
    let beginning = &value[..value.floor_char_boundary(LONGEST.1)];
    let reference =
        value.starts_with(['$', '{', '<', '%', '*', '[', '(', '@', '`', '\\', '…']) || value.starts_with("...");
    let code = beginning.contains(['(', '{', '[']) || beginning.contains("::");
    let names = beginning.contains('.')
        && beginning
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_'));
    !(reference || code || names || NO_SECRETS.contains(&plain(value).as_str()))
}

/// A short word without the signs around it, in small letters.
fn plain(value: &str) -> String {
    if value.len() > 24 {
        return String::new();
    }
    value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// True for what no sentence and no code has behind a colon: letters with digits among them, or with signs of a password.
fn is_machine_made(value: &str) -> bool {
    let beginning = &value.as_bytes()[..value.floor_char_boundary(LONGEST.1)];
    let letters = beginning.iter().any(u8::is_ascii_alphabetic);
    let digits = beginning.iter().any(u8::is_ascii_digit);
    let signs = beginning
        .iter()
        .any(|byte| matches!(byte, b'!' | b'#' | b'%' | b'^' | b'*' | b'$'));
    let dashed = value
        .split(['-', '_', '/'])
        .all(|part| ALGORITHMS.contains(&part.to_lowercase().as_str()) || !has_digit(part));
    value.len() >= 6 && letters && ((digits && !dashed) || (signs && value.len() >= 8)) && !value.starts_with('/')
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// The password in an address whose part with user and host begins at a place: `scheme://user:password@host`; or a long
/// word in the user's place.
fn address(text: &str, start: usize, hidden: &mut Vec<Range<usize>>) {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let longest = text.floor_char_boundary(start.saturating_add(LONGEST.1 * 4));
    let bytes = &text.as_bytes()[start..longest];
    let end = start + bytes.iter().position(ends).unwrap_or(bytes.len());
    let authority = &text[start..end];
    let Some(host) = authority.rfind('@') else { return };
    let user = &authority[..host];
    match user.find(':') {
        Some(colon) => {
            let password = start + colon + 1..start + host;
            if !password.is_empty() && may_be_secret(&text[password.clone()]) {
                hidden.push(password);
            }
        }
        None if user.len() >= 16 && has_digit(user) => hidden.push(start..start + host),
        None => {}
    }
}
