//! Which files a command changes, as far as its text names them.
//! How the command comes to run stays out: the walk tells what runs, where, and whether it is sure to.

#[cfg(test)]
mod tests;

use super::patch::{self, MAX_FILES};
use super::readers::takes_value;
use super::walk::Input;
use super::word::Word;
use super::{ShellEffects, grammar, walk};
use crate::evidence::call::Known;
use crate::evidence::check::join;

/// What a command changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The files that it names, as seen from the folder in which it is given, in its order.
    pub(crate) files: Vec<Changed>,
    /// Whether it changes anything beside them.
    pub(crate) others: Known,
}

/// A file that a command changes when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    /// The file.
    pub(crate) path: String,
    /// True when a command that ended well has changed it; false when that hangs on something.
    pub(crate) sure: bool,
}

/// Reads what `command` changes, as bash 5 would take it.
///
/// What leaves all files of the work as they are is no change: a commit, a push, a new folder, other permissions, what
/// happens on a server.
pub(crate) fn written(command: &str) -> Changes {
    read(command).1
}

/// As [`effects`](super::effects) and [`written`], of a command that is read once for both.
pub(crate) fn read(command: &str) -> (ShellEffects, Changes) {
    let (Some(admitted), Some(mut walk)) = (grammar::admitted(command), walk::Walk::new()) else {
        let unknown = Changes {
            files: Vec::new(),
            others: Known::Unknown,
        };
        return (ShellEffects::UNKNOWN, unknown);
    };
    let effects = walk.script(&admitted, &Input::default(), 0);
    let Writing { mut files, others, .. } = walk.writing;
    if !command.is_ascii() {
        for file in &mut files {
            file.path = original(&file.path, command);
        }
    }
    (effects, Changes { files, others })
}

/// The files that `command` names and changes when it runs to its end, as seen from the folder in which it is given:
/// targets of redirections, operands of `sed -i`, `tee`, `mv`, `cp`, `rm`, `touch` and the like, files of a patch.
/// What only a running shell can tell (`$f`, `*.rs`), what scripts within it do, and devices are left out.
pub fn changes(command: &str) -> Vec<String> {
    written(command).files.into_iter().map(|file| file.path).collect()
}

/// What was found of a command's changes, at one point of the walk.
#[derive(Debug)]
pub(super) struct Writing {
    files: Vec<Changed>,
    others: Known,
    /// The folder, as seen from the one in which the command is given; none when nobody can tell.
    pub(super) folder: Option<String>,
    /// How many conditions what is read hangs on.
    pub(super) conditions: usize,
    /// In the body of a function, which runs only when it is called.
    pub(super) defines: bool,
}

impl Default for Writing {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            others: Known::No,
            folder: Some(String::new()),
            conditions: 0,
            defines: false,
        }
    }
}

/// Programs that leave all files of the work as they are, though they change something; with a first word, space
/// between, where only that makes it one.
const ELSEWHERE: &[&str] = &[
    "apt",
    "apt-get",
    "brew",
    "cargo publish",
    "chgrp",
    "chmod",
    "chown",
    "docker",
    "gh issue",
    "gh release",
    "gh run",
    "gh secret",
    "gh workflow",
    "git add",
    "git branch",
    "git commit",
    "git config",
    "git fetch",
    "git init",
    "git push",
    "git remote",
    "git tag",
    "kill",
    "killall",
    "kubectl",
    "mkdir",
    "mkfifo",
    "mktemp",
    "npm publish",
    "pkill",
    "rmdir",
    "systemctl",
];

/// Which of a program's operands it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// All.
    All,
    /// The last one, or what lies in it under the names of the others.
    Last,
    /// All, and what lies in the last one under their names.
    Moved,
    /// All but the first so many.
    Behind(usize),
}

/// Programs that change files which are named for it: the program, with a first word where that makes it one, which of
/// its operands it changes, and its options whose value is the next word.
const OPERANDS: &[(&str, Which, &str)] = &[
    ("cp", Which::Last, "-S"),
    ("git mv", Which::Moved, ""),
    ("git rm", Which::All, ""),
    ("install", Which::Last, "-S -g -m -o"),
    ("ln", Which::Last, "-S"),
    ("mv", Which::Moved, "-S"),
    ("rm", Which::All, ""),
    ("sed", Which::Behind(1), "-e -f"),
    ("shred", Which::All, "-n -s"),
    ("tee", Which::All, ""),
    ("touch", Which::All, "-d -r -t --date --reference"),
    ("truncate", Which::All, "-r -s --reference --size"),
    ("unlink", Which::All, ""),
];

/// Options of `sed` that hold its script.
const SCRIPTS: &[&str] = &["-e", "-f", "--expression", "--file"];

/// Options that name a file which is written: program and option.
const OPTIONS: &[(&str, &str)] = &[
    ("curl", "-o"),
    ("curl", "--output"),
    ("sort", "-o"),
    ("sort", "--output"),
    ("wget", "-O"),
];

impl Writing {
    /// Something may be changed that nobody can tell.
    pub(super) fn lose(&mut self) {
        self.add_others(Known::Unknown);
    }

    fn add_others(&mut self, changes: Known) {
        if self.defines {
            return;
        }
        self.others = match (self.others, changes) {
            (Known::Yes, _) | (_, Known::No) => self.others,
            (_, Known::Yes) if self.conditions == 0 => Known::Yes,
            _ => Known::Unknown,
        };
    }

    /// A file is written under this name.
    pub(super) fn write(&mut self, name: &Word) {
        match name.literal().filter(|path| !name.glob && !path.is_empty()) {
            Some(path) => self.write_path(path),
            None => self.add_others(Known::Yes),
        }
    }

    fn write_path(&mut self, path: &str) {
        if self.defines || path.starts_with("/dev/") {
            return;
        }
        let absolute = path.starts_with(['/', '~']);
        let place = self.folder.as_deref().or(absolute.then_some(""));
        // The folder itself, named from within (`rm -r .`), has no name as seen from there.
        let Some(path) = place.map(|folder| join(folder, path)).filter(|path| !path.is_empty()) else {
            self.add_others(Known::Yes);
            return;
        };
        let sure = self.conditions == 0;
        if let Some(known) = self.files.iter_mut().find(|known| known.path == path) {
            known.sure |= sure;
        } else if self.files.len() == MAX_FILES {
            self.add_others(Known::Yes);
        } else {
            self.files.push(Changed { path, sure });
        }
    }

    /// The folder that `cd` goes to.
    pub(super) fn go(&mut self, args: &[Word]) {
        let operands: Vec<&Word> = args.iter().filter(|word| !word.is_option()).collect();
        let target = match &operands[..] {
            [one] => one.literal().filter(|path| !one.glob && *path != "-"),
            [] => Some("~"),
            _ => None,
        };
        let absolute = target.is_some_and(|path| path.starts_with(['/', '~']));
        self.folder = match (target, &self.folder) {
            (Some(path), _) if absolute => Some(join("", path)),
            (Some(path), Some(folder)) => Some(join(folder, path)),
            _ => None,
        };
    }

    /// A program was called that does this.
    pub(super) fn program(&mut self, name: &str, args: &[Word], input: &Input, effects: ShellEffects) {
        if effects.mutates == Known::No {
            return;
        }
        let sub = args
            .iter()
            .find(|word| !word.is_option())
            .map(|word| word.text.as_str());
        let with_sub = sub.map(|sub| format!("{name} {sub}")).unwrap_or_default();
        if ELSEWHERE.iter().any(|known| *known == name || *known == with_sub) {
            return;
        }
        if matches!(name, "apply_patch" | "applypatch") {
            let text = args.first().map(|word| word.text.as_str()).or(input.text.as_deref());
            let files = patch::files(text.unwrap_or_default());
            if files.is_empty() {
                self.add_others(effects.mutates);
            }
            files.iter().for_each(|path| self.write_path(path));
            return;
        }
        if let Some(file) = option_value(name, args) {
            self.write(&file);
            return;
        }
        match OPERANDS.iter().find(|(known, ..)| *known == name || *known == with_sub) {
            Some((known, which, values)) if !input.operands => {
                let own = &args[usize::from(known.contains(' '))..];
                // Behind an option the script is no operand.
                let scripted = |word: &Word| SCRIPTS.iter().any(|option| word.text.starts_with(option));
                let which = match which {
                    Which::Behind(_) if own.iter().any(scripted) => Which::All,
                    which => *which,
                };
                self.operands(which, &operands(name, own, values));
            }
            _ => self.add_others(effects.mutates),
        }
    }

    fn operands(&mut self, which: Which, operands: &[&Word]) {
        let (changed, target) = match (which, operands) {
            (Which::All, all) => (all, None),
            (Which::Behind(skipped), all) => (all.get(skipped..).unwrap_or_default(), None),
            (Which::Last, [from @ .., last]) => (&operands[..0], Some((from, *last))),
            (Which::Moved, [from @ .., last]) => (from, Some((from, *last))),
            (Which::Last | Which::Moved, []) => (operands, None),
        };
        if operands.is_empty() {
            self.add_others(Known::Yes);
        }
        changed.iter().for_each(|word| self.write(word));
        match target {
            Some((from, last)) if from.len() > 1 || last.text.ends_with('/') => {
                for word in from {
                    let name = word.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                    let text = format!("{}/{name}", last.text.trim_end_matches('/'));
                    self.write(&Word {
                        text,
                        fixed: word.fixed && last.fixed,
                        glob: word.glob || last.glob,
                    });
                }
            }
            Some((_, last)) => self.write(last),
            None => {}
        }
    }
}

/// The operands of a program; empty ones are values of options (`sed -i ''`).
fn operands<'w>(name: &str, args: &'w [Word], values: &str) -> Vec<&'w Word> {
    let (mut found, mut options, mut at) = (Vec::new(), true, 0);
    while let Some(word) = args.get(at) {
        at += 1;
        if options && word.text == "--" {
            options = false;
        } else if options && word.is_option() {
            at += usize::from(takes_value(word, values) && !(name == "sed" && word.text.starts_with("-i")));
        } else if !word.text.is_empty() {
            found.push(word);
        }
    }
    found
}

/// The file that an option names.
fn option_value(name: &str, args: &[Word]) -> Option<Word> {
    let flags = || {
        OPTIONS
            .iter()
            .filter(|(program, _)| *program == name)
            .map(|(_, flag)| *flag)
    };
    args.iter().enumerate().find_map(|(at, word)| {
        let flag = flags().find(|flag| word.text == *flag || word.text.starts_with(&format!("{flag}=")))?;
        match word.text.strip_prefix(flag)?.strip_prefix('=') {
            Some(value) => Some(Word {
                text: value.to_owned(),
                ..word.clone()
            }),
            None => args.get(at + 1).cloned(),
        }
    })
}

/// The name as it stands in the command, of a name in the letters that the grammar was given for it.
fn original(name: &str, command: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let half = |at: usize| rest.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        let byte = if *first == b'_' { half(1).zip(half(2)) } else { None };
        match byte.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(byte) if !byte.is_ascii() => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    match String::from_utf8(bytes) {
        Ok(read) if command.contains(&last(&read)) => read,
        _ => name.to_owned(),
    }
}
