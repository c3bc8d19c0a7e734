//! The runners as data: how each is called, and what its options and operands mean.
//! Taking a command apart stays out.

mod native;
mod scripting;
mod web;

use std::collections::HashMap;
use std::sync::LazyLock;

/// What an option means for a check's identity. An option that stands nowhere only changes how a run looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Each use leaves less to check: a filter, something to leave out.
    Narrows,
    /// Names what is checked; several uses name more, none means everything. Options of one entry name the same kind of
    /// thing.
    Picks,
    /// Adds to what is checked.
    Widens,
    /// Changes what counts as a finding, or which build of the code is checked: such runs cannot be compared.
    Differs,
    /// Takes a value, and changes only how the run looks.
    Looks,
    /// Names the folder to run in.
    Folder,
    /// Names a file in the folder to run in.
    FolderOf,
    /// Nothing is checked: it lists or explains.
    Lists,
    /// Nothing is checked: it only builds or tells what it would do.
    Dry,
    /// The run never ends by itself.
    Watches,
    /// The exit status says nothing.
    Masks,
    /// Without one of these the program writes, and checks nothing.
    Needed,
    /// As [`Role::Needed`], and the exit status says nothing all the same.
    Reports,
}

/// What a runner's operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files, folders, and tests within files (`::`, `:12`).
    Paths,
    /// Go packages and Bazel labels: `/...` ends those that hold others.
    Packages,
    /// Texts that names must contain.
    Filters,
    /// Dotted names, the wider before the narrower.
    Names,
    /// Things to make, without which it makes its own choice; only these words, or what such a word is part of, check.
    Only(&'static str),
    /// Things to make, all of which check except these words, or what such a word is part of.
    Except(&'static str),
    /// Hook ids and the like: each names a part.
    Parts,
    /// Not part of what is checked.
    Ignored,
}

/// How a runner's options are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dashes {
    /// `-x`, `-xy` for two of them, `--long`.
    Gnu,
    /// `-long` is one option.
    Single,
}

/// One way to call a runner.
#[derive(Debug)]
pub(super) struct Row {
    /// The runner, as in [`super::RUNNERS`].
    pub(super) name: &'static str,
    /// The words it is called with, comma between them; behind `>` what tells this call from the runner's others.
    pub(super) calls: &'static str,
    /// What its operands are.
    pub(super) operands: Operands,
    /// What it is said to check when nothing is selected.
    pub(super) everything: &'static str,
    /// How its options are spelled.
    pub(super) dashes: Dashes,
    /// Why this call checks nothing, whatever its options.
    pub(super) never: Option<Role>,
    /// Options are read behind `--` too: they are the tests' own.
    pub(super) passes_on: bool,
    /// Its options by role. A space stands between options, `/` between names of one, the first being the one it is
    /// known by. `=` marks one that takes a value, `=?` one that takes the next word unless that is an option.
    pub(super) options: &'static [(Role, &'static str)],
}

/// What most rows have in common.
const ROW: Row = Row {
    name: "",
    calls: "",
    operands: Operands::Paths,
    everything: "all",
    dashes: Dashes::Gnu,
    never: None,
    passes_on: false,
    options: &[],
};

/// An option of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// The name it is known by.
    pub(super) name: &'static str,
    /// What it means.
    pub(super) role: Role,
    /// Options of one group name the same kind of thing.
    pub(super) group: usize,
    /// It takes a value.
    pub(super) value: bool,
    /// Its value may be left out.
    pub(super) optional: bool,
}

/// A row with its options by name.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) row: &'static Row,
    options: HashMap<&'static str, Spec>,
}

impl Known {
    fn new(row: &'static Row) -> Self {
        let mut options = HashMap::new();
        for (group, &(role, specs)) in row.options.iter().enumerate() {
            for spec in specs.split_whitespace() {
                let names = spec.trim_end_matches('?').trim_end_matches('=');
                let name = names.split('/').next().unwrap_or(names);
                for alias in names.split('/') {
                    let spec = Spec {
                        name,
                        role,
                        group,
                        value: spec.contains('='),
                        optional: spec.ends_with('?'),
                    };
                    options.insert(alias, spec);
                }
            }
        }
        Self { row, options }
    }

    /// The option of this name, dashes included.
    pub(super) fn option(&self, name: &str) -> Option<Spec> {
        self.options.get(name).copied()
    }

    /// Whether it checks only when an option asks it to.
    pub(super) fn writes(&self) -> bool {
        self.row
            .options
            .iter()
            .any(|(role, _)| matches!(role, Role::Needed | Role::Reports))
    }
}

/// The words of a call behind the program's name, and what tells it from the runner's other calls.
struct Call {
    words: Vec<&'static str>,
    mode: &'static str,
    known: usize,
}

struct Table {
    known: Vec<Known>,
    by_program: HashMap<&'static str, Vec<Call>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows = [scripting::ROWS, native::ROWS, web::ROWS].into_iter().flatten();
    let known: Vec<Known> = rows.map(Known::new).collect();
    let mut by_program: HashMap<&'static str, Vec<Call>> = HashMap::new();
    for (at, known) in known.iter().enumerate() {
        for call in known.row.calls.split(", ") {
            let (words, mode) = call.split_once(" > ").unwrap_or((call, ""));
            let mut words = words.split(' ');
            if let Some(program) = words.next() {
                by_program.entry(program).or_default().push(Call {
                    words: words.collect(),
                    mode,
                    known: at,
                });
            }
        }
    }
    for calls in by_program.values_mut() {
        calls.sort_by_key(|call| std::cmp::Reverse(call.words.len()));
    }
    Table { known, by_program }
});

/// The row that a program's first operands call, how many of them name it, and what tells this call from others.
pub(super) fn called(program: &str, operands: &[&str]) -> Option<(&'static Known, usize, &'static str)> {
    let call = TABLE
        .by_program
        .get(program)?
        .iter()
        .find(|call| operands.starts_with(&call.words))?;
    Some((&TABLE.known[call.known], call.words.len(), call.mode))
}

/// Whether any runner is called by this program.
pub(super) fn is_program(program: &str) -> bool {
    TABLE.by_program.contains_key(program)
}

/// All rows of a runner.
pub(super) fn of_runner(name: &str) -> impl Iterator<Item = &'static Known> {
    TABLE.known.iter().filter(move |known| known.row.name == name)
}

/// The words that tell the calls of a runner apart.
pub(super) fn modes(name: &str) -> impl Iterator<Item = &'static str> {
    of_runner(name).flat_map(|known| {
        known
            .row
            .calls
            .split(", ")
            .filter_map(|call| Some(call.split_once(" > ")?.1))
    })
}

/// All rows.
#[cfg(test)]
pub(super) fn all() -> &'static [Known] {
    &TABLE.known
}
