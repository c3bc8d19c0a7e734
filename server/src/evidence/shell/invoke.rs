//! What one program does with its arguments, from the tables.
//! How the shell comes to run it stays out.

use super::ShellEffects;
use super::either;
use super::programs;
use super::python;
use super::readers::{self, Filter, Folder, Wrapper, takes_value};
use super::scripts;
use super::walk::{Input, Walk};
use super::word::Word;
use crate::evidence::call::Known;

impl Walk {
    /// What a program called with these words does; the first is its name.
    pub(super) fn invoke(&mut self, words: &[Word], input: &Input, depth: usize) -> ShellEffects {
        let Some((head, args)) = words.split_first() else {
            return ShellEffects::NOTHING;
        };
        // Wrappers may stand before wrappers; `script` has the same limit, and its answer is unknown.
        if depth > super::walk::MAX_DEPTH {
            return self.unknown();
        }
        let Some(name) = head.literal() else {
            return self.unknown();
        };
        if let Some(effects) = self.functions.get(name).copied() {
            return self.noted(name, &[], input, effects);
        }
        if programs::RESERVED.contains(&name) {
            return self.unknown();
        }
        let name = match name.rsplit_once('/') {
            Some((folder, file)) if folder.is_empty() || folder.starts_with('/') => file,
            _ => name,
        };
        match name {
            "eval" => {
                let code: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
                return self.script(&code.join(" "), input, depth + 1);
            }
            "trap" if args.len() > 1 => return self.script(&args[0].text, input, depth + 1),
            "source" | "." => return self.noted(name, args, input, source(args)),
            "cd" => self.writing.go(args),
            "popd" | "pushd" => self.writing.folder = None,
            "bash" | "sh" | "zsh" | "dash" | "ksh" => return self.shell(args, input, depth),
            "find" => return self.find(args, depth),
            "test" | "[" => return test(args),
            _ if python::looks(name, args, input.text.as_deref()) => return ShellEffects::LOOKS,
            "tee" if args.iter().all(|word| word.is_option() || is_device(word)) => return ShellEffects::NOTHING,
            _ => {}
        }
        if let Some(wrapper) = readers::wrapper(name, args) {
            return self.wrapped(wrapper, args, input, depth);
        }
        if let Some(filter) = readers::filter(name) {
            let effects = if filter_looks(filter, args, input) {
                ShellEffects::LOOKS
            } else {
                ShellEffects::NOTHING
            };
            let mutates = scripts::changes(name, args).unwrap_or(Known::No);
            let effects = flagged(effects, name, args).join(ShellEffects::new(Known::No, mutates));
            let second = filter.writes_second && operands(name, args).len() > 1;
            let effects = effects.join(if second {
                ShellEffects::CHANGES
            } else {
                ShellEffects::NOTHING
            });
            return self.noted(name, args, input, effects);
        }
        self.noted(name, args, input, plain(name, args))
    }

    /// What a program does, once it is noted what it changes.
    fn noted(&mut self, name: &str, args: &[Word], input: &Input, effects: ShellEffects) -> ShellEffects {
        self.writing.program(name, args, input, effects);
        effects
    }

    /// `bash -c code`, `bash file`, or code on standard input.
    fn shell(&mut self, args: &[Word], input: &Input, depth: usize) -> ShellEffects {
        let code = args.iter().position(|word| has_letter(word, 'c'));
        let operand = args[code.unwrap_or_default()..]
            .iter()
            .find(|word| !word.is_option() && word.text != "-");
        let folder = self.writing.folder.clone();
        let effects = match (operand, &input.text) {
            (Some(operand), _) if code.is_some() => self.script(&operand.text, input, depth + 1),
            (Some(_), _) => self.noted("", args, input, ShellEffects::RUNS_CODE),
            (None, Some(code)) => self.script(code, &Input::default(), depth + 1),
            (None, None) if is_about_itself(args) => ShellEffects::LOOKS,
            (None, None) => self.unknown(),
        };
        self.writing.folder = folder;
        effects
    }

    /// `find` looks, and does what it is told to do with each file.
    fn find(&mut self, args: &[Word], depth: usize) -> ShellEffects {
        let looks = flagged(ShellEffects::LOOKS, "find", args);
        let mut effects = self.noted("find", args, &Input::default(), looks);
        let mut rest = args;
        while let Some(at) = rest
            .iter()
            .position(|word| programs::FIND_RUNS.contains(&word.text.as_str()))
        {
            rest = &rest[at + 1..];
            let end = rest
                .iter()
                .position(|word| matches!(word.text.as_str(), ";" | "+"))
                .unwrap_or(rest.len());
            let input = Input {
                operands: true,
                ..Input::default()
            };
            effects = effects.join(self.invoke(&rest[..end], &input, depth + 1));
            rest = &rest[end..];
        }
        effects
    }

    /// What a wrapper runs; alone it is a program of its own.
    fn wrapped(&mut self, wrapper: &Wrapper, args: &[Word], input: &Input, depth: usize) -> ShellEffects {
        let own = &args[wrapper.name.split(' ').count() - 1..];
        if wrapper.name == "command" && own.iter().take_while(|word| word.is_option()).any(asks_where) {
            return ShellEffects::LOOKS;
        }
        if let Some(code) = handed(wrapper, own) {
            return self.script(code, input, depth + 1);
        }
        if let Some(at) = wrapper.inner(args) {
            let mut input = input.clone();
            input.operands |= wrapper.name == "xargs";
            let written = flagged(ShellEffects::NOTHING, wrapper.name, &args[..at]);
            let written = self.noted(wrapper.name, &args[..at], &input, written);
            return self.invoke(&args[at..], &input, depth + 1).join(written);
        }
        if matches!(wrapper.name, "sudo" | "doas") && !own.is_empty() {
            // A shell of its own, or an editor.
            return self.unknown();
        }
        let name = wrapper.name.split(' ').next().unwrap_or_default();
        self.noted(name, args, input, plain(name, args))
    }
}

/// The command line that a wrapper is handed as one word: `env -S 'a b'`.
fn handed<'w>(wrapper: &Wrapper, own: &'w [Word]) -> Option<&'w str> {
    if wrapper.name != "env" {
        return None;
    }
    let at = own.iter().take_while(|word| word.is_option()).position(|word| {
        word.text.starts_with("--split-string") || (!word.text.starts_with("--") && word.text.contains('S'))
    })?;
    let word = own.get(at)?.text.as_str();
    let attached = match word.strip_prefix("--split-string") {
        Some(rest) => rest.trim_start_matches('='),
        None => word.split_once('S').map_or("", |(_, rest)| rest),
    };
    if attached.is_empty() {
        own.get(at + 1).map(|next| next.text.as_str())
    } else {
        Some(attached)
    }
}

/// A program that the table of commands describes, or one that nobody described.
fn plain(name: &str, args: &[Word]) -> ShellEffects {
    let operands = operands(name, args);
    let effects = match programs::command(name, &operands) {
        // With a word that is no option these set what they otherwise tell.
        Some(effects) if programs::SETS.contains(&name) && !operands.is_empty() => effects.join(ShellEffects::CHANGES),
        // The shell goes through the folder before an idle program sees the names.
        Some(ShellEffects::NOTHING) if args.iter().any(|word| word.glob) => ShellEffects::LOOKS,
        Some(ShellEffects::NOTHING) => return ShellEffects::NOTHING,
        Some(effects) => effects,
        None => ShellEffects::RUNS_CODE,
    };
    let by_letter = matches!(args, [only] if only.text == "-v" || only.text == "-version");
    if is_about_itself(args) || (by_letter && programs::VERSION_LETTER.contains(&name)) {
        return ShellEffects::LOOKS;
    }
    let sets = |pair: &[Word]| {
        let (option, value) = (pair[0].text.as_str(), pair[1].text.split_once('='));
        option == "-c" && value.is_some_and(|(key, value)| programs::brings_a_program(key, value))
    };
    if name == "git" && (args.windows(2).any(sets) || args.iter().any(|word| word.text.starts_with("--exec-path="))) {
        return ShellEffects::RUNS_CODE;
    }
    let effects = flagged(effects, name, args);
    match operands.first() {
        Some(sub) => flagged(effects, &format!("{name} {sub}"), args),
        None => effects,
    }
}

/// The first two words that are no options of a program.
fn operands<'w>(name: &str, args: &'w [Word]) -> Vec<&'w str> {
    let values = programs::VALUES
        .iter()
        .find(|(program, _)| *program == name)
        .map_or("", |&(_, values)| values);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = args.get(at).filter(|_| found.len() < 2) {
        at += 1;
        if word.is_option() {
            at += usize::from(found.is_empty() && takes_value(word, values));
        } else if !word.text.starts_with('+') {
            // `cargo +nightly test`: the toolchain is no word of its own.
            found.push(word.text.as_str());
        }
    }
    found
}

/// Options that change whether a program writes.
fn flagged(effects: ShellEffects, key: &str, args: &[Word]) -> ShellEffects {
    programs::FLAGS
        .iter()
        .filter(|(program, ..)| *program == key)
        .filter(|(_, flag, mutates)| has_flag(args, flag, *mutates != Known::No))
        .fold(effects, |effects, &(_, _, mutates)| match mutates {
            // What is kept from writing is called for what it shows.
            Known::No => ShellEffects::LOOKS,
            _ => ShellEffects {
                mutates: either(effects.mutates, mutates),
                ..effects
            },
        })
}

/// Whether a filter reads anything but what the commands before it hand over.
fn filter_looks(filter: &Filter, args: &[Word], input: &Input) -> bool {
    if input.file || input.operands {
        return true;
    }
    let mut takes = filter.takes;
    let mut options = true;
    let mut files = false;
    let mut recursive = false;
    let mut at = 0;
    while let Some(word) = args.get(at) {
        at += 1;
        if options && word.text == "--" {
            options = false;
        } else if options && word.is_option() {
            if filter
                .instead
                .split(' ')
                .any(|flag| !flag.is_empty() && matches_flag(word, flag))
            {
                takes = 0;
            }
            recursive |= matches_flag(word, "-r") || matches_flag(word, "-R") || word.text == "--recursive";
            at += usize::from(takes_value(word, filter.values));
        } else if takes > 0 {
            takes -= 1;
        } else if word.text != "-" && !is_device(word) {
            files = true;
        }
    }
    files
        || match filter.folder {
            Folder::Never => false,
            Folder::WhenRecursive => recursive,
            Folder::WithoutPipe => !input.piped,
        }
}

/// Sourcing runs code; set-up scripts of environments only set variables.
fn source(args: &[Word]) -> ShellEffects {
    match args
        .first()
        .and_then(Word::literal)
        .map(|path| path.rsplit('/').next().unwrap_or(path))
    {
        Some("activate" | "env") => ShellEffects::NOTHING,
        _ => ShellEffects::UNKNOWN,
    }
}

fn test(args: &[Word]) -> ShellEffects {
    if args.iter().any(|word| programs::asks_about_file(&word.text)) {
        ShellEffects::LOOKS
    } else {
        ShellEffects::NOTHING
    }
}

fn asks_where(word: &Word) -> bool {
    has_letter(word, 'v') || has_letter(word, 'V')
}

fn is_about_itself(args: &[Word]) -> bool {
    matches!(args, [only] if matches!(only.text.as_str(), "--version" | "--help" | "-V"))
}

fn is_device(word: &Word) -> bool {
    programs::keeps_nothing(&word.text)
}

/// A letter in a cluster of short options.
pub(super) fn has_letter(word: &Word, letter: char) -> bool {
    word.is_option() && !word.text.starts_with("--") && word.text[1..].contains(letter)
}

/// `-x` also within a cluster, `--long` also with a value.
fn matches_flag(word: &Word, flag: &str) -> bool {
    let mut letters = flag.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some(letter), None) => has_letter(word, letter),
        _ => word.text == flag || word.text.split_once('=').is_some_and(|(name, _)| name == flag),
    }
}

/// Whether an option is among the words; one that `writes` is harmless with some values.
fn has_flag(args: &[Word], flag: &str, writes: bool) -> bool {
    args.iter().enumerate().any(|(at, word)| {
        if !matches_flag(word, flag) {
            return false;
        }
        let attached = match word.text.split_once('=') {
            Some((_, value)) => value,
            None => flag
                .chars()
                .nth(1)
                .and_then(|letter| word.text.split_once(letter))
                .map_or("", |(_, value)| value),
        };
        let value = if attached.is_empty() || word.text.starts_with("--") && !word.text.contains('=') {
            args.get(at + 1).map_or("", |next| next.text.as_str())
        } else {
            attached
        };
        !writes || !programs::HARMLESS_VALUES.contains(&value)
    })
}
