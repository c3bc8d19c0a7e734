//! From a simple command to the runner that it calls: through wrappers, interpreters and shells.
//! What a runner's arguments mean stays out.

use super::args;
use super::flow::{End, Found, negated};
use super::managers::{self, Managed};
use super::relation::join;
use super::scripts;
use super::table;
use super::walk::{Kept, Walk, reference};
use super::{Purpose, Run};
use crate::evidence::shell::programs;
use crate::evidence::shell::readers::{self, takes_value};
use crate::evidence::shell::walk::MAX_DEPTH;
use crate::evidence::shell::word::Word;

/// Longer folders are not followed (`PATH_MAX` of Linux).
const MAX_FOLDER: usize = 4096;

/// Commands that as good as never fail, or of whose failure nothing follows: filters at the end of a pipe among them.
const HARMLESS: &str = ": . alias awk cat clear column cut date declare echo export fold head less local more nl popd printf pwd \
    read readonly sed shopt sleep sort source tac tail tee tr true typeset ulimit umask unalias unset uniq wc";

/// A program that runs a file of code.
struct Interpreter {
    /// Its name; a version may stand behind it.
    name: &'static str,
    /// Options whose value is the next word.
    values: &'static str,
    /// Options with which it runs no file.
    code: &'static str,
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        name: "python",
        values: "-W -X",
        code: "-c",
    },
    Interpreter {
        name: "pypy",
        values: "-W -X",
        code: "-c",
    },
    Interpreter {
        name: "py",
        values: "-W -X",
        code: "-c",
    },
    Interpreter {
        name: "coverage run",
        values: "--source --omit --include --rcfile --context --data-file --concurrency",
        code: "",
    },
    Interpreter {
        name: "ruby",
        values: "-I -r -C",
        code: "-e -c",
    },
    Interpreter {
        name: "perl",
        values: "-I -M",
        code: "-e -E -c",
    },
    Interpreter {
        name: "php",
        values: "-d -c",
        code: "-r -l",
    },
    Interpreter {
        name: "node",
        values: "-r -C --require --import --loader --env-file",
        code: "-e -p -c --eval --print --check",
    },
    Interpreter {
        name: "tsx",
        values: "-r --require --import --tsconfig",
        code: "-e --eval",
    },
    Interpreter {
        name: "ts-node",
        values: "-r --require -P --project",
        code: "-e --eval",
    },
];

/// Programs that run a command elsewhere: their first words, the options that take a value, and what the place is.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    (
        "docker compose exec",
        "-e -u -w --env --user --workdir --index",
        "container",
    ),
    (
        "docker compose run",
        "-e -u -w -v -p --env --user --workdir --volume --entrypoint --name",
        "container",
    ),
    ("docker exec", "-e -u -w --env --user --workdir --env-file", "container"),
    (
        "docker run",
        "-e -u -w -v -p --env --user --workdir --volume --entrypoint --name --network --platform --mount -m --env-file",
        "container",
    ),
    ("docker-compose exec", "-e -u -w --env --user --workdir", "container"),
    (
        "docker-compose run",
        "-e -u -w -v --env --user --workdir --volume --entrypoint --name",
        "container",
    ),
    ("podman exec", "-e -u -w --env --user --workdir", "container"),
    (
        "podman run",
        "-e -u -w -v -p --env --user --workdir --volume --entrypoint --name --network",
        "container",
    ),
    ("kubectl exec", "-c -n --container --namespace", "container"),
    ("ssh", "-i -p -o -l -F -J", "host"),
];

/// Options of wrappers that name the folder to run in.
const FOLDERS: [&str; 4] = ["--directory", "--chdir", "--cwd", "-C"];

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

    fn add_run(&mut self, run: Run, masked_by: Option<String>) -> Option<End> {
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

    fn project_script(&mut self, path: &str, args: &[&str]) -> Option<End> {
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
    fn set_options(&mut self, args: &[&str]) {
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
    fn at(&mut self, folder: String, inner: impl FnOnce(&mut Self) -> Option<End>) -> Option<End> {
        self.isolated(|walk| {
            walk.shell.folder = folder;
            inner(walk)
        })
    }

    /// `bash -c code`, `bash file`, or code on standard input.
    fn subshell(&mut self, words: &[Word], text: Option<&str>, depth: usize) -> Option<End> {
        let is_letters =
            |word: &Word, letter| word.is_option() && !word.text.starts_with("--") && word.text.contains(letter);
        let mut at = 0;
        while words
            .get(at)
            .is_some_and(|word| word.text.len() > 1 && word.text.starts_with(['-', '+']))
        {
            at += if takes_value(&words[at], "-o -O --rcfile --init-file") {
                2
            } else {
                1
            };
        }
        let at = at.min(words.len());
        let (options, operands) = words.split_at(at);
        let options_text: Vec<&str> = options.iter().map(|word| word.text.as_str()).collect();
        if options
            .iter()
            .any(|word| is_letters(word, 'n') && !word.text.contains('o'))
        {
            return Some(End::EITHER);
        }
        let code = match operands.first() {
            Some(code) if options.iter().any(|word| is_letters(word, 'c')) => code.text.as_str(),
            Some(file) if file.text != "-" => {
                let args: Vec<&str> = operands[1..].iter().map(|word| word.text.as_str()).collect();
                return self.project_script(&file.text, &args);
            }
            _ => match text {
                Some(text) => text,
                None => return Some(End::EITHER),
            },
        };
        self.isolated(|walk| {
            (walk.shell.pipefail, walk.shell.errexit) = (false, false);
            walk.set_options(&options_text);
            walk.script(code, depth + 1)
        })
    }

    /// `find` does what it is told to do with each file.
    fn find(&mut self, words: &[Word], depth: usize) -> Option<End> {
        let mut rest = words;
        let runs = |word: &Word| {
            programs::FIND_RUNS.contains(&word.text.as_str()) || matches!(word.text.as_str(), "-x" | "-X")
        };
        while let Some(at) = rest.iter().position(runs) {
            let each = !matches!(rest[at].text.as_str(), "-X");
            rest = &rest[at + 1..];
            let end = rest
                .iter()
                .position(|word| matches!(word.text.as_str(), ";" | "+"))
                .unwrap_or(rest.len());
            let start = self.found.len();
            self.isolated(|walk| walk.invoke(&rest[..end], None, depth + 1))?;
            if each && rest.get(end).is_none_or(|word| word.text == ";") {
                self.found[start..]
                    .iter_mut()
                    .for_each(|found| found.hide("find -exec"));
            }
            rest = &rest[end..];
        }
        Some(End::EITHER)
    }

    fn interpreted(&mut self, interpreter: &Interpreter, words: &[Word], depth: usize) -> Option<End> {
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|word| word.is_option()) {
            if word.text == "-m" && matches!(interpreter.name, "python" | "pypy" | "py" | "coverage run") {
                return match words.get(at + 1) {
                    Some(module) if table::is_program(&module.text) || module.text == "coverage" => {
                        self.invoke(&words[at + 1..], None, depth + 1)
                    }
                    Some(module) => {
                        let args: Vec<&str> = words[at + 2..].iter().map(|word| word.text.as_str()).collect();
                        self.project_script(&format!("{}.py", module.text.replace('.', "/")), &args)
                    }
                    None => Some(End::EITHER),
                };
            }
            if interpreter.code.split(' ').any(|code| word.text == code) {
                return Some(End::EITHER);
            }
            at += if takes_value(word, interpreter.values) { 2 } else { 1 };
        }
        let Some(file) = words.get(at) else {
            return Some(End::EITHER);
        };
        let args: Vec<&str> = words[at..].iter().map(|word| word.text.as_str()).collect();
        if let Some(known) =
            scripts::runner_of_file(interpreter.name, &file.text).and_then(|name| table::of_runner(name).next())
        {
            return match args::read(known, "", &args, &self.shell.folder) {
                Some(called) => self.add_run(called.run, called.masked_by),
                None => Some(End::EITHER),
            };
        }
        let tool = program(&file.text);
        if called(tool, &args[1..]).is_some() {
            return self.invoke(&words[at..], None, depth + 1);
        }
        self.project_script(&file.text, &args[1..])
    }

    /// What a wrapper runs: `own` are its words, `inner` those of what it runs.
    fn wrapped(
        &mut self,
        wrapper: &str,
        own: &[Word],
        inner: &[Word],
        text: Option<&str>,
        depth: usize,
    ) -> Option<End> {
        let asks_where = |word: &Word| word.text.starts_with('-') && word.text.contains(['v', 'V']);
        if wrapper == "command" && own.iter().any(asks_where) {
            return Some(End::EITHER);
        }
        let mut folder = self.shell.folder.clone();
        for (at, word) in own.iter().enumerate() {
            let (name, value) = match word.text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.text.as_str(), own.get(at + 1).map(|next| next.text.as_str())),
            };
            if let Some(value) = value.filter(|_| FOLDERS.contains(&name)) {
                folder = join(&folder, value);
            }
        }
        let mut inner = inner.to_vec();
        if wrapper == "xargs" && !inner.iter().any(|word| word.text.contains("{}")) {
            inner.push(Word {
                text: "{}".to_owned(),
                fixed: true,
                glob: false,
            });
        }
        let start = self.found.len();
        let end = self.at(folder, |walk| walk.invoke(&inner, text, depth + 1));
        if wrapper == "watch" {
            for found in &mut self.found[start..] {
                found.run.purpose = Purpose::NothingRun("watch: it never ends by itself".to_owned());
            }
        }
        end
    }

    /// A command in a container or on another host, where nobody knows the folder.
    fn elsewhere(&mut self, words: &[Word], values: &str, place: &str, depth: usize) -> Option<End> {
        let mut at = 0;
        while let Some(word) = words.get(at).filter(|word| word.is_option()) {
            at += if takes_value(word, values) { 2 } else { 1 };
        }
        let Some(named) = words.get(at) else {
            return Some(End::EITHER);
        };
        let mut inner = &words[at + 1..];
        if inner.first().is_some_and(|word| word.text == "--") {
            inner = &inner[1..];
        }
        let folder = format!("{place}:{}", named.text.replace('/', "_"));
        self.at(folder, |walk| {
            (walk.shell.pipefail, walk.shell.errexit) = (false, false);
            match place {
                "host" => {
                    let code: Vec<&str> = inner.iter().map(|word| word.text.as_str()).collect();
                    walk.script(&code.join(" "), depth + 1)
                }
                _ => walk.invoke(inner, None, depth + 1),
            }
        })
    }
}

/// A program's name without its folder and, from a package manager, its version.
fn program(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name.strip_suffix(".cmd").or(name.strip_suffix(".exe")).unwrap_or(name),
    }
}

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|one| one.name == name)
}

/// The row that a command calls, the arguments that are no part of the call, and what tells it from others.
fn called<'a>(name: &str, args: &[&'a str]) -> Option<(&'static table::Known, Vec<&'a str>, &'static str)> {
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
