//! A runner's arguments, read by its row of the table.
//! How the runner came to be called stays out.

use super::relation::join;
use super::table::{Dashes, Known, Operands, Role, Spec};
use super::{Masked, Purpose, Run};

/// What one call of a runner comes to.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) run: Run,
    /// The option that keeps the exit status from saying anything.
    pub(super) masked_by: Option<String>,
}

/// Options that ask any program about itself.
const ABOUT: [&str; 3] = ["--help", "--version", "-h"];
/// Values that turn an option off.
const OFF: [&str; 3] = ["false", "no", "0"];
/// Settings of `make` that change how it looks.
const LOOKS: [&str; 4] = ["V", "VERBOSE", "Q", "NO_COLOR"];

/// The run that these arguments make of a row, in this folder; none when they make it no check. `mode` tells the call
/// from the runner's others.
pub(super) fn read(known: &Known, mode: &str, args: &[&str], folder: &str) -> Option<Called> {
    let mut reader = Reader {
        known,
        folder: folder.to_owned(),
        selection: Vec::new(),
        operands: Vec::new(),
        nothing: known.row.never.map(|role| why(role).to_owned()),
        masked_by: None,
        needed: false,
    };
    reader.all(args);
    if known.writes() && !reader.needed {
        return None;
    }
    let mut selection = reader.selection;
    selection.extend(operands(known, reader.operands, mode)?);
    if !mode.is_empty() {
        selection.push(mode.to_owned());
    }
    selection.sort();
    selection.dedup();
    Some(Called {
        run: Run {
            runner: known.row.name.to_owned(),
            folder: reader.folder,
            selection,
            purpose: reader.nothing.map_or(Purpose::Check, Purpose::NothingRun),
            masked: Masked::No,
        },
        masked_by: reader.masked_by,
    })
}

/// What a runner's operands select, or none when they are nothing that checks.
fn operands(known: &Known, operands: Vec<&str>, mode: &str) -> Option<Vec<String>> {
    let named: Vec<&str> = operands.iter().copied().filter(|word| !word.contains('=')).collect();
    Some(match known.row.operands {
        Operands::Ignored => Vec::new(),
        Operands::Filters | Operands::Names | Operands::Parts => operands.into_iter().map(str::to_owned).collect(),
        Operands::Paths => operands
            .into_iter()
            .map(|path| match join("", path) {
                // What tells calls apart must not be taken for a path, nor a path for an option.
                path if !path.is_empty() && path == mode || path.starts_with('-') => format!("./{path}"),
                path => path,
            })
            .filter(|path| !path.is_empty())
            .collect(),
        Operands::Packages => operands
            .into_iter()
            .map(|path| if path == "." { "." } else { path.trim_end_matches('/') }.to_owned())
            .filter(|path| path != ".")
            .collect(),
        Operands::Only(words) => {
            if !named.is_empty() && !named.iter().any(|name| says(words, name)) {
                return None;
            }
            made(operands, &["clean"])
        }
        Operands::Except(words) => {
            if !named.is_empty() && named.iter().all(|name| says(words, name)) {
                return None;
            }
            made(operands, &["clean", "all"])
        }
    })
}

/// The things to make that tell one run from another.
fn made(operands: Vec<&str>, idle: &[&str]) -> Vec<String> {
    let several = operands.len() > 1;
    operands
        .into_iter()
        .filter(|word| !(several && idle.contains(word)))
        .filter(|word| !word.split_once('=').is_some_and(|(name, _)| LOOKS.contains(&name)))
        .map(str::to_owned)
        .collect()
}

/// Whether a task's name is one of these words, or begins or ends with one: `test`, `test:unit`, `:app:testDebug`,
/// `docker-build`.
pub(super) fn says(words: &str, name: &str) -> bool {
    if words.split_whitespace().any(|word| word == name) {
        return true;
    }
    // A capital begins a word too.
    let mut parts = Vec::new();
    for part in name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
    {
        let mut start = 0;
        for (at, c) in part.char_indices().skip(1) {
            if c.is_ascii_uppercase() && !part[..at].ends_with(|c: char| c.is_ascii_uppercase()) {
                parts.push(part[start..at].to_ascii_lowercase());
                start = at;
            }
        }
        parts.push(part[start..].to_ascii_lowercase());
    }
    let is_word = |part: Option<&String>| part.is_some_and(|part| words.split_whitespace().any(|word| word == part));
    is_word(parts.first()) || is_word(parts.last())
}

fn why(role: Role) -> &'static str {
    match role {
        Role::Lists => "it lists or explains",
        Role::Watches => "it never ends by itself",
        _ => "it runs nothing",
    }
}

struct Reader<'k, 'a> {
    known: &'k Known,
    folder: String,
    selection: Vec<String>,
    operands: Vec<&'a str>,
    nothing: Option<String>,
    masked_by: Option<String>,
    needed: bool,
}

impl<'a> Reader<'_, 'a> {
    fn all(&mut self, args: &[&'a str]) {
        let mut at = 0;
        let mut options = true;
        while let Some(&word) = args.get(at) {
            at += 1;
            if options && word == "--" {
                options = self.known.row.passes_on;
            } else if options && word.len() > 1 && word.starts_with('-') {
                at += usize::from(self.option(word, args.get(at).copied()));
            } else if !word.starts_with('+') || self.known.row.operands != Operands::Filters {
                self.operands.push(word);
            }
        }
    }

    /// Reads one word of options; whether the next word is a value of it.
    fn option(&mut self, word: &'a str, next: Option<&'a str>) -> bool {
        if ABOUT.contains(&word) && self.known.option(word).is_none() {
            self.nothing = Some(format!("{word}: it runs nothing"));
            return false;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let single = self.known.row.dashes == Dashes::Single;
        if single || name.starts_with("--") {
            let name = if single {
                format!("-{}", name.trim_start_matches('-'))
            } else {
                name.to_owned()
            };
            // `-DskipTests=true`, `--coverage.enabled`: known by the whole name, or not at all.
            return match self.known.option(&name) {
                Some(spec) => self.known_option(spec, attached, next),
                None => false,
            };
        }
        if let Some(spec) = self.known.option(name) {
            return self.known_option(spec, attached, next);
        }
        self.cluster(word, next)
    }

    /// `-xk name`: letters, the last of which may take what is left of the word, or the next.
    fn cluster(&mut self, word: &'a str, next: Option<&'a str>) -> bool {
        for (at, letter) in word.char_indices().skip(1) {
            let Some(spec) = self.known.option(&format!("-{letter}")) else {
                continue;
            };
            let rest = &word[at + letter.len_utf8()..];
            if spec.value {
                let attached = (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest));
                return self.known_option(spec, attached, next);
            }
            self.known_option(spec, None, None);
        }
        false
    }

    fn known_option(&mut self, spec: Spec, attached: Option<&'a str>, next: Option<&'a str>) -> bool {
        if !spec.value && attached.is_some_and(|value| OFF.contains(&value)) {
            return false;
        }
        let from_next =
            spec.value && attached.is_none() && next.is_some_and(|next| !spec.optional || !next.starts_with('-'));
        let value = if from_next { next } else { attached };
        let text = match value.filter(|_| spec.value) {
            Some(value) => format!("{} {value}", spec.name),
            None => spec.name.to_owned(),
        };
        match spec.role {
            Role::Narrows | Role::Widens | Role::Differs => self.selection.push(text),
            // `-p .` names what is checked anyway.
            Role::Picks if matches!(value, Some("." | "./")) => {}
            Role::Picks => self.selection.push(text),
            Role::Looks => {}
            Role::Folder => self.folder = join(&self.folder, value.unwrap_or_default()),
            Role::FolderOf => {
                let file = value.unwrap_or_default();
                let named = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                let folder = if file.rsplit('/').next().unwrap_or(file).contains('.') || file.contains("akefile") {
                    named
                } else {
                    file
                };
                self.folder = join(&self.folder, folder);
            }
            Role::Lists | Role::Dry | Role::Watches => {
                self.nothing = Some(format!("{text}: {}", why(spec.role)));
            }
            Role::Masks => self.masked_by = Some(text),
            Role::Reports => {
                self.needed = true;
                self.masked_by = Some(format!("{} {text}", self.known.row.name));
            }
            Role::Needed => {
                self.needed = true;
                // `cmake --build folder`.
                if spec.value {
                    self.folder = join(&self.folder, value.unwrap_or_default());
                }
            }
        }
        from_next
    }
}
