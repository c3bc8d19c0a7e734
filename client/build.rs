//! Puts the commit into the version that `proofmark --version` tells.
//! Without a repository of its own (a source archive, a folder within somebody else's repository) it is the version alone.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let root = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = root.as_deref().and_then(Path::parent);
    let commit = root.and_then(commit);
    println!("cargo::rerun-if-changed=build.rs");
    if let (Some(root), Some(_)) = (root, &commit) {
        // Every commit, and every change of branch, writes to one of them. What does not exist would count as changed.
        let files = ["HEAD", "logs/HEAD"].into_iter();
        let files = files.filter_map(|file| git(root, &["rev-parse", "--git-path", file]));
        for file in files.map(|file| root.join(file)).filter(|file| file.is_file()) {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let told = commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=PROOFMARK_VERSION={told}");
}

/// The commit of the repository whose root this is.
fn commit(root: &Path) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    let commit = git(root, &["rev-parse", "--short=12", "HEAD"])?;
    let is_one = !commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit());
    is_one.then_some(commit)
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let said = Command::new("git").current_dir(root).args(arguments).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    said.status.success().then_some(text)
}
