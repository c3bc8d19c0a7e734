//! Real editors and a strict client on the built language server: they see a finding, act on it, see it go.
//! What exactly is shown is the suite `lsp`'s.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proofmark_tests::process;
use proofmark_tests::python::{Packages, Set};
use proofmark_tests::schema::workspace;
use proofmark_tests::talk::Talk;
use proofmark_tests::world::World;
use proofmark_tests::{need, scenario};
use serde_json::json;

/// An editor's start, and some twenty messages.
const LIMIT: Duration = Duration::from_secs(120);

/// A world with a source file and an open claim about its second line.
fn world() -> Result<(World, PathBuf)> {
    let world = World::new()?;
    let file = world.project().join("retry.py");
    fs::create_dir(world.project().join(".git"))?;
    fs::write(&file, "def retry():\n    return 30\n")?;
    Talk::new(&world, "s").claim_by_hook(&world, "retry.py:2 never exceeds 30 s")?;
    Ok((world, file))
}

/// The packages; none, said aloud, where they are not in the cache.
fn packages() -> Result<Option<Packages>> {
    let packages = Packages::cached(Set::Editors)?;
    if packages.is_none() {
        need::missing("the Python packages of tests/editors in the cache (fetch-packages editors)")?;
    }
    Ok(packages)
}

#[test]
fn neovim_sees_a_claim_retires_it_and_brings_it_back() -> Result<()> {
    let Some(packages) = packages()? else { return Ok(()) };
    let (world, file) = world()?;
    let script = workspace().join("tests/editors/neovim.lua");
    let setup = world.home().join("set-up.lua");
    fs::write(&setup, lines_of_the_page("lua")?)?;
    let mut neovim = world.command(&packages.neovim());
    let path = format!("{}:/usr/bin:/bin", world.program("").display());
    neovim
        .args(["--clean", "--headless", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("PATH", path)
        .env("SETUP", &setup)
        .env("FILE", &file)
        .env("LINE", "2");
    let done = process::run(&mut neovim, b"", LIMIT)?;
    ensure!(done.code == Some(0) && done.stdout.contains("passed"), "{done:?}");
    Ok(())
}

/// What a person pastes: the first lines of a language on the page about editors.
fn lines_of_the_page(language: &str) -> Result<String> {
    let page = fs::read_to_string(workspace().join("docs/editors.md"))?;
    let begin = format!("```{language}\n");
    let lines = page
        .split_once(&begin)
        .and_then(|(_, rest)| rest.split_once("```"))
        .map(|(lines, _)| lines.to_owned());
    lines.with_context(|| format!("the page has no {language}"))
}

#[test]
fn the_set_up_of_neovim_is_five_lines_and_the_same_in_both_places() -> Result<()> {
    let lines = lines_of_the_page("lua")?;
    assert_eq!(lines.lines().count(), 5, "{lines}");
    let file = fs::read_to_string(workspace().join("editors/neovim/init.lua"))?;
    let code: Vec<&str> = file.lines().filter(|line| !line.starts_with("--")).collect();
    assert_eq!(lines.lines().collect::<Vec<_>>(), code);
    Ok(())
}

/// Whether Emacs is there, with eglot where Debian puts it or built in.
fn has_eglot(world: &World) -> Result<bool> {
    let mut emacs = world.command(&PathBuf::from("emacs"));
    emacs.args([
        "-q",
        "--batch",
        "--eval",
        "(kill-emacs (if (require 'eglot nil t) 0 1))",
    ]);
    match process::run(&mut emacs, b"", LIMIT) {
        Ok(done) => Ok(done.code == Some(0)),
        Err(failure) if is_not_found(&failure) => Ok(false),
        Err(failure) => Err(failure),
    }
}

fn is_not_found(failure: &anyhow::Error) -> bool {
    let kinds = failure.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    kinds.map(io::Error::kind).any(|kind| kind == io::ErrorKind::NotFound)
}

#[test]
fn emacs_sees_a_claim_retires_it_and_brings_it_back() -> Result<()> {
    let (world, file) = world()?;
    if !has_eglot(&world)? {
        return need::missing("emacs with eglot");
    }
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", world.program("").display());
    let mut emacs = world.command(&PathBuf::from("emacs"));
    // Not -Q: Debian's packages are found by the site's own start.
    emacs
        .args(["-q", "--batch", "-l"])
        .arg(workspace().join("tests/editors/emacs.el"))
        .env("PATH", path)
        .env("SETUP", workspace().join("editors/emacs/proofmark.el"))
        .env("FILE", &file)
        .env("LINE", "2");
    let done = process::run(&mut emacs, b"", LIMIT)?;
    ensure!(done.code == Some(0) && done.stdout.contains("passed"), "{done:?}");
    Ok(())
}

#[test]
fn a_strict_client_reads_every_message() -> Result<()> {
    let Some(packages) = packages()? else { return Ok(()) };
    let (world, file) = world()?;
    let mut pytest = world.command(&PathBuf::from("python3"));
    pytest
        .args(["-m", "pytest", "-q", "--rootdir"])
        .arg(world.project())
        .arg("-c")
        .arg(workspace().join("tests/editors/pytest.ini"))
        .arg(workspace().join("tests/editors/test_protocol.py"))
        .env("PYTHONPATH", packages.folder())
        .env(
            "SERVER",
            json!([world.program("proofmark"), "serve", "--stdio"]).to_string(),
        )
        .env("ROOT", world.project())
        .env("FILE", &file);
    let done = process::run(&mut pytest, b"", LIMIT)?;
    ensure!(done.code == Some(0) && done.stdout.contains("3 passed"), "{done:?}");
    Ok(())
}

/// What these editors are recorded as is what the other suite uses.
#[test]
fn the_recorded_capabilities_are_those_of_the_pinned_package() -> Result<()> {
    let Some(packages) = packages()? else { return Ok(()) };
    for (recorded, shipped) in [
        ("neovim-0.11", "neovim_v0.11.0"),
        ("vscode-1.65", "visual_studio_code_v1.65.2"),
        ("emacs-29.1", "emacs_v29.1"),
    ] {
        let read =
            |path: PathBuf| -> Result<serde_json::Value> { Ok(serde_json::from_str(&fs::read_to_string(path)?)?) };
        let ours = read(
            scenario::fixtures()
                .join("editors/capabilities")
                .join(format!("{recorded}.json")),
        )?;
        let theirs = read(
            packages
                .folder()
                .join("pytest_lsp/clients")
                .join(format!("{shipped}.json")),
        )?;
        assert_eq!(ours["capabilities"], theirs["capabilities"], "{recorded}");
    }
    Ok(())
}
