//! The harness versions that the live tests run against, fetched once and kept in a cache.
//! What a harness does with its hooks is not known here.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::process;

/// The largest package has 190 MB.
const FETCH_LIMIT: Duration = Duration::from_secs(15 * 60);
/// Hashing, unpacking and a first start.
const LOCAL_LIMIT: Duration = Duration::from_secs(5 * 60);
/// The file whose presence says that an install is whole; it holds the integrity that was checked.
const MARKER: &str = "installed";
/// Hashes a file the way npm writes it down: base64 of its SHA-512.
const HASH: &str = "const h = require('crypto').createHash('sha512'); \
    require('fs').createReadStream(process.argv[1]).on('data', d => h.update(d)) \
    .on('end', () => console.log('sha512-' + h.digest('base64')))";

/// One version of a harness.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The harness's name, as the product spells it.
    pub harness: String,
    /// The exact version.
    pub version: String,
    /// The program inside the package.
    program: String,
    /// What npm calls the package, by platform in npm's spelling.
    platforms: BTreeMap<String, Package>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    package: String,
    /// What npm calls this version, where that is not the version itself: one package may have a tag for each platform.
    tag: Option<String>,
    /// The program inside this package, where it is not the pin's.
    program: Option<String>,
    integrity: String,
}

/// Every pinned version, the newest of a harness first.
///
/// # Errors
/// `tests/packages.json` does not have the shape of this module's types.
pub fn pins() -> Result<Vec<Pin>> {
    serde_json::from_str(include_str!("../packages.json")).context("tests/packages.json")
}

/// The pin of one version.
///
/// # Errors
/// No such version is pinned.
pub fn pin(harness: &str, version: &str) -> Result<Pin> {
    pins()?
        .into_iter()
        .find(|pin| pin.harness == harness && pin.version == version)
        .with_context(|| format!("{harness} {version} is not pinned"))
}

impl Pin {
    /// The package for this machine, if the pin has one.
    fn package(&self) -> Option<&Package> {
        self.platforms.get(&platform(env::consts::OS, env::consts::ARCH))
    }

    /// The program inside a package.
    fn program<'a>(&'a self, package: &'a Package) -> &'a str {
        package.program.as_ref().unwrap_or(&self.program)
    }
}

/// npm's name of a platform, from Rust's.
fn platform(os: &str, arch: &str) -> String {
    let os = match os {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let arch = match arch {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}-{arch}")
}

/// What an install had to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Install {
    /// It was there already.
    Present,
    /// It was fetched and checked.
    Fetched,
    /// There is no package of this version for this machine.
    NoPackage,
}

/// The folder that keeps fetched packages.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `$PROOFMARK_TEST_CACHE`, else `$XDG_CACHE_HOME/proofmark-tests`, else `~/.cache/proofmark-tests`.
    ///
    /// # Errors
    /// None of these variables, nor `HOME`, is set.
    pub fn from_env() -> Result<Self> {
        let root = root(|name| env::var_os(name).filter(|value| !value.is_empty()));
        Ok(Self {
            root: root.context("no place for the package cache: HOME is not set")?,
        })
    }

    /// A cache in this folder.
    #[cfg(test)]
    pub(crate) fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    fn folder(&self, pin: &Pin, package: &Package) -> PathBuf {
        self.root
            .join(package.package.trim_start_matches('@').replace('/', "-"))
            .join(&pin.version)
    }

    /// The program of a version that is in the cache, whole and with the pinned integrity.
    pub fn program(&self, pin: &Pin) -> Option<PathBuf> {
        let package = pin.package()?;
        let folder = self.folder(pin, package);
        let marker = fs::read_to_string(folder.join(MARKER)).ok()?;
        (marker.trim() == package.integrity).then(|| folder.join("package").join(pin.program(package)))
    }

    /// Brings a version into the cache by npm, unless it is there.
    ///
    /// # Errors
    /// npm, node or tar is missing or fails; the package is not the pinned one, in which case nothing of it has been
    /// unpacked; its program does not start here, or calls itself another version.
    pub fn install(&self, pin: &Pin) -> Result<Install> {
        let Some(package) = pin.package() else {
            return Ok(Install::NoPackage);
        };
        if self.program(pin).is_some() {
            return Ok(Install::Present);
        }
        fs::create_dir_all(&self.root).with_context(|| format!("cannot make {}", self.root.display()))?;
        let staging = tempfile::Builder::new().prefix("fetch-").tempdir_in(&self.root)?;
        let tag = package.tag.as_ref().unwrap_or(&pin.version);
        let tarball = fetch(&format!("{}@{tag}", package.package), staging.path())?;
        self.unpack(pin, package, &tarball)?;
        Ok(Install::Fetched)
    }

    /// Checks a tarball and makes it an install; only a whole one gets the final name.
    fn unpack(&self, pin: &Pin, package: &Package, tarball: &Path) -> Result<()> {
        let actual = integrity(tarball)?;
        ensure!(
            actual == package.integrity,
            "{} is not the pinned one: it has {actual}",
            tarball.display()
        );
        let staging = tempfile::Builder::new().prefix("unpack-").tempdir_in(&self.root)?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf")
            .arg(tarball)
            .arg("-C")
            .arg(staging.path())
            .arg("--no-same-owner");
        process::run(&mut tar, b"", LOCAL_LIMIT)?.success()?;
        let version = version_of(&staging.path().join("package").join(pin.program(package)))?;
        ensure!(
            version == pin.version,
            "{} {} calls itself {version:?}",
            pin.harness,
            pin.version
        );
        fs::write(staging.path().join(MARKER), &package.integrity)?;
        let folder = self.folder(pin, package);
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent)?;
        }
        if folder.exists() && self.program(pin).is_none() {
            fs::remove_dir_all(&folder)?;
        }
        match fs::rename(staging.path(), &folder) {
            // Somebody else's install may have come first, and is as good.
            Err(failure) if self.program(pin).is_none() => {
                Err(failure).with_context(|| format!("cannot put {} in place", folder.display()))
            }
            _ => Ok(()),
        }
    }
}

fn root(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(root) = var("PROOFMARK_TEST_CACHE") {
        return Some(root.into());
    }
    let base = match var("XDG_CACHE_HOME") {
        Some(base) => PathBuf::from(base),
        None => Path::new(&var("HOME")?).join(".cache"),
    };
    Some(base.join("proofmark-tests"))
}

/// Lets npm write one package's tarball into a folder.
fn fetch(spec: &str, folder: &Path) -> Result<PathBuf> {
    let mut npm = Command::new("npm");
    // A cache of its own goes away with the folder: the tarballs are large, and nobody asks for them twice.
    npm.args(["pack", spec, "--silent", "--cache"])
        .arg(folder.join("npm"))
        .current_dir(folder);
    process::run(&mut npm, b"", FETCH_LIMIT)?
        .success()
        .with_context(|| format!("npm pack {spec}"))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "tgz") {
            return Ok(path);
        }
    }
    bail!("npm pack {spec} left no tarball")
}

fn integrity(file: &Path) -> Result<String> {
    let done = process::run(Command::new("node").args(["-e", HASH]).arg(file), b"", LOCAL_LIMIT)?.success()?;
    Ok(done.stdout.trim().to_owned())
}

/// The first number in what a program prints for `--version`, as `2.1.332 (Claude Code)` or `codex-cli 0.171.0`; it sees neither the caller's home nor environment.
fn version_of(program: &Path) -> Result<String> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .arg("--version")
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let done = process::run(&mut command, b"", LOCAL_LIMIT)?.success()?;
    let mut words = done.stdout.split_whitespace();
    let number = words.find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    Ok(number.unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_whole() {
        let pins = pins().unwrap();
        assert!(pins.len() >= 2);
        for pin in pins {
            assert!(pin.platforms.contains_key("linux-x64"), "{pin:?}");
            for package in pin.platforms.values() {
                // 64 bytes in base64.
                assert_eq!(package.integrity.len(), "sha512-".len() + 88, "{package:?}");
            }
        }
    }

    #[test]
    fn platforms_are_named_as_npm_does() {
        let cases = [
            ("linux", "x86_64", "linux-x64"),
            ("linux", "aarch64", "linux-arm64"),
            ("macos", "aarch64", "darwin-arm64"),
            ("windows", "x86_64", "win32-x64"),
        ];
        for (os, arch, name) in cases {
            assert_eq!(platform(os, arch), name);
        }
    }

    #[test]
    fn the_cache_has_one_place() {
        type Case<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let cases: [Case; 4] = [
            (&[("HOME", "/h")], Some("/h/.cache/proofmark-tests")),
            (&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")], Some("/x/proofmark-tests")),
            (
                &[("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("PROOFMARK_TEST_CACHE", "/p")],
                Some("/p"),
            ),
            (&[], None),
        ];
        for (vars, expected) in cases {
            let found = root(|name| {
                vars.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).into())
            });
            assert_eq!(found.as_deref(), expected.map(Path::new), "{vars:?}");
        }
    }

    /// A tarball with a program that prints `version`, and a pin and a cache for it.
    struct Toy {
        folder: tempfile::TempDir,
        tarball: PathBuf,
        cache: Cache,
    }

    impl Toy {
        fn new(version: &str) -> Self {
            use std::os::unix::fs::PermissionsExt;
            let folder = tempfile::tempdir().unwrap();
            let package = folder.path().join("package");
            fs::create_dir(&package).unwrap();
            let program = package.join("toy");
            fs::write(&program, format!("#!/bin/sh\necho {version} '(toy)'\n")).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            let tarball = folder.path().join("toy.tgz");
            let mut tar = Command::new("tar");
            tar.arg("-czf")
                .arg(&tarball)
                .arg("-C")
                .arg(folder.path())
                .arg("package");
            process::run(&mut tar, b"", LOCAL_LIMIT).unwrap().success().unwrap();
            let cache = Cache {
                root: folder.path().join("cache"),
            };
            fs::create_dir(&cache.root).unwrap();
            Self { folder, tarball, cache }
        }

        fn pin(&self, integrity: &str) -> Pin {
            let package = Package {
                package: "@toys/toy".to_owned(),
                tag: None,
                program: None,
                integrity: integrity.to_owned(),
            };
            Pin {
                harness: "toy".to_owned(),
                version: "1.2.3".to_owned(),
                program: "toy".to_owned(),
                platforms: [(platform(env::consts::OS, env::consts::ARCH), package)].into(),
            }
        }

        fn unpack(&self, pin: &Pin) -> Result<()> {
            self.cache.unpack(pin, pin.package().unwrap(), &self.tarball)
        }

        fn left_over(&self) -> usize {
            fs::read_dir(&self.cache.root).unwrap().count()
        }
    }

    #[test]
    fn only_the_pinned_bytes_are_unpacked() {
        let toy = Toy::new("1.2.3");
        let refused = toy.unpack(&toy.pin("sha512-other")).unwrap_err();
        assert!(refused.to_string().contains("is not the pinned one"), "{refused}");
        assert_eq!(toy.left_over(), 0);
        let pin = toy.pin(&integrity(&toy.tarball).unwrap());
        assert_eq!(toy.cache.program(&pin), None);
        toy.unpack(&pin).unwrap();
        let program = toy.cache.program(&pin).unwrap();
        assert!(program.starts_with(toy.folder.path()) && program.exists());
        assert_eq!(toy.cache.install(&pin).unwrap(), Install::Present);
    }

    #[test]
    fn a_program_of_another_version_is_not_installed() {
        let toy = Toy::new("1.2.4");
        let refused = toy.unpack(&toy.pin(&integrity(&toy.tarball).unwrap())).unwrap_err();
        assert!(refused.to_string().contains("calls itself \"1.2.4\""), "{refused}");
        assert_eq!(toy.left_over(), 0);
    }

    #[test]
    fn half_an_install_is_made_anew() {
        let toy = Toy::new("1.2.3");
        let pin = toy.pin(&integrity(&toy.tarball).unwrap());
        toy.unpack(&pin).unwrap();
        let program = toy.cache.program(&pin).unwrap();
        let marker = program.parent().unwrap().with_file_name(MARKER);
        // No marker at all, one that was cut off, and one of other bytes under the same version.
        for spoilt in [None, Some(""), Some("sha512-other")] {
            match spoilt {
                None => fs::remove_file(&marker).unwrap(),
                Some(text) => fs::write(&marker, text).unwrap(),
            }
            fs::write(&program, "half").unwrap();
            assert_eq!(toy.cache.program(&pin), None, "{spoilt:?}");
            toy.unpack(&pin).unwrap();
            assert_ne!(fs::read_to_string(toy.cache.program(&pin).unwrap()).unwrap(), "half");
        }
    }
}
