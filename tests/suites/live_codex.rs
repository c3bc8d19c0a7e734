//! Real Codex sessions with our hook, a scripted model, and no network but loopback.
//! What single events do without a harness is the other suites' business.

use anyhow::Result;
use proofmark_tests::codex::{DIRECT, SCRIPTS, starter};
use proofmark_tests::need;
use proofmark_tests::packages::{self, Cache};
use proofmark_tests::scenario;
use proofmark_tests::world::World;

const VERSION: &str = "0.171.0";

/// Plays one scenario with a model, where this machine can.
fn play(name: &str, model: &str) -> Result<()> {
    if !need::only_loopback().unwrap_or(false) {
        return need::missing("a network namespace with loopback only (tests/run live-codex)");
    }
    let pin = packages::pin("codex", VERSION)?;
    let Some(program) = Cache::from_env()?.program(&pin) else {
        return need::missing(&format!("codex {VERSION} in the package cache (fetch-packages)"));
    };
    let world = World::new()?;
    if let Err(failure) = scenario::load(name, &world)?.play(&starter(program, model), &world) {
        // Not returned: the world would not know that the test has failed, and might hide why.
        panic!("{failure:?}");
    }
    Ok(())
}

#[test]
fn an_untried_claim_is_sent_back_once() -> Result<()> {
    play("untried-claim", DIRECT)
}

#[test]
fn a_tried_claim_passes_is_recalled_and_is_settled() -> Result<()> {
    play("codex/tried-claim", DIRECT)
}

#[test]
fn a_script_that_looks_at_nothing_is_no_attempt() -> Result<()> {
    play("codex/scripts", SCRIPTS)
}

#[test]
fn new_claims_without_end_come_to_an_end() -> Result<()> {
    play("new-claim-each-time", DIRECT)
}

#[test]
fn a_verdict_that_went_stale_is_told_once() -> Result<()> {
    play("codex/stale-verdict", DIRECT)
}

#[test]
fn a_reply_that_owns_the_failure_is_left_alone() -> Result<()> {
    play("codex/owned-verdict", DIRECT)
}

#[test]
fn a_corrected_scope_is_locked_agreed_and_released() -> Result<()> {
    play("codex/scope-lock", DIRECT)
}
