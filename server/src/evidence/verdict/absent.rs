//! Signs that a check never began: its program, its target or its task is not there.
//! What it found once it began stays out.

/// How a sign must stand in its line.
enum At {
    Start(&'static str),
    End(&'static str),
    /// Starts with the one, and has the other further on.
    Both(&'static str, &'static str),
}

use At::{Both, End, Start};

/// Signs, and what each says.
const SIGNS: &[(At, &str)] = &[
    (End(": command not found"), MISSING),
    (Start("zsh: command not found: "), MISSING),
    (Both("sh: ", ": not found"), MISSING),
    (Both("bash: ", ": No such file or directory"), MISSING),
    (Both("sh: ", ": No such file or directory"), MISSING),
    (Both("bash: ", ": Permission denied"), MISSING),
    (Both("env: ", ": No such file or directory"), MISSING),
    (
        Both("timeout: failed to run command ", ": No such file or directory"),
        MISSING,
    ),
    (Both("/", ": No module named "), MISSING),
    (Both("python", ": No module named "), MISSING),
    (Both("", ": can't open file '"), TARGET),
    (Start("make: *** No rule to make target "), TARGET),
    (Start("make: *** No targets specified and no makefile found."), TARGET),
    (Both("", ": *** missing separator"), CONFIG),
    (Start("npm error Missing script: "), TARGET),
    (Start("npm ERR! Missing script: "), TARGET),
    (Start("npm ERR! missing script: "), TARGET),
    (Start("npm error could not determine executable to run"), MISSING),
    (Start("npm ERR! could not determine executable to run"), MISSING),
    (Start("npm error 404 "), MISSING),
    (Start("error Command \""), MISSING),
    (Start("error: package ID specification `"), TARGET),
    (Start("error: no such command: `"), MISSING),
    (Start("error: unexpected argument '"), USAGE),
    (Start("error: unrecognized subcommand '"), USAGE),
    (Start("error: could not find `Cargo.toml` in "), TARGET),
    (Both("error: no ", " target named "), TARGET),
    (Start("error: no library targets found in "), TARGET),
    (Both("error: ", "matched no packages"), TARGET),
    (Start("ERROR: file or directory not found: "), TARGET),
    (Start("ERROR: not found: "), TARGET),
    (Both("", ": error: unrecognized arguments: "), USAGE),
    (Start("flag provided but not defined: "), USAGE),
    (Start("no Go files in "), TARGET),
    (Start("go: go.mod file not found in "), TARGET),
    (Start("go: cannot find main module"), TARGET),
    (Both("go: ", "matched no packages"), TARGET),
    (Both("", ": directory not found"), TARGET),
    (Start("Could not find '"), TARGET),
    (Start("Error: No test files found"), TARGET),
    (
        Start("Error: Could not resolve a module for a custom reporter."),
        CONFIG,
    ),
    (Start("No valid test files found matching "), TARGET),
    (
        Start("ROOT: HandledError| provided environments not found in configuration file:"),
        TARGET,
    ),
    (Start("Don't know how to build task '"), TARGET),
    (Start("No Rakefile found "), TARGET),
    (Start("Cannot open file \""), TARGET),
    (Both("Cannot open t/", "No such file"), TARGET),
    (Start("Could not read from \""), TARGET),
    (Start("MSBUILD : error MSB1003: "), TARGET),
    (Start("MSBUILD : error MSB1009: "), TARGET),
    (Start("An error has occurred: InvalidConfigError:"), CONFIG),
    (Both("No hook with id `", "` in stage `"), TARGET),
    (Start("error: no tests found; "), TARGET),
    (Start("ERROR: unknown environment '"), TARGET),
    (Start("Could not load configuration file"), CONFIG),
];

const MISSING: &str = "the program to run is not there";
const TARGET: &str = "what it was told to check is not there";
const USAGE: &str = "it did not understand its options";
const CONFIG: &str = "its configuration does not load";

/// Why nothing was checked, where a line says so.
pub(super) fn sign(lines: &[&str]) -> Option<&'static str> {
    lines.iter().find_map(|line| {
        let line = line.trim();
        let holds = |at: &At| match at {
            Start(words) => line.starts_with(words),
            End(words) => line.ends_with(words),
            Both(start, then) => line.strip_prefix(start).is_some_and(|rest| rest.contains(then)),
        };
        SIGNS.iter().find(|(at, _)| holds(at)).map(|(_, why)| *why)
    })
}
