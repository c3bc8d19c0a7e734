//! What the programs that are handed to `sed` and `awk` do beside printing: the files they write, the commands they run.
//! What they print stays out, and so do the files that they are applied to.

use std::iter::Peekable;
use std::str::Chars;

use super::either;
use super::word::Word;
use crate::evidence::call::Known;

/// Whether the script of a `sed` or `awk` changes anything; none for any other program. A script that is not seen may
/// do anything.
pub(super) fn changes(name: &str, args: &[Word]) -> Option<Known> {
    match name {
        "sed" => Some(of_sed(args)),
        "awk" | "gawk" => Some(of_awk(args)),
        _ => None,
    }
}

/// `sed [-nE] [-e script | script] file`: the letter that takes a script may stand in a cluster.
fn of_sed(args: &[Word]) -> Known {
    let (mut scripts, mut operand, mut changes) = (String::new(), None, Known::No);
    let mut at = 0;
    while let Some(word) = args.get(at) {
        at += 1;
        let mut take = |attached: &str| {
            if !attached.is_empty() {
                return attached.to_owned();
            }
            at += 1;
            args.get(at - 1).map_or_else(String::new, |next| next.text.clone())
        };
        let script = match word.text.strip_prefix("--") {
            Some("expression") => Some(take("")),
            Some(long) if long.starts_with("expression=") => Some(long["expression=".len()..].to_owned()),
            Some(long) if long.starts_with("file") => {
                changes = Known::Unknown;
                None
            }
            Some(_) => None,
            None if word.is_option() => match word.text.find(['e', 'f', 'i']) {
                Some(letter) if word.text[letter..].starts_with('e') => Some(take(&word.text[letter + 1..])),
                Some(letter) if word.text[letter..].starts_with('f') => {
                    changes = Known::Unknown;
                    None
                }
                _ => None,
            },
            None => {
                operand = operand.or(Some(&word.text));
                None
            }
        };
        if let Some(script) = script {
            scripts.push_str(&script);
            scripts.push('\n');
        }
    }
    if scripts.is_empty() && changes == Known::No {
        scripts = operand.cloned().unwrap_or_default();
    }
    either(changes, sed(&scripts))
}

/// `awk [-F x] [-v x=y] program file`; what comes from files of its own is not seen.
fn of_awk(args: &[Word]) -> Known {
    let mut at = 0;
    while let Some(word) = args.get(at).filter(|word| word.is_option()) {
        at += 1;
        let mut letters = word.text.chars().skip(1);
        let attached = letters.clone().nth(1).is_some();
        match letters.next() {
            Some('F' | 'v') => at += usize::from(!attached),
            Some('-') if word.text == "--" => break,
            Some('-') if ["--version", "--re-interval", "--posix", "--csv"].contains(&word.text.as_str()) => {}
            Some('i') if args.get(at).is_some_and(|next| next.text == "inplace") => return Known::Yes,
            _ => return Known::Unknown,
        }
    }
    args.get(at).map_or(Known::No, |program| awk(&program.text))
}

/// A script that is read from its beginning.
struct Script<'s>(Peekable<Chars<'s>>);

impl Script<'_> {
    /// What stands up to the next `end`, which is taken too; none when there is none. Within brackets it is a letter.
    fn up_to(&mut self, end: char) -> Option<String> {
        let (mut text, mut class) = (String::new(), 0);
        while let Some(letter) = self.0.next() {
            match letter {
                '\\' => text.extend(self.0.next()),
                _ if letter == end && class == 0 => return Some(text),
                '[' if class == 0 => class = 1,
                // The first letter of a class may be the bracket that ends others.
                ']' if class > 1 => class = 0,
                '^' if class == 1 => {}
                _ => class += usize::from(class > 0),
            }
            text.push(letter);
        }
        None
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        for letter in self.0.by_ref().take_while(|letter| *letter != '\n') {
            line.push(letter);
        }
        line
    }

    fn skip(&mut self, letters: impl Fn(char) -> bool) {
        while self.0.next_if(|letter| letters(*letter)).is_some() {}
    }
}

/// Whether a file that is written is one that keeps nothing.
fn into(file: &str) -> Known {
    if ["/dev/stdout", "/dev/stderr", "/dev/null", "-"].contains(&file.trim()) {
        Known::No
    } else {
        Known::Yes
    }
}

/// What a script of `sed` (GNU 4.9) changes: `w` writes, `e` runs a command.
fn sed(script: &str) -> Known {
    let mut script = Script(script.chars().peekable());
    let mut changes = Known::No;
    while let Some(letter) = script.0.next() {
        let known = match letter {
            ' ' | '\t' | '\n' | ';' | '{' | '}' | '0'..='9' | '$' | '!' | ',' | '+' | '~' | 'I' | 'M' => {
                Some(Known::No)
            }
            'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' | '=' | 'q' | 'Q' | 'l' => {
                Some(Known::No)
            }
            '/' => script.up_to('/').map(|_| Known::No),
            '\\' => script.0.next().and_then(|end| script.up_to(end)).map(|_| Known::No),
            'y' => two_parts(&mut script).map(|()| Known::No),
            's' => two_parts(&mut script).map(|()| {
                script.skip(|letter| letter.is_ascii_digit() || "gpiImM".contains(letter));
                match script.0.next_if(|letter| *letter == 'w' || *letter == 'e') {
                    Some('w') => into(&script.line()),
                    Some(_) => Known::Unknown,
                    None => Known::No,
                }
            }),
            'w' | 'W' => Some(into(&script.line())),
            'b' | 't' | 'T' | ':' => {
                script.skip(|letter| !"\n;}".contains(letter));
                Some(Known::No)
            }
            '#' | 'a' | 'i' | 'c' | 'r' | 'R' => {
                script.line();
                Some(Known::No)
            }
            _ => None,
        };
        let Some(known) = known else {
            return either(changes, Known::Unknown);
        };
        changes = either(changes, known);
    }
    changes
}

/// The two parts of `s/…/…/` and `y/…/…/`; none when they don't end.
fn two_parts(script: &mut Script<'_>) -> Option<()> {
    let end = script.0.next()?;
    script.up_to(end)?;
    script.up_to(end)?;
    Some(())
}

/// What a program of `awk` changes: `print > file` writes, a pipe and `system` run a command.
fn awk(program: &str) -> Known {
    let mut program = Script(program.chars().peekable());
    // A slash begins a pattern where no value stands before it.
    let (mut changes, mut value, mut depth, mut printing) = (Known::No, false, 0_usize, None);
    while let Some(letter) = program.0.next() {
        match letter {
            '"' => _ = string(&mut program),
            '#' => _ = program.line(),
            '/' if !value => _ = program.up_to('/'),
            '|' if program.0.next_if_eq(&'|').is_none() => changes = either(changes, Known::Unknown),
            '@' => changes = either(changes, Known::Unknown),
            '>' if printing == Some(depth) => {
                program.skip(|letter| letter == '>' || letter == ' ');
                let quoted = program.0.next_if_eq(&'"').is_some();
                let known = if quoted {
                    into(&string(&mut program))
                } else {
                    Known::Yes
                };
                changes = either(changes, known);
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '{' | '}' | ';' | '\n' => printing = None,
            _ => {}
        }
        let mut keyword = false;
        if letter.is_alphabetic() || letter == '_' {
            let mut name = String::from(letter);
            while let Some(more) = program.0.next_if(|more| more.is_alphanumeric() || *more == '_') {
                name.push(more);
            }
            keyword = ["print", "printf", "return", "in", "else", "do", "case"].contains(&name.as_str());
            if name.starts_with("print") && keyword {
                printing = Some(depth);
            }
            if name == "system" {
                changes = either(changes, Known::Unknown);
            }
        }
        if !letter.is_whitespace() {
            value = (letter.is_alphanumeric() && !keyword) || "\")]_".contains(letter) || (letter == '/' && !value);
        }
    }
    changes
}

/// The rest of a string, whose first quote was taken.
fn string(program: &mut Script<'_>) -> String {
    let mut text = String::new();
    while let Some(letter) = program.0.next() {
        match letter {
            '\\' => text.extend(program.0.next()),
            '"' => break,
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scripts_of_sed() {
        for (script, expected) in [
            ("s/a/b/", Known::No),
            ("1,20p;$!d", Known::No),
            ("/x/,/y/{s|a/w|b|g;p}", Known::No),
            ("s/[/w]/x/gI2", Known::No),
            ("s/[]/w f]/x/", Known::No),
            (r"s/\/w f/x/p", Known::No),
            (r"\#w f#d", Known::No),
            ("y/abc/wef/", Known::No),
            (":w;N;bw;s/\\n/ /", Known::No),
            ("a wrote this", Known::No),
            ("# w f\np", Known::No),
            ("s/a/b/w /dev/stderr", Known::No),
            ("s/a/b/w f", Known::Yes),
            ("s/a/b/gpw f", Known::Yes),
            ("/x/w f", Known::Yes),
            ("p;W f", Known::Yes),
            ("s/a/b/e", Known::Unknown),
            ("1e touch f", Known::Unknown),
            ("s/a/b", Known::Unknown),
            ("é", Known::Unknown),
        ] {
            assert_eq!(sed(script), expected, "{script}");
        }
    }

    #[test]
    fn programs_of_awk() {
        for (program, expected) in [
            ("{print $1}", Known::No),
            ("$1 > 5 {print $2}", Known::No),
            ("{print ($1 > 5)}", Known::No),
            ("{print $1; if ($2 > 3) n++}", Known::No),
            ("/a|b > c/ {print}", Known::No),
            ("$0 ~ /x|y/ || $1 / 2 > 3", Known::No),
            ("{print \"a > b | system(\"}", Known::No),
            ("{print > \"/dev/stderr\"}", Known::No),
            ("# system(\"x\")", Known::No),
            ("{n = split($0, a, /[/|]/); print n / 2}", Known::No),
            ("{print > \"f\"}", Known::Yes),
            ("{printf \"%s\", $1 >> $2}", Known::Yes),
            ("{print $1, $2 > FILENAME \".bak\"}", Known::Yes),
            ("BEGIN{system(\"rm f\")}", Known::Unknown),
            ("{print | \"sh\"}", Known::Unknown),
            ("BEGIN{\"date\" | getline d}", Known::Unknown),
            ("@load \"x\"; {print}", Known::Unknown),
        ] {
            assert_eq!(awk(program), expected, "{program}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_text_is_read(text in "(?s).{0,400}|[sywae/\\[\\]\\\\|>\"(){};#\\n $^p]{0,400}") {
            sed(&text);
            awk(&text);
        }
    }
}
