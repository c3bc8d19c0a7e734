//! Package managers of the web's languages: the scripts of a project, and the tools that they start.
//! What the tools do stays out.

use super::args::says;
use super::relation::join;
use super::table;
use super::{Masked, Purpose, Run};

/// The runner of a project's own scripts.
pub(super) const RUNNER: &str = "npm-script";

/// Names of scripts that check, as words of the name.
const CHECKS: &str = "build check checks ci compile coverage e2e eslint integration jest lint linter mocha spec test tests \
    tsc type typecheck types unit validate verify vitest format-check";
/// Words that make a script no check.
const ENDLESS: [&str; 6] = ["dev", "live", "serve", "start", "ui", "watch"];
/// Options that take a value and name the part of the project to run in.
const PARTS: [&str; 5] = ["-w", "--workspace", "-F", "--filter", "--scope"];
/// Options that take a value and name the folder.
const FOLDERS: [&str; 5] = ["--prefix", "--cwd", "-C", "--dir", "-d"];
/// Options behind `--` that change how the tests look.
const LOOKS: [&str; 12] = [
    "--ci",
    "--color",
    "--colors",
    "--coverage",
    "--no-color",
    "--run",
    "--runInBand",
    "--silent",
    "--verbose",
    "--watch=false",
    "--watchAll=false",
    "-i",
];

/// What a call of a package manager comes to.
pub(super) enum Managed {
    /// A run of a script.
    Script(Run),
    /// A tool, its first argument at this place, in this folder.
    Tool(usize, String),
    /// No check.
    Nothing,
}

/// Whether a program is a package manager with scripts.
pub(super) fn is_manager(program: &str) -> bool {
    matches!(
        program,
        "npm" | "pnpm" | "yarn" | "bun" | "composer" | "deno" | "turbo" | "nx"
    )
}

/// Reads the arguments of a package manager.
pub(super) fn read(program: &str, args: &[&str], folder: &str) -> Managed {
    let mut folder = folder.to_owned();
    let mut selection = Vec::new();
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut behind: Vec<&str> = Vec::new();
    let mut nothing = None;
    let mut at = 0;
    while let Some(&word) = args.get(at) {
        at += 1;
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let named = words.iter().any(|(_, word)| !is_way(word));
        if word == "--" {
            behind.extend(&args[at..]);
            break;
        }
        if word == "workspace" && program == "yarn" && words.is_empty() {
            selection.extend(args.get(at).map(|part| format!("--workspace {part}")));
            at += 1;
        } else if (PARTS.contains(&name) || FOLDERS.contains(&name)) && !(named && program != "npm") {
            let value = attached.or_else(|| args.get(at).copied()).unwrap_or_default();
            at += usize::from(attached.is_none());
            if PARTS.contains(&name) {
                selection.push(format!("--workspace {value}"));
            } else {
                folder = join(&folder, value);
            }
        } else if word.starts_with('-') && word.len() > 1 {
            if matches!(word, "--help" | "--version" | "-h") && !named || word == "--dry-run" {
                nothing = Some(format!("{word}: it runs nothing"));
            } else if matches!(word, "--workspaces" | "--ws" | "-r" | "--recursive" | "-ws") && !named {
                selection.push("--workspaces".to_owned());
            } else if named && program != "npm" {
                behind.push(word);
            }
        } else if named {
            behind.push(word);
        } else {
            words.push((at - 1, word));
        }
    }
    let Some(&(at, name)) = words.last().filter(|(_, word)| !is_way(word)) else {
        return Managed::Nothing;
    };
    let run = words.len() > 1;
    let exec = words.iter().any(|(_, word)| matches!(*word, "exec" | "x" | "dlx"));
    if exec
        || program != "npm"
            && !matches!(program, "composer" | "turbo" | "nx")
            && table::is_program(name)
            && !says_script(name)
    {
        return Managed::Tool(at, folder);
    }
    let name = match name {
        "t" | "tst" if program == "npm" => "test",
        name => name,
    };
    if !is_check(name) || !run && program == "npm" && name != "test" {
        return Managed::Nothing;
    }
    if behind
        .iter()
        .any(|word| matches!(*word, "--watch" | "--watchAll" | "--ui" | "-w"))
        || is_endless(name)
    {
        nothing = Some("it never ends by itself".to_owned());
    } else if let Some(word) = behind
        .iter()
        .find(|word| matches!(**word, "--help" | "--version" | "--listTests" | "--list"))
    {
        nothing = Some(format!("{word}: it runs nothing"));
    }
    // Its scripts are not those that stand in `package.json`.
    let owner = matches!(program, "composer" | "turbo" | "nx" | "deno").then_some(program);
    let handed = behind.into_iter().filter(|word| !LOOKS.contains(word));
    selection.push(
        owner
            .into_iter()
            .chain([name])
            .chain(handed)
            .collect::<Vec<_>>()
            .join(" "),
    );
    selection.sort();
    selection.dedup();
    Managed::Script(Run {
        runner: RUNNER.to_owned(),
        folder,
        selection,
        purpose: nothing.map_or(Purpose::Check, Purpose::NothingRun),
        masked: Masked::No,
    })
}

/// Words that stand before the name of a script or a tool.
fn is_way(word: &str) -> bool {
    matches!(
        word,
        "run" | "run-script" | "rum" | "exec" | "x" | "dlx" | "task" | "workspaces" | "foreach"
    )
}

/// Whether a manager takes this word for a script although a tool has the name.
fn says_script(name: &str) -> bool {
    matches!(name, "test" | "lint" | "check" | "build")
}

fn is_check(name: &str) -> bool {
    let fixes = name
        .split([':', '-', '_'])
        .any(|part| matches!(part, "fix" | "write" | "install" | "update"));
    !fixes && says(CHECKS, name)
}

fn is_endless(name: &str) -> bool {
    name.split([':', '-', '_']).any(|part| ENDLESS.contains(&part))
}
