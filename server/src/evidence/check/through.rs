//! Commands that run another: shells, interpreters, wrappers, `find`, containers and other hosts.
//! Runners, and what their arguments mean, stay out.

use super::flow::End;
use super::invoke::{called, program};
use super::relation::join;
use super::state::Walk;
use super::{Purpose, args, scripts, table};
use crate::evidence::shell::programs;
use crate::evidence::shell::readers::takes_value;
use crate::evidence::shell::word::Word;

/// A program that runs a file of code.
pub(super) struct Interpreter {
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
pub(super) const ELSEWHERE: &[(&str, &str, &str)] = &[
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
    /// `bash -c code`, `bash file`, or code on standard input.
    pub(super) fn subshell(&mut self, words: &[Word], text: Option<&str>, depth: usize) -> Option<End> {
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
    pub(super) fn find(&mut self, words: &[Word], depth: usize) -> Option<End> {
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

    pub(super) fn interpreted(&mut self, interpreter: &Interpreter, words: &[Word], depth: usize) -> Option<End> {
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
    pub(super) fn wrapped(
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
    pub(super) fn elsewhere(&mut self, words: &[Word], values: &str, place: &str, depth: usize) -> Option<End> {
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

/// The interpreter of this name.
pub(super) fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|one| one.name == name)
}
