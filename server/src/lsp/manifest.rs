//! The line of a manifest that defines a check: a script, a target, a recipe, a package, a tool's section.
//! Which check it is was read from a command elsewhere; nothing here is run.

#[cfg(test)]
mod tests;

use proofmark_protocol::findings::CheckRef;
use serde::Deserialize;

use super::files::{Text, Workspace};
use super::place::Place;

/// The largest manifest that is read as TOML, in bytes.
const MAX_TOML: usize = 1024 * 1024;

/// How a runner is defined.
struct Rule {
    /// The files that may do so, in the order in which the runner itself looks for them.
    names: &'static [&'static str],
    /// True when the runner looks in the folders above too.
    climbs: bool,
    /// The line, in the file that it would take.
    line: fn(&CheckRef, &Text) -> Option<u32>,
}

/// The line that defines a check. A manifest that leaves it open gives none: a wrong place costs more than no place.
pub(super) fn place(check: &CheckRef, cwd: Option<&str>, workspace: &mut Workspace) -> Option<Place> {
    let rule = rule(check)?;
    let folders = workspace.upwards(&check.folder, cwd);
    let reach = if rule.climbs { folders.len() } else { 1 };
    let mut candidates = folders
        .iter()
        .take(reach)
        .flat_map(|folder| rule.names.iter().map(move |name| folder.join(name)));
    let file = candidates.find_map(|path| workspace.inside(&path))?;
    let text = workspace.text(&file)?;
    let line = (rule.line)(check, &text)?;
    workspace.place(&file, line)
}

fn rule(check: &CheckRef) -> Option<Rule> {
    let rule = |names, climbs, line| Some(Rule { names, climbs, line });
    match check.runner.as_str() {
        "npm-script" => rule(&["package.json"], true, script),
        "make" if names_another_file(check) => None,
        "make" if is_just(check) => rule(&["justfile", "Justfile", ".justfile"], true, recipe),
        "make" => rule(&["GNUmakefile", "makefile", "Makefile"], false, target),
        "pytest" | "mypy" | "ruff" | "black" | "isort" | "pylint" | "pyright" | "tox" => {
            rule(&["pyproject.toml"], true, section)
        }
        runner if runner.starts_with("cargo-") => rule(&["Cargo.toml"], true, package),
        runner if runner.starts_with("go-") => rule(&["go.mod"], true, module),
        _ => None,
    }
}

/// The recipes of `just` are told from the targets of `make` by the program's name, which stands among what is selected.
const JUST: &str = "just";

fn is_just(check: &CheckRef) -> bool {
    check.selection.iter().any(|one| one == JUST)
}

/// True when the command names its makefile or justfile itself.
fn names_another_file(check: &CheckRef) -> bool {
    const OPTIONS: [&str; 4] = ["-f", "--file", "--makefile", "--justfile"];
    let mut words = check.command.split_whitespace();
    words.any(|word| OPTIONS.iter().any(|option| word.starts_with(option)))
}

/// The one target or recipe that is selected: nothing, when it is the default one. None at all when there are several,
/// one of which may be an argument.
fn only_target(check: &CheckRef) -> Option<Option<&str>> {
    let is_target = |one: &&str| *one != JUST && !one.starts_with('-') && !one.contains('=');
    let mut targets = check.selection.iter().map(String::as_str).filter(is_target);
    match (targets.next(), targets.next()) {
        (first, None) => Some(first),
        _ => None,
    }
}

/// What stands before a rule's colon; none for a line that is no rule.
fn head(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#']) {
        return None;
    }
    let (head, rest) = line.split_once(':')?;
    (!rest.starts_with('=') && !rest.starts_with(":=")).then_some(head)
}

fn target(check: &CheckRef, text: &Text) -> Option<u32> {
    let wanted = only_target(check)?;
    let defines = |line: &str| {
        let Some(head) = head(line).filter(|head| !head.contains('=')) else {
            return false;
        };
        let mut words = head.split_whitespace();
        match wanted {
            Some(wanted) => words.any(|word| word == wanted),
            None => words
                .next()
                .is_some_and(|word| !word.starts_with('.') && !word.contains(['%', '$'])),
        }
    };
    text.lines().find(|(_, line)| defines(line)).map(|(nth, _)| nth)
}

fn recipe(check: &CheckRef, text: &Text) -> Option<u32> {
    let wanted = only_target(check)?;
    let defines = |line: &str| {
        let name = head(line).and_then(|head| head.split_whitespace().next());
        let name = name
            .map(|name| name.trim_start_matches('@'))
            .filter(|name| !name.is_empty());
        name.is_some_and(|name| wanted.is_none_or(|wanted| wanted == name))
    };
    text.lines().find(|(_, line)| defines(line)).map(|(nth, _)| nth)
}

/// A script of `package.json`. With an option, such as a workspace's name, it is another file's.
fn script(check: &CheckRef, text: &Text) -> Option<u32> {
    let [selected] = check.selection.as_slice() else {
        return None;
    };
    let name = selected.split(' ').next()?;
    key_in_scripts(text.bytes(), name).map(|byte| text.line_of(byte))
}

/// Where the key of a script stands: in the object `scripts`, and nowhere deeper.
fn key_in_scripts(json: &[u8], name: &str) -> Option<usize> {
    let (mut at, mut depth, mut scripts) = (0, 0_usize, false);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(json, at)?;
                let text = json.get(at + 1..end)?;
                let is_key = json.get(end + 1..)?.trim_ascii_start().first() == Some(&b':');
                match depth {
                    1 if is_key => scripts = text == b"scripts",
                    2 if is_key && scripts && text == name.as_bytes() => return Some(at),
                    _ => {}
                }
                at = end;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The closing quote of the string that begins at a byte.
fn end_of_string(json: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match json.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The package that is tested, or the workspace that it belongs to.
fn package(check: &CheckRef, text: &Text) -> Option<u32> {
    let mut named = check.selection.iter().filter_map(|one| one.strip_prefix("-p "));
    let is_this = match named.next() {
        None => true,
        Some(name) => named.next().is_none() && package_name(text).as_deref() == Some(name),
    };
    let package = is_this.then(|| header(text, |name| name == "package")).flatten();
    package.or_else(|| header(text, |name| name == "workspace"))
}

fn package_name(text: &Text) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        package: Package,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
    }
    let bytes = text.bytes();
    if bytes.len() > MAX_TOML {
        return None;
    }
    let manifest: Manifest = toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
    Some(manifest.package.name)
}

/// The section of a tool, or the first of its sections.
fn section(check: &CheckRef, text: &Text) -> Option<u32> {
    let is_its = |name: &str| {
        let tool = name.strip_prefix("tool.").and_then(|name| name.split('.').next());
        tool == Some(check.runner.as_str())
    };
    header(text, is_its)
}

/// The first header of a TOML file whose name is the wanted one.
fn header(text: &Text, wanted: impl Fn(&str) -> bool) -> Option<u32> {
    let name = |line: &str| -> Option<String> {
        let (name, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        Some(name.trim_start_matches('[').trim().to_owned())
    };
    let is_it = |line: &str| name(line).is_some_and(|name| wanted(&name));
    text.lines().find(|(_, line)| is_it(line)).map(|(nth, _)| nth)
}

fn module(_: &CheckRef, text: &Text) -> Option<u32> {
    let is_it = |line: &str| line.split_whitespace().next() == Some("module");
    text.lines().find(|(_, line)| is_it(line)).map(|(nth, _)| nth)
}
