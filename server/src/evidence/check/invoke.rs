//! From a simple command to the runner that it calls: through wrappers, interpreters and shells.
//! What a runner's arguments mean stays out.

use super::Run;
use super::args;
use super::flow::{End, Found, negated};
use super::managers::{self, Managed};
use super::relation::join;
use super::scripts;
use super::state::{Kept, Walk};
use super::table;
use super::through::{ELSEWHERE, interpreter};
use super::walk::reference;
use crate::evidence::shell::programs;
use crate::evidence::shell::readers;
use crate::evidence::shell::walk::MAX_DEPTH;
use crate::evidence::shell::word::Word;

/// Longer folders are not followed (`PATH_MAX` of Linux).
const MAX_FOLDER: usize = 4096;

/// Commands that as good as never fail, or of whose failure nothing follows: filters at the end of a pipe among them.
const HARMLESS: &str = ": . alias awk cat clear column cut date declare echo export fold head less local more nl popd printf pwd \
    read readonly sed shopt sleep sort source tac tail tee tr true typeset ulimit umask unalias unset uniq wc";

impl Walk {
    /// What a program called with these words does to the status; the first is its name. `text` is what stands on its
    /// standard input, where the command says so. None when it cannot be read.
    pub(super) fn invoke(&mut self, words: &[Word], text: Option<&str>, depth: usize) -> Option<End> {
        let Some((head, rest)) = words.split_first() else {
            return Some(End::ZERO);
        };
        if depth > MAX_DEPTH {
            return None;
        }
        self.grammar.work += words.len();
        let path = head.text.as_str();
        if let Some(end) = self.call(path) {
            return end;
        }
        if programs::RESERVED.contains(&path) {
            return None;
        }
        let args: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        let name = program(path);
        if name.contains(['$', '`']) {
            return Some(End::EITHER);
        }
        match name {
            "cd" | "pushd" => {
                return self.change_folder(args.iter().find(|arg| **arg == "-" || !arg.starts_with('-')).copied());
            }
            "popd" => return self.change_folder(Some("-")),
            "set" => {
                self.set_options(&args);
                return Some(End::ZERO);
            }
            "exit" | "return" => return Some(self.exit(args.first().copied())),
            "wait" => {
                self.kept = args
                    .first()
                    .and_then(|arg| reference(arg))
                    .map(|name| Kept::Named(name.to_owned()));
                return Some(End::ZERO);
            }
            "false" => return Some(End::NON_ZERO),
            // The grammar knows one `!` only.
            "!" => {
                let start = self.found.len();
                let end = self.invoke(rest, text, depth + 1)?;
                self.found[start..].iter_mut().for_each(Found::negate);
                return Some(negated(end));
            }
            "eval" => return self.script(&args.join(" "), depth + 1),
            "source" | "." if !args.is_empty() => {
                let found = self.found.len();
                let end = self.project_script(args[0], &args[1..])?;
                // Set-up files of environments as good as never fail.
                return Some(if self.found.len() > found { end } else { End::ZERO });
            }
            "bash" | "sh" | "zsh" | "dash" | "ksh" => return self.subshell(rest, text, depth),
            "find" | "fd" => return self.find(rest, depth),
            _ if HARMLESS.split_whitespace().any(|one| one == name) => return Some(End::ZERO),
            _ => {}
        }
        if name == "coverage"
            && args.first() == Some(&"run")
            && let Some(interpreter) = interpreter("coverage run")
        {
            return self.interpreted(interpreter, &rest[1..], depth);
        }
        // `node --test` is a runner, and node without it an interpreter.
        if let Some(interpreter) = interpreter(name)
            && !(name == "node" && args.contains(&"--test"))
        {
            return self.interpreted(interpreter, rest, depth);
        }
        if let Some((known, behind, mode)) = called(name, &args) {
            let called = args::read(known, mode, &behind, &self.shell.folder);
            return match called {
                Some(called) => self.add_run(called.run, called.masked_by),
                None => Some(End::EITHER),
            };
        }
        if managers::is_manager(name) {
            return match managers::read(name, &args, &self.shell.folder) {
                Managed::Script(run) => self.add_run(run, None),
                Managed::Tool(at, folder) => self.at(folder, |walk| walk.invoke(&rest[at..], text, depth + 1)),
                Managed::Nothing => Some(End::EITHER),
            };
        }
        if let Some(wrapper) = readers::wrapper(name, rest) {
            return match wrapper.inner(rest) {
                Some(at) => self.wrapped(wrapper.name, &rest[..at], &rest[at..], text, depth),
                None => Some(End::EITHER),
            };
        }
        for &(call, values, place) in ELSEWHERE {
            let call: Vec<&str> = call.split(' ').collect();
            if call[0] == name && args.starts_with(&call[1..]) {
                return self.elsewhere(&rest[call.len() - 1..], values, place, depth);
            }
        }
        match path.contains('/') || path.contains('.') {
            true => self.project_script(path, &args),
            false => Some(End::EITHER),
        }
    }

    pub(super) fn add_run(&mut self, run: Run, masked_by: Option<String>) -> Option<End> {
        let mut found = Found::new(run);
        let end = match masked_by {
            Some(by) => {
                found.around(|| by, |_| End::EITHER);
                End::EITHER
            }
            None => End::EITHER,
        };
        self.add(found)?;
        Some(end)
    }

    pub(super) fn project_script(&mut self, path: &str, args: &[&str]) -> Option<End> {
        if let Some(run) = scripts::run(path, args, &self.shell.folder) {
            self.add(Found::new(run))?;
        }
        Some(End::EITHER)
    }

    fn change_folder(&mut self, to: Option<&str>) -> Option<End> {
        let folder = match to {
            None => "~".to_owned(),
            Some("-") => self.shell.before.clone(),
            Some(path) => join(&self.shell.folder, path),
        };
        if folder.len() > MAX_FOLDER {
            return None;
        }
        self.shell.before = std::mem::replace(&mut self.shell.folder, folder);
        Some(End::ZERO)
    }

    /// `set -euo pipefail`, and the same options of a shell that is started.
    pub(super) fn set_options(&mut self, args: &[&str]) {
        for (at, arg) in args.iter().enumerate() {
            let on = arg.starts_with('-');
            if !on && !arg.starts_with('+') || arg.starts_with("--") {
                continue;
            }
            if arg.contains('e') {
                self.shell.errexit = on;
            }
            match args.get(at + 1) {
                Some(&"pipefail") if arg.ends_with('o') => self.shell.pipefail = on,
                Some(&"errexit") if arg.ends_with('o') => self.shell.errexit = on,
                _ => {}
            }
        }
    }

    fn exit(&mut self, with: Option<&str>) -> End {
        let end = match with.unwrap_or("$?") {
            "0" => End::ZERO,
            status if status.bytes().all(|byte| byte.is_ascii_digit()) => End::NON_ZERO,
            status => {
                self.kept = reference(status).map(|name| match name {
                    "?" => Kept::Last,
                    name => Kept::Named(name.to_owned()),
                });
                End::EITHER
            }
        };
        End { exits: true, ..end }
    }

    /// Reads something in another folder, with the shell as it was afterwards.
    pub(super) fn at(&mut self, folder: String, inner: impl FnOnce(&mut Self) -> Option<End>) -> Option<End> {
        self.isolated(|walk| {
            walk.shell.folder = folder;
            inner(walk)
        })
    }
}

/// A program's name without its folder and, from a package manager, its version.
pub(super) fn program(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name.strip_suffix(".cmd").or(name.strip_suffix(".exe")).unwrap_or(name),
    }
}

/// The row that a command calls, the arguments that are no part of the call, and what tells it from others.
pub(super) fn called<'a>(name: &str, args: &[&'a str]) -> Option<(&'static table::Known, Vec<&'a str>, &'static str)> {
    if !table::is_program(name) {
        return None;
    }
    let values = programs::VALUES
        .iter()
        .find(|(program, _)| *program == name)
        .map_or("", |&(_, values)| values);
    let mut operands = Vec::new();
    let mut at = 0;
    while let Some(&arg) = args.get(at).filter(|_| operands.len() < 2) {
        if arg.starts_with('-') && arg.len() > 1 {
            at += usize::from(values.split(' ').any(|value| value == arg));
        } else if !arg.starts_with('+') {
            // `cargo +nightly test`: the toolchain is no word of its own.
            operands.push((at, arg));
        }
        at += 1;
    }
    let words: Vec<&str> = operands.iter().map(|&(_, word)| word).collect();
    let (known, count, mode) = table::called(name, &words)?;
    let skipped: Vec<usize> = operands[..count].iter().map(|&(at, _)| at).collect();
    let behind = args
        .iter()
        .enumerate()
        .filter(|(at, _)| !skipped.contains(at))
        .map(|(_, &arg)| arg)
        .collect();
    Some((known, behind, mode))
}
