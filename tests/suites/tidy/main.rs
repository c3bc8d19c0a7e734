//! Rules that hold for the repository as a whole: its files, its arrows, its pages.
//! What the programs do is the other suites' business.

mod arrows;
mod files;
mod messages;
mod pages;
mod rust;
mod words;

use proofmark_protocol::{Harness, method};
use proofmark_server::checks::REGISTRY;
use proofmark_server::harness::limits::limits;
use proofmark_tests::schema;

use files::{Repo, Source};

/// What stands at the root.
const REQUIRED: &[&str] = &[
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "client",
    "clippy.toml",
    "deny.toml",
    "docs",
    "fixtures",
    "protocol",
    "rustfmt.toml",
    "server",
    "tests",
];
/// What may stand there too.
const OPTIONAL: &[&str] = &["editors"];

/// Applies a rule for single files to every file, and names the offenders.
fn every_file(rule: impl Fn(&Source) -> Option<String>) -> anyhow::Result<()> {
    let repo = Repo::read()?;
    none(
        repo.files
            .iter()
            .filter_map(|file| Some(format!("{}: {}", file.path, rule(file)?)))
            .collect(),
    )
}

fn none(offenders: Vec<String>) -> anyhow::Result<()> {
    anyhow::ensure!(
        offenders.is_empty(),
        "{} offenders:\n{}",
        offenders.len(),
        offenders.join("\n")
    );
    Ok(())
}

#[test]
fn every_module_says_what_it_is_for_and_what_stays_out() -> anyhow::Result<()> {
    every_file(rust::header)
}

#[test]
fn no_rust_file_is_long() -> anyhow::Result<()> {
    every_file(rust::length)
}

#[test]
fn the_core_asks_nothing_of_the_world() -> anyhow::Result<()> {
    every_file(rust::purity)
}

#[test]
fn harnesses_are_told_apart_in_their_own_rooms_only() -> anyhow::Result<()> {
    every_file(rust::harness)
}

#[test]
fn no_file_speaks_of_the_place_where_it_was_made() -> anyhow::Result<()> {
    every_file(words::mention)
}

#[test]
fn crates_depend_along_the_arrows_only() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    none(arrows::offenders(&|path| repo.text(path)))
}

#[test]
fn the_root_holds_what_is_listed() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    none(files::unlisted(&repo.root, REQUIRED, OPTIONAL))
}

#[test]
fn every_check_has_a_page_and_every_page_a_check() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    let codes: Vec<&str> = REGISTRY.iter().map(|check| check.code()).collect();
    let pages: Vec<&str> = repo
        .files
        .iter()
        .filter_map(|file| pages::check_of(&file.path))
        .collect();
    none(pages::differences(&codes, &pages))
}

#[test]
fn every_harness_has_a_page_with_what_it_makes_possible() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    let lacking = Harness::ALL.into_iter().filter_map(|harness| {
        let path = format!("docs/harness/{harness}.md");
        let table = limits(harness)
            .map(|limits| limits.table())
            .unwrap_or_else(|| "a table".to_owned());
        let has = repo.text(&path).is_some_and(|page| page.contains(&table));
        (!has).then(|| format!("{path} has to have\n\n{table}"))
    });
    none(lacking.collect())
}

#[test]
fn every_setting_has_a_line_with_its_values_and_its_default() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    none(pages::settings(
        &proofmark_protocol::schema::document(),
        repo.text("docs/settings.md").unwrap_or_default(),
    ))
}

#[test]
fn every_method_is_in_the_schema_and_on_its_page() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    let document = proofmark_protocol::schema::document();
    let mut offenders = pages::methods_without_schema(&method::ALL, &document);
    offenders.extend(pages::unnamed(
        &method::ALL,
        repo.text("docs/protocol.md").unwrap_or_default(),
    ));
    none(offenders)
}

#[test]
fn the_schema_in_the_repository_is_the_generated_one() -> anyhow::Result<()> {
    let repo = Repo::read()?;
    let same = repo.text(schema::FILE) == Some(schema::text()?.as_str());
    anyhow::ensure!(
        same,
        "{} is stale: cargo run -p proofmark-tests --bin generate-schema",
        schema::FILE
    );
    Ok(())
}

#[test]
fn what_a_check_says_to_the_agent_is_short() -> anyhow::Result<()> {
    none(messages::offenders())
}
