//! What the dependencies may be, as `deny.toml` says it, looked at by cargo-deny.
//! Known vulnerabilities stay out: their database is not part of the repository and is not fetched.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use proofmark_tests::need;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::python::{Packages, Set};
use proofmark_tests::schema::workspace;

/// Cargo may have to fetch crates of other systems first.
const LIMIT: Duration = Duration::from_secs(5 * 60);

/// What cargo-deny says of a workspace by our rules; none where it is not installed.
fn look(manifest: &Path, what: &[&str]) -> Result<Option<Finished>> {
    let Some(packages) = Packages::cached(Set::Deny)? else {
        need::missing("cargo-deny (tests/run deny fetches it)")?;
        return Ok(None);
    };
    let mut deny = Command::new(packages.cargo_deny());
    deny.arg("--color=never")
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--config")
        .arg(workspace().join("deny.toml"))
        .args(["check", "--hide-inclusion-graph"])
        .args(what);
    process::run(&mut deny, b"", LIMIT).map(Some)
}

#[test]
fn our_dependencies_are_allowed() {
    if let Some(done) = look(&workspace().join("Cargo.toml"), &["licenses", "bans", "sources"]).unwrap() {
        done.success().unwrap();
    }
}

#[test]
fn a_licence_that_is_not_allowed_is_found() {
    for (licence, allowed) in [("MIT", true), ("GPL-3.0-only", false)] {
        let toy = tempfile::tempdir().unwrap();
        let manifest = toy.path().join("Cargo.toml");
        let text =
            format!("[package]\nname = \"toy\"\nversion = \"1.0.0\"\nedition = \"2024\"\nlicense = \"{licence}\"\n");
        fs::write(&manifest, text).unwrap();
        fs::create_dir(toy.path().join("src")).unwrap();
        fs::write(toy.path().join("src/lib.rs"), "").unwrap();
        // The toy needs none of the other licences, which ours may not have without a need.
        let Some(done) = look(&manifest, &["--allow=license-not-encountered", "licenses"]).unwrap() else {
            return;
        };
        assert_eq!(done.code == Some(0), allowed, "{licence}: {}", done.stderr);
    }
}
