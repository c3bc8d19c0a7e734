//! Real Claude Code sessions with our hook, a scripted model, and no network but loopback.
//! What single events do without a harness is the other suites' business.

use std::collections::BTreeSet;
use std::fs;

use anyhow::Result;
use proofmark_tests::claude_code::starter;
use proofmark_tests::need;
use proofmark_tests::packages::{self, Cache};
use proofmark_tests::scenario;
use proofmark_tests::world::World;

/// Plays one scenario with one version, where this machine can.
fn play(version: &str, name: &str) -> Result<()> {
    if !need::only_loopback().unwrap_or(false) {
        return need::missing("a network namespace with loopback only (tests/run live-claude-code)");
    }
    let pin = packages::pin("claude-code", version)?;
    let Some(program) = Cache::from_env()?.program(&pin) else {
        return need::missing(&format!("claude-code {version} in the package cache (fetch-packages)"));
    };
    let world = World::new()?;
    if let Err(failure) = scenario::load(name, &world)?.play(&starter(program), &world) {
        // Not returned: the world would not know that the test has failed, and might hide why.
        panic!("{failure:?}");
    }
    Ok(())
}

/// One test per version and scenario, and the list of the scenarios.
macro_rules! scenarios {
    ($($test:ident => $file:literal,)*) => {
        const PLAYED: &[&str] = &[$($file),*];

        mod claude_code_2_1_332 {
            $(#[test] fn $test() -> anyhow::Result<()> { super::play("2.1.332", $file) })*
        }

        mod claude_code_2_1_197 {
            $(#[test] fn $test() -> anyhow::Result<()> { super::play("2.1.197", $file) })*
        }
    };
}

scenarios! {
    an_untried_claim_is_sent_back_once => "untried-claim",
    a_tried_claim_passes_and_is_recalled => "tried-claim",
    new_claims_without_end_come_to_an_end => "new-claim-each-time",
    a_helpers_claim_is_sent_back_to_the_helper => "helper-claim",
    a_killed_server_loses_nothing => "killed-server",
    a_reply_that_is_only_repeated_passes => "repeated-reply",
    a_verdict_that_went_stale_is_told_once => "stale-verdict",
    a_reply_that_owns_the_failure_is_left_alone => "owned-verdict",
    a_corrected_scope_is_locked_agreed_and_released => "scope-lock",
    the_story_of_proofmark_try_comes_out_as_told => "try",
    the_story_that_editors_are_shown_comes_out_as_told => "editors",
}

#[test]
fn every_scenario_is_played() {
    let files = fs::read_dir(scenario::fixtures().join("live")).unwrap();
    let names: BTreeSet<String> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let played: BTreeSet<String> = PLAYED.iter().copied().map(str::to_owned).collect();
    assert_eq!(names, played);
}
