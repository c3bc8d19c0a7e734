//! Code mode: the model writes JavaScript for one tool, and calls the others from it. What such a script asks for.
//! Nothing is run, and whatever is not plain is said to be so; what came of the calls is told elsewhere.

use serde::{Deserialize, Serialize};

use crate::evidence::shell::patch;
use crate::text::redact;

/// Calls of one script that are looked at.
const MAX_ASKED: usize = 64;
/// Stands for a folder that is known at run time only.
pub(super) const AT_RUN_TIME: &str = "$workdir";
/// Words and signs of a script that are looked at.
const MAX_TOKENS: usize = 50_000;

/// One call that a script asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// The tool.
    pub(super) tool: String,
    /// What it was asked.
    pub(super) what: What,
    /// The id under which it was shown; none before that.
    pub(super) id: Option<String>,
}

/// What a tool was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum What {
    /// To run a command.
    Command {
        /// The command.
        command: String,
        /// The folder that it names for itself; [`AT_RUN_TIME`] for one that nobody can read in the script.
        folder: Option<String>,
    },
    /// To patch files: those that the patch names, where it stands in the script.
    Patch(Vec<String>),
    /// To look at a running command, or to type into it.
    Process {
        /// Its number, where it stands in the script.
        number: Option<i64>,
        /// True when something is typed.
        typed: bool,
    },
    /// Anything else.
    Other,
}

/// What a script asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The calls, in the order of the script.
    pub(super) asked: Vec<Asked>,
    /// False when there may be more: a command put together at run time, a tool by another name.
    pub(super) plain: bool,
}

/// Reads a script. `tools.name(...)` is a call; a script that does anything else with `tools` is not plain.
pub(super) fn read(source: &str) -> Source {
    let (tokens, mut plain) = tokens(source);
    let mut asked = Vec::new();
    let mut looked_at = 0;
    for (at, token) in tokens.iter().enumerate() {
        let member = at
            .checked_sub(1)
            .is_some_and(|before| tokens[before] == Token::Sign('.'));
        if *token != Token::Word("tools") || member {
            continue;
        }
        match tokens.get(at + 1..) {
            Some([Token::Sign('.'), Token::Word(name), Token::Sign('('), arguments @ ..]) if looked_at < MAX_ASKED => {
                // Each may be looked through to the script's end, those in vain too.
                looked_at += 1;
                match what(name, arguments) {
                    Some(what) => asked.push(Asked {
                        tool: (*name).to_owned(),
                        what,
                        id: None,
                    }),
                    None => plain = false,
                }
            }
            _ => plain = false,
        }
    }
    Source { asked, plain }
}

/// What a tool is asked; none when that is decided at run time.
fn what(tool: &str, arguments: &[Token<'_>]) -> Option<What> {
    match tool {
        "exec_command" => match member(arguments, "cmd")? {
            Token::Text(Some(command)) => Some(What::Command {
                // It is stored while the script goes on.
                command: redact(command).into_owned(),
                folder: folder(arguments),
            }),
            _ => None,
        },
        "apply_patch" => match arguments.first() {
            Some(Token::Text(Some(text))) => Some(What::Patch(patch::files(text))),
            _ => Some(What::Other),
        },
        "write_stdin" => {
            let number = match member(arguments, "session_id") {
                Some(Token::Word(number)) => number.parse().ok(),
                _ => None,
            };
            let typed = match member(arguments, "chars") {
                Some(Token::Text(Some(chars))) => !chars.is_empty(),
                Some(_) => true,
                None => false,
            };
            Some(What::Process { number, typed })
        }
        _ => Some(What::Other),
    }
}

/// The folder that a command's arguments name.
fn folder(arguments: &[Token<'_>]) -> Option<String> {
    const NAME: &str = "workdir";
    if let Some(Token::Text(Some(folder))) = member(arguments, NAME) {
        return Some(folder.clone());
    }
    let end = arguments.iter().position(|token| *token == Token::Sign(')'));
    let mut own = arguments[..end.unwrap_or(arguments.len())].iter();
    let named = own.any(|token| *token == Token::Word(NAME) || *token == Token::Text(Some(NAME.to_owned())));
    named.then(|| AT_RUN_TIME.to_owned())
}

/// The value of a member of the object that the arguments begin with, when that value is one token.
fn member<'t, 's>(arguments: &'t [Token<'s>], name: &str) -> Option<&'t Token<'s>> {
    let mut depth = 0_usize;
    for (at, token) in arguments.iter().enumerate() {
        match token {
            Token::Sign('{' | '[' | '(') => depth += 1,
            Token::Sign('}' | ']' | ')') if depth <= 1 => return None,
            Token::Sign('}' | ']' | ')') => depth -= 1,
            _ => {}
        }
        if at == 0 && *token != Token::Sign('{') {
            return None;
        }
        let key = match token {
            Token::Word(word) => *word == name,
            Token::Text(Some(text)) => text == name,
            _ => false,
        };
        if depth == 1
            && key
            && let Some([Token::Sign(':'), value, Token::Sign(',' | '}'), ..]) = arguments.get(at + 1..)
        {
            return Some(value);
        }
    }
    None
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A name or a number.
    Word(&'a str),
    /// A string; none when part of it is put in at run time.
    Text(Option<String>),
    Sign(char),
}

/// The words, strings and signs of a script, and whether these are all. A slash may begin a regular expression, in which
/// quotes are no quotes: nobody can tell what follows.
fn tokens(source: &str) -> (Vec<Token<'_>>, bool) {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut plain = true;
    while let Some(first) = rest.chars().next() {
        if tokens.len() == MAX_TOKENS {
            return (tokens, false);
        }
        if first.is_whitespace() {
            rest = rest.trim_start();
        } else if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if is_name(first) {
            let end = rest.find(|other| !is_name(other)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..end]));
            rest = &rest[end..];
        } else if matches!(first, '"' | '\'' | '`') {
            let Some((text, after)) = string(&rest[1..], first) else {
                return (tokens, false);
            };
            tokens.push(Token::Text(text));
            rest = after;
        } else {
            plain &= first != '/';
            tokens.push(Token::Sign(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    (tokens, plain)
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The string that ends with `quote`, and what follows it; none when it does not end.
fn string(source: &str, quote: char) -> Option<(Option<String>, &str)> {
    let mut text = String::new();
    let mut fixed = true;
    let mut letters = source.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            let text = fixed.then_some(text);
            return Some((text, &source[at + 1..]));
        }
        if letter == '$' && quote == '`' && source[at..].starts_with("${") {
            fixed = false;
        }
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        let (at, escaped) = letters.next()?;
        match escaped {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'v' => text.push('\u{b}'),
            '0' => text.push('\0'),
            '\n' => {}
            'x' | 'u' => {
                let (digits, skipped) = code(&source[at..])?;
                // Half of a surrogate pair is no character.
                text.push(char::from_u32(digits).unwrap_or(char::REPLACEMENT_CHARACTER));
                for _ in 0..skipped {
                    letters.next();
                }
            }
            other => text.push(other),
        }
    }
    None
}

/// The number of an escape such as `x1b`, `u00e9` or `u{1f600}`, and how many characters stand behind its letter.
fn code(escape: &str) -> Option<(u32, usize)> {
    if let Some(braced) = escape.strip_prefix("u{") {
        let digits = braced.get(..braced.find('}')?)?;
        return Some((u32::from_str_radix(digits, 16).ok()?, digits.len() + 2));
    }
    let count = if escape.starts_with('x') { 2 } else { 4 };
    let digits = escape.get(1..=count)?;
    Some((u32::from_str_radix(digits, 16).ok()?, count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The calls in short: tool, and command or process; `?` behind a script that is not plain.
    fn short(source: &str) -> String {
        let Source { asked, plain } = read(source);
        let mut calls: Vec<String> = asked
            .iter()
            .map(|asked| match &asked.what {
                What::Command { command, folder } => {
                    let folder = folder.as_ref().map(|folder| format!(" in {folder}"));
                    format!("{}<{command}>{}", asked.tool, folder.unwrap_or_default())
                }
                What::Patch(files) => format!("{}{files:?}", asked.tool),
                What::Process { number, typed } => format!("{}<{number:?} {typed}>", asked.tool),
                What::Other => asked.tool.clone(),
            })
            .collect();
        if !plain {
            calls.push("?".to_owned());
        }
        calls.join(" ")
    }

    #[test]
    fn a_script_names_what_it_asks_for() {
        for (source, calls) in [
            ("", ""),
            ("text('hi')", ""),
            ("text('tools.exec_command({cmd: 1})') // tools", ""),
            (
                "await tools.exec_command({cmd: 'cat a.txt'});",
                "exec_command<cat a.txt>",
            ),
            (
                r#"tools.exec_command({"cmd":"a \"b\"\n\u00e9\x41\u{41}","workdir":"/p"})"#,
                "exec_command<a \"b\"\néAA> in /p",
            ),
            (
                "tools.exec_command({ workdir: f({cmd: 'no'}), cmd: `a`, })",
                "exec_command<a> in $workdir",
            ),
            (
                "Promise.all([tools.exec_command({cmd: 'a'}), tools.exec_command({cmd: 'b'})])",
                "exec_command<a> exec_command<b>",
            ),
            ("tools.exec_command({cmd: `a ${b}`})", "?"),
            ("tools.exec_command({cmd: 'a' + b})", "?"),
            ("tools.exec_command({cmd})", "?"),
            ("tools.exec_command(a)", "?"),
            ("const {exec_command} = tools;", "?"),
            ("tools['exec_command']({cmd: 'a'})", "?"),
            ("a.tools.x()", ""),
            ("tools.exec_command({cmd: 'a'", "?"),
            ("tools.exec_command({cmd: 'a", "?"),
            (
                "x.replace(/'/g, y); tools.exec_command({cmd: 'a'}); x.replace(/'/, y)",
                "?",
            ),
            ("x.replace(/'/g, ''); tools.exec_command({cmd: 'a'})", "?"),
            (
                "tools.write_stdin({session_id: 17, chars: ''})",
                "write_stdin<Some(17) false>",
            ),
            (
                "tools.write_stdin({session_id: id, chars: 'y\\n'})",
                "write_stdin<None true>",
            ),
            (
                "tools.apply_patch('*** Begin Patch\\n*** Add File: a\\n')",
                "apply_patch[\"a\"]",
            ),
            ("tools.apply_patch(p)", "apply_patch"),
            ("tools.mcp__git__get_issue({id: 1})", "mcp__git__get_issue"),
        ] {
            let shown = short(source);
            if calls == "?" {
                assert!(shown.ends_with('?'), "{source}: {shown}");
            } else {
                assert_eq!(shown, calls, "{source}");
            }
        }
        let many = "tools.exec_command({cmd: 'a'});".repeat(MAX_ASKED + 1);
        assert_eq!((read(&many).asked.len(), read(&many).plain), (MAX_ASKED, false));
    }

    #[test]
    fn long_scripts_take_linear_time() {
        for source in [
            "tools.exec_command({a:".repeat(200_000),
            "'\\u{".repeat(200_000),
            "`${".repeat(200_000),
        ] {
            assert!(!read(&source).plain);
        }
    }

    proptest! {
        #[test]
        fn no_script_panics(source in "(tools\\.exec_command\\(\\{cmd:|['\"`\\\\ux{}/*\n]|é|\\$\\{|[0-9a-f]){0,60}") {
            read(&source);
        }

        #[test]
        fn any_command_is_read_as_it_was_written(command in any::<String>()) {
            let source = format!("tools.exec_command({{cmd: {}}})", serde_json::to_string(&command).unwrap());
            let what = What::Command { command, folder: None };
            let expected = [Asked { tool: "exec_command".to_owned(), what, id: None }];
            prop_assert_eq!(&read(&source).asked[..], &expected[..]);
        }
    }
}
