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
    if let (Some(root), Some(_)) = (root, &commit) {
        // Every commit, and every change of branch, writes there.
        println!("cargo::rerun-if-changed={}", root.join(".git/HEAD").display());
        println!("cargo::rerun-if-changed={}", root.join(".git/logs/HEAD").display());
    } else {
        println!("cargo::rerun-if-changed=build.rs");
    }
    let told = commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=PROOFMARK_VERSION={told}");
}

fn commit(root: &Path) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    let said = Command::new("git")
        .current_dir(root)
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    let is_one = said.status.success() && !commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit());
    is_one.then_some(commit)
}
