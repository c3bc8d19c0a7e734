//! A run's identity, and how what two runs check relates.
//! Where runs come from stays out.

use std::borrow::Cow;

use super::Run;
use super::managers;
use super::table::{self, Operands, Role};

/// Selections of more parts are compared as a whole only: each part is held against each.
const MAX_COMPARED: usize = 200;

/// How what one run checks relates to what another checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is the same.
    Same,
    /// The first lies within the second: a test in a file, a file in a folder, a package in the workspace.
    Narrower,
    /// The second lies within the first.
    Wider,
    /// Neither, or nobody can tell.
    Other,
}

impl Relation {
    fn of(within: bool, holds: bool) -> Self {
        match (within, holds) {
            (true, true) => Self::Same,
            (true, false) => Self::Narrower,
            (false, true) => Self::Wider,
            (false, false) => Self::Other,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, one) | (one, Self::Same) => one,
            (one, other) if one == other => one,
            _ => Self::Other,
        }
    }
}

impl Run {
    /// The run's identity: runner, selection and folder, as in `pytest:tests/test_core.py`, `cargo-test:-p cli`,
    /// `make:test @sub`. Runs of equal keys check the same. Paths are relative to the command's own folder.
    pub fn key(&self) -> String {
        let folder = match self.folder.as_str() {
            "" => String::new(),
            _ if self.in_paths() => String::new(),
            folder => format!(" @{folder}"),
        };
        format!("{}:{}{folder}", self.runner, self.selection_text())
    }

    /// What it selects in words, as in its key: `-p cli`, `tests/test_core.py`, or the runner's word for everything.
    pub fn selection_text(&self) -> String {
        if self.selection.is_empty() {
            return table::of_runner(&self.runner)
                .next()
                .map_or("all", |known| known.row.everything)
                .to_owned();
        }
        let mut parts: Vec<Cow<'_, str>> = self.selection.iter().map(|part| self.placed(part)).collect();
        parts.sort();
        parts.dedup();
        parts.join(" ")
    }

    /// The same run, for a command that was given in the folder `cwd`: runs of commands that were given in different
    /// folders can be compared then.
    pub fn in_folder(mut self, cwd: &str) -> Self {
        if !is_elsewhere(&self.folder) {
            self.folder = join(cwd, &self.folder);
        }
        self
    }

    /// Whether the paths that it selects say where it runs.
    fn in_paths(&self) -> bool {
        !is_elsewhere(&self.folder)
            && matches!(operands(&self.runner), Operands::Paths | Operands::Packages)
            && self.selection.iter().any(|part| self.is_place(part))
    }

    /// Whether a part of the selection is a file, a folder, or a package by its path.
    fn is_place(&self, part: &str) -> bool {
        match operands(&self.runner) {
            Operands::Paths => !part.starts_with('-') && !table::modes(&self.runner).any(|mode| mode == part),
            Operands::Packages => part.starts_with('.'),
            _ => false,
        }
    }

    fn placed<'p>(&self, part: &'p str) -> Cow<'p, str> {
        if self.folder.is_empty() || is_elsewhere(&self.folder) || !self.is_place(part) {
            return part.into();
        }
        let path = join(&self.folder, part);
        match operands(&self.runner) {
            Operands::Packages if !path.starts_with(['.', '/']) => format!("./{path}").into(),
            _ => path.into(),
        }
    }
}

/// How what `a` checks relates to what `b` checks; both commands were given in the same folder.
pub fn relation(a: &Run, b: &Run) -> Relation {
    if a.runner != b.runner || is_elsewhere(&a.folder) != is_elsewhere(&b.folder) {
        return Relation::Other;
    }
    if a.key() == b.key() {
        return Relation::Same;
    }
    if a.selection.len().max(b.selection.len()) > MAX_COMPARED {
        return Relation::Other;
    }
    if let (managers::RUNNER, [first], [second]) = (a.runner.as_str(), &a.selection[..], &b.selection[..])
        && a.folder == b.folder
    {
        // What is handed to a script narrows what it does.
        let within = |x: &str, y: &str| x.strip_prefix(y).is_some_and(|rest| rest.starts_with(' '));
        return Relation::of(within(first, second), within(second, first));
    }
    let kind = operands(&a.runner);
    let mut whole = match kind {
        Operands::Paths | Operands::Packages => places(a, b, kind),
        Operands::Filters | Operands::Names => within(&[a.folder.as_str()], &[b.folder.as_str()], path_within),
        _ if a.folder == b.folder => Relation::Same,
        _ => Relation::Other,
    };
    let (first, second) = (Parts::of(a), Parts::of(b));
    whole = whole.and(match kind {
        Operands::Paths | Operands::Packages => Relation::Same,
        Operands::Filters => within_or_all(&first.operands, &second.operands, |x, y| x.contains(y)),
        Operands::Names => within_or_all(&first.operands, &second.operands, dotted_within),
        Operands::Parts => within_or_all(&first.operands, &second.operands, |x, y| x == y),
        // Nobody knows what is made when nothing is named.
        Operands::Only(_) | Operands::Except(_) | Operands::Ignored
            if first.operands.is_empty() != second.operands.is_empty() =>
        {
            Relation::Other
        }
        Operands::Only(_) | Operands::Except(_) | Operands::Ignored => {
            within(&first.operands, &second.operands, |x, y| x == y)
        }
    });
    let mut groups: Vec<usize> = first
        .picks
        .iter()
        .chain(&second.picks)
        .map(|&(group, _)| group)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        whole = whole.and(within_or_all(&first.picked(group), &second.picked(group), |x, y| {
            x == y
        }));
    }
    whole = whole.and(within(&first.widens, &second.widens, |x, y| x == y));
    whole = whole.and(within(&second.narrows, &first.narrows, |x, y| x == y));
    if first.differs != second.differs {
        whole = Relation::Other;
    }
    // Equal by its parts and not by its key: the folder decides which settings are read.
    if whole == Relation::Same {
        Relation::Other
    } else {
        whole
    }
}

/// A selection by the roles of its parts.
#[derive(Default)]
struct Parts<'r> {
    operands: Vec<&'r str>,
    narrows: Vec<&'r str>,
    widens: Vec<&'r str>,
    differs: Vec<&'r str>,
    picks: Vec<(usize, &'r str)>,
}

impl<'r> Parts<'r> {
    fn of(run: &'r Run) -> Self {
        let mut parts = Self::default();
        for part in run.selection.iter().map(String::as_str) {
            if !part.starts_with('-') {
                let setting =
                    matches!(operands(&run.runner), Operands::Only(_) | Operands::Except(_)) && part.contains('=');
                if setting || table::modes(&run.runner).any(|mode| mode == part) {
                    parts.differs.push(part);
                } else if !run.is_place(part) {
                    parts.operands.push(part);
                }
                continue;
            }
            let name = part.split(' ').next().unwrap_or(part);
            let spec = table::of_runner(&run.runner).find_map(|known| known.option(name));
            match spec.map(|spec| (spec.role, spec.group)) {
                Some((Role::Narrows, _)) => parts.narrows.push(part),
                Some((Role::Widens, _)) => parts.widens.push(part),
                Some((Role::Picks, group)) => parts.picks.push((group, part)),
                _ => parts.differs.push(part),
            }
        }
        parts
    }

    fn picked(&self, group: usize) -> Vec<&'r str> {
        self.picks
            .iter()
            .filter(|(of, _)| *of == group)
            .map(|&(_, part)| part)
            .collect()
    }
}

/// Where two runs check: the paths that they select, or their folders.
fn places(a: &Run, b: &Run, kind: Operands) -> Relation {
    let of = |run: &Run| -> Vec<String> {
        let named: Vec<String> = run
            .selection
            .iter()
            .filter(|part| run.is_place(part))
            .map(|part| run.placed(part).into_owned())
            .collect();
        match kind {
            // Without a package named it is the one in the folder.
            Operands::Packages if named.is_empty() && run.folder.is_empty() => vec![".".to_owned()],
            Operands::Packages if named.is_empty() => vec![format!("./{}", run.folder)],
            _ if named.is_empty() && is_elsewhere(&run.folder) => vec![String::new()],
            _ if named.is_empty() => vec![run.folder.clone()],
            _ => named,
        }
    };
    let (first, second) = (of(a), of(b));
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    match kind {
        Operands::Packages => {
            let (others_a, others_b) = (Parts::of(a).operands, Parts::of(b).operands);
            match (others_a.is_empty(), others_b.is_empty()) {
                (true, true) => within(&first, &second, package_within),
                (false, false) => within(&others_a, &others_b, package_within),
                _ => Relation::Other,
            }
        }
        _ if is_elsewhere(&a.folder) && a.folder != b.folder => Relation::Other,
        _ => within(&first, &second, path_within),
    }
}

fn within(a: &[&str], b: &[&str], fits: impl Fn(&str, &str) -> bool) -> Relation {
    let all_in = |a: &[&str], b: &[&str]| a.iter().all(|x| b.iter().any(|y| fits(x, y)));
    Relation::of(all_in(a, b), all_in(b, a))
}

/// As [`within`], where an empty selection means everything.
fn within_or_all(a: &[&str], b: &[&str], fits: impl Fn(&str, &str) -> bool) -> Relation {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => Relation::Same,
        (false, true) => Relation::Narrower,
        (true, false) => Relation::Wider,
        (false, false) => within(a, b, fits),
    }
}

/// A test lies in its file behind `::`, `:` or `[`.
fn path_within(inner: &str, outer: &str) -> bool {
    if outer.is_empty() {
        return !inner.starts_with(['/', '~', '$', '.']);
    }
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || outer == "/" || rest.starts_with(['/', ':', '[']))
}

fn dotted_within(inner: &str, outer: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// `./a` and `./a/b/...` lie in `./a/...`, and `//a:b` in `//a/...` and `//a:all`.
fn package_within(inner: &str, outer: &str) -> bool {
    match outer.strip_suffix("...") {
        Some(tree) => inner.starts_with(tree) || tree.trim_end_matches('/') == inner.split(':').next().unwrap_or(inner),
        None => {
            inner == outer
                || outer
                    .strip_suffix(":all")
                    .is_some_and(|package| inner.split(':').next() == Some(package))
        }
    }
}

fn operands(runner: &str) -> Operands {
    table::of_runner(runner)
        .next()
        .map_or(Operands::Ignored, |known| known.row.operands)
}

/// Whether a folder lies in a container or on another host.
fn is_elsewhere(folder: &str) -> bool {
    folder.starts_with("container:") || folder.starts_with("host:")
}

/// `path` as seen from where `folder` is named, with `.` and `..` taken out.
pub(crate) fn join(folder: &str, path: &str) -> String {
    let elsewhere = folder.split('/').next().filter(|_| is_elsewhere(folder));
    let whole = if let (Some(place), true) = (elsewhere, path.starts_with('/')) {
        format!("{place}{path}")
    } else if path.starts_with(['/', '~']) || folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." && !last.starts_with(['$', '~']) => {
                    parts.pop();
                }
                None if whole.starts_with('/') => {}
                _ => parts.push(part),
            },
            _ => parts.push(part),
        }
    }
    let root = if whole.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}
