//! Which program is Codex: the person's own word for it, else the first on their PATH.
//! What it is started with stays out.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

/// The person's own path of Codex, in the environment alone: a project's file never names a program to run.
pub(super) const VARIABLE: &str = "PROOFMARK_CODEX";
/// What Codex is called in its folder.
const PROGRAM: &str = "codex";

/// The program to run: `set` where it says something, else the first `codex` of `path`. `this` is the wrapper's own
/// file: where that one is called `codex` on PATH, it is passed over.
pub(super) fn find(set: Option<&OsStr>, path: Option<&OsStr>, this: &Path) -> anyhow::Result<PathBuf> {
    if let Some(set) = set.filter(|set| !set.is_empty()) {
        let program = PathBuf::from(set);
        ensure!(
            program.is_absolute(),
            "{VARIABLE} has to be an absolute path, and is {}",
            program.display()
        );
        ensure!(
            !is(&program, this),
            "{VARIABLE} is Proofmark itself, which can't wrap itself"
        );
        ensure!(
            is_program(&program),
            "{VARIABLE} is {}, and that is no program",
            program.display()
        );
        return Ok(program);
    }
    let path = path.context("PATH is not set, so Codex can't be found")?;
    // A relative folder would be the project's, and a project's files are never run.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let found = folders
        .map(|folder| folder.join(PROGRAM))
        .find(|program| is_program(program) && !is(program, this));
    match found {
        Some(program) => Ok(program),
        None => bail!("no `codex` is on PATH; {VARIABLE} may name it by an absolute path"),
    }
}

fn is(program: &Path, this: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(program).is_some_and(|program| Some(program) == real(this))
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::*;

    #[test]
    fn the_persons_word_counts_then_path_and_never_this_program() {
        let root = tempfile::tempdir().unwrap();
        let install = |folder: &str, mode: u32| {
            let folder = root.path().join(folder);
            fs::create_dir(&folder).unwrap();
            let program = folder.join(PROGRAM);
            fs::write(&program, "").unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            program
        };
        let (plain, first, second) = (
            install("plain", 0o644),
            install("first", 0o755),
            install("second", 0o755),
        );
        let this = root.path().join("proofmark");
        fs::write(&this, "").unwrap();
        fs::set_permissions(&this, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(root.path().join("own")).unwrap();
        let own = root.path().join("own").join(PROGRAM);
        std::os::unix::fs::symlink(&this, &own).unwrap();
        let path = |programs: &[&Path]| -> OsString {
            std::env::join_paths(programs.iter().map(|program| program.parent().unwrap())).unwrap()
        };
        let all = path(&[&plain, &own, &first, &second]);
        type Case<'a> = (Option<&'a OsStr>, Option<&'a OsStr>, Result<&'a Path, &'a str>);
        let cases: [Case<'_>; 9] = [
            (None, Some(&all), Ok(&first)),
            (Some(OsStr::new("")), Some(&all), Ok(&first)),
            (Some(second.as_os_str()), Some(&all), Ok(&second)),
            (Some(second.as_os_str()), None, Ok(&second)),
            (Some(own.as_os_str()), Some(&all), Err("can't wrap itself")),
            (Some(plain.as_os_str()), Some(&all), Err("no program")),
            (Some(OsStr::new("codex")), Some(&all), Err("absolute path")),
            (None, Some(OsStr::new("")), Err("no `codex` is on PATH")),
            (None, None, Err("PATH is not set")),
        ];
        for (set, path, expected) in cases {
            match (find(set, path, &this), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(error), Err(piece)) => assert!(error.to_string().contains(piece), "{error}"),
                (found, expected) => panic!("{found:?} instead of {expected:?}"),
            }
        }
        // Followed, this folder would lead to a program.
        let here = std::env::current_dir().unwrap();
        let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
        let relative = up.join(first.parent().unwrap().strip_prefix("/").unwrap());
        assert!(relative.join(PROGRAM).exists());
        assert!(find(None, Some(relative.as_os_str()), &this).is_err());
    }
}
