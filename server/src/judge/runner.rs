//! A runner as it is set, made ready to run: where its program is, and what it may see of the environment.
//! Running it stays out.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use proofmark_protocol::settings::JudgeRunner;

use super::process::Program;

/// What every program may see.
const NAMES: [&str; 6] = ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TMPDIR"];
const PREFIXES: [&str; 2] = ["LC_", "XDG_"];
/// A variable of this name and a runner's own behind it reaches the server, whoever starts it.
const HANDED_ON: &str = "PROOFMARK_ENV_";

/// The program of a runner; else why it can't be run, in a few words.
pub(super) fn program(runner: &JudgeRunner) -> Result<Program, String> {
    let variables: Vec<(OsString, OsString)> = env::vars_os().collect();
    let path = env::var_os("PATH").unwrap_or_default();
    let Some((first, arguments)) = runner.command.split_first() else {
        return Err("its command is empty".to_owned());
    };
    Ok(Program {
        path: find(first, &path)?,
        arguments: arguments.to_vec(),
        environment: environment(&runner.env, &variables)?,
    })
}

/// The program of that name, or of that absolute path. A relative folder would be whatever the server stands in.
fn find(name: &str, path: &OsStr) -> Result<PathBuf, String> {
    let given = Path::new(name);
    if given.is_absolute() {
        return if is_program(given) {
            Ok(given.to_owned())
        } else {
            Err(format!("{name} is no program"))
        };
    }
    if name.contains('/') {
        return Err(format!(
            "{name} is a relative path; it has to be an absolute one, or a name on PATH"
        ));
    }
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    let found = folders
        .map(|folder| folder.join(name))
        .find(|program| is_program(program));
    found.ok_or_else(|| format!("{name} is not on the server's PATH"))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
}

/// What a runner sees: what every program needs, and what the person named for it.
fn environment(wanted: &[String], variables: &[(OsString, OsString)]) -> Result<Vec<(OsString, OsString)>, String> {
    let value = |name: &str| {
        variables
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    };
    let mut seen: Vec<(OsString, OsString)> = variables
        .iter()
        .filter(|(name, _)| {
            let is = |name: &str| NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            name.to_str().is_some_and(is)
        })
        .cloned()
        .collect();
    for name in wanted {
        let found = value(&format!("{HANDED_ON}{name}")).or_else(|| value(name));
        let found = found.ok_or_else(|| {
            format!("the server does not have the variable {name}; export it as {HANDED_ON}{name} and restart it")
        })?;
        seen.push((OsString::from(name), found));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_path_or_by_its_whole_path_only() {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool");
        fs::write(&tool, "").unwrap();
        let path = folder.path().as_os_str();
        assert!(
            find("tool", path).unwrap_err().contains("not on the server's PATH"),
            "no right to run it"
        );
        fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(find("tool", path), Ok(tool.clone()));
        assert_eq!(find(tool.to_str().unwrap(), OsStr::new("")), Ok(tool));
        assert!(find("./tool", path).unwrap_err().contains("relative"));
        assert!(find("tool", OsStr::new("relative:")).is_err());
        assert!(find("/nowhere/tool", path).unwrap_err().contains("no program"));
    }

    #[test]
    fn a_runner_sees_what_was_named_for_it_and_no_keys_beside() {
        let variables: Vec<(OsString, OsString)> = [
            ("HOME", "/h"),
            ("LC_ALL", "C"),
            ("SECRET", "s"),
            ("KEY", "k"),
            ("PROOFMARK_ENV_OTHER", "o"),
            ("PROOFMARK_STATE_DIR", "/s"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        let seen = environment(&["KEY".to_owned(), "OTHER".to_owned()], &variables).unwrap();
        let names: Vec<&str> = seen.iter().filter_map(|(name, _)| name.to_str()).collect();
        assert_eq!(names, ["HOME", "LC_ALL", "KEY", "OTHER"]);
        assert!(
            environment(&["MISSING".to_owned()], &variables)
                .unwrap_err()
                .contains("MISSING")
        );
    }
}
