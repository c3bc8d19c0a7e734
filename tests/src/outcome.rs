//! What a step came to, as Claude Code would take it, and what of it falls short of an expectation.
//! Playing steps stays out.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use proofmark_protocol::query::{Claim, ClaimState, Status};
use serde_json::Value;

use crate::case::{Act, ClaimWish, Expect, State, Wish};
use crate::process::Finished;
use crate::world::World;

/// So much of what was said is repeated in a complaint, in characters.
const QUOTE: usize = 400;

/// What a step came to.
#[derive(Debug, Clone)]
pub struct Answer {
    decision: Decided,
    said: String,
    taken: Duration,
}

/// The decision, as the harness takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    Allowed,
    Blocked,
    /// The program failed: exit code, none for a signal.
    Failed(Option<i32>),
}

impl Answer {
    /// What Claude Code 2.1.332 makes of a hook's exit code and output. Only what somebody sees was said: not stderr
    /// beside exit code 0. Context at a stop makes the turn go on, so it is a refusal.
    pub fn of_hook(event: Act, done: &Finished, taken: Duration) -> Self {
        let stops = matches!(event, Act::Stop | Act::SubagentStop);
        let (decision, said) = match done.code {
            Some(2) => (Decided::Blocked, done.stderr.trim().to_owned()),
            Some(0) => match serde_json::from_str::<Value>(&done.stdout) {
                Ok(answer) => {
                    let inner = &answer["hookSpecificOutput"];
                    let context = &inner["additionalContext"];
                    let seen = [
                        &answer["systemMessage"],
                        &answer["reason"],
                        &inner["permissionDecisionReason"],
                        context,
                    ];
                    let seen: Vec<&str> = seen
                        .into_iter()
                        .filter_map(Value::as_str)
                        .filter(|text| !text.is_empty())
                        .collect();
                    let blocks = answer["decision"] == "block"
                        || inner["permissionDecision"] == "deny"
                        || (stops && context.as_str().is_some_and(|text| !text.is_empty()));
                    (
                        if blocks { Decided::Blocked } else { Decided::Allowed },
                        seen.join("\n"),
                    )
                }
                Err(_) if event == Act::Prompt => (Decided::Allowed, done.stdout.trim().to_owned()),
                Err(_) => (Decided::Allowed, String::new()),
            },
            code => (Decided::Failed(code), String::new()),
        };
        Self { decision, said, taken }
    }

    /// What a command came to: its whole output was said.
    pub fn of_command(done: &Finished, taken: Duration) -> Self {
        let decision = if done.code == Some(0) {
            Decided::Allowed
        } else {
            Decided::Failed(done.code)
        };
        Self {
            decision,
            said: format!("{}{}", done.stdout, done.stderr),
            taken,
        }
    }
}

/// What falls short, a line each.
///
/// # Errors
/// `proofmark claims` or `proofmark status` fails, or prints something else than it should.
pub fn shortfalls(expect: &Expect, answer: &Answer, world: &World) -> Result<Vec<String>> {
    let mut bad = spoken(expect, answer);
    if expect.claims.is_some() || expect.state.is_wanted() {
        let claims: Vec<Claim> =
            serde_json::from_value(Value::Array(world.claims()?)).context("the claims have another form")?;
        bad.extend(state(&expect.state, &claims));
        bad.extend(
            expect
                .claims
                .as_ref()
                .map_or_else(Vec::new, |wishes| listed(wishes, &claims)),
        );
    }
    if expect.refusals.is_some() || expect.state.is_of_scope() {
        let done = world
            .proofmark(&["status", "--json"])?
            .success()
            .context("proofmark status --json")?;
        let status: Status = serde_json::from_str(&done.stdout).context("the status has another form")?;
        let found: u64 = status.sessions.iter().map(|session| session.refusals).sum();
        if expect.refusals.is_some_and(|wanted| wanted != found) {
            bad.push(format!("{found} refusals, wanted {:?}", expect.refusals));
        }
        bad.extend(scope(&expect.state, &status));
    }
    for beginning in &expect.files {
        let mut names = fs::read_dir(world.state())?.flatten().map(|entry| entry.file_name());
        if !names.any(|name| name.to_string_lossy().starts_with(beginning.as_str())) {
            bad.push(format!("the state folder holds no file {beginning:?}"));
        }
    }
    Ok(bad)
}

fn spoken(expect: &Expect, answer: &Answer) -> Vec<String> {
    let Answer { decision, said, taken } = answer;
    let mut bad = Vec::new();
    let fits = match expect.decision {
        Wish::Block => *decision == Decided::Blocked,
        Wish::Allow | Wish::Advise => *decision == Decided::Allowed,
        Wish::Speak => !matches!(decision, Decided::Failed(_)),
        Wish::Fail => matches!(decision, Decided::Failed(_)),
    };
    if !fits {
        bad.push(format!(
            "{decision:?}, wanted {:?}; said {:?}",
            expect.decision,
            short(said)
        ));
    }
    if matches!(expect.decision, Wish::Advise | Wish::Speak) && said.is_empty() {
        bad.push("said nothing".to_owned());
    }
    if expect.silent && !said.is_empty() {
        bad.push(format!("spoke: {}", short(said)));
    }
    let lower = said.to_lowercase();
    let holds = |text: &&String| lower.contains(&text.to_lowercase());
    bad.extend(
        expect
            .mentions
            .iter()
            .filter(|text| !holds(text))
            .map(|text| format!("does not mention {text:?} in {:?}", short(said))),
    );
    bad.extend(
        expect
            .not_mentions
            .iter()
            .filter(holds)
            .map(|text| format!("must not say {text:?}: {:?}", short(said))),
    );
    if expect.max_seconds.is_some_and(|limit| taken.as_secs_f64() > limit) {
        bad.push(format!("took {taken:?}"));
    }
    bad
}

/// What the scope of the session heard of last lacks.
fn scope(wanted: &State, status: &Status) -> Vec<String> {
    let scope = status
        .sessions
        .first()
        .map(|session| session.scope.clone())
        .unwrap_or_default();
    let mut bad = Vec::new();
    if wanted.phase.is_some_and(|phase| phase != scope.phase) {
        bad.push(format!("the scope is {scope:?}, wanted {:?}", wanted.phase));
    }
    let holds = |text: &String| {
        scope
            .contract
            .as_ref()
            .is_some_and(|contract| contract.contains(text.as_str()))
    };
    if wanted.contract_has.as_ref().is_some_and(|text| !holds(text)) {
        bad.push(format!("the contract is {:?}", scope.contract));
    }
    bad
}

impl State {
    fn is_of_scope(&self) -> bool {
        self.phase.is_some() || self.contract_has.is_some()
    }

    fn is_wanted(&self) -> bool {
        self.open.is_some() || self.open_count.is_some() || !self.turns.is_empty() || !self.outcome.is_empty()
    }
}

fn state(wanted: &State, claims: &[Claim]) -> Vec<String> {
    let mut bad = Vec::new();
    let mut open: Vec<&str> = claims
        .iter()
        .filter(|claim| claim.state == ClaimState::Open)
        .map(|claim| claim.claim.as_str())
        .collect();
    open.sort_unstable();
    if let Some(wanted) = &wanted.open {
        let mut wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        wanted.sort_unstable();
        if open != wanted {
            bad.push(format!("the open claims are {open:?}"));
        }
    }
    if wanted.open_count.is_some_and(|count| count != open.len()) {
        bad.push(format!("{} open claims: {open:?}", open.len()));
    }
    let called = |text: &str| claims.iter().filter(|claim| claim.claim == text).collect::<Vec<_>>();
    for (text, turns) in &wanted.turns {
        let found: Vec<u64> = called(text).iter().map(|claim| claim.turns).collect();
        if found != [*turns] {
            bad.push(format!("turns of {text:?}: {found:?}"));
        }
    }
    for (text, state) in &wanted.outcome {
        let found: Vec<ClaimState> = called(text).iter().map(|claim| claim.state).collect();
        if found != [*state] {
            bad.push(format!("state of {text:?}: {found:?}"));
        }
    }
    bad
}

/// Each wish must be met by a claim of its own, and no claim may be left.
fn listed(wishes: &[ClaimWish], claims: &[Claim]) -> Vec<String> {
    let mut left: Vec<&Claim> = claims.iter().collect();
    let mut bad = Vec::new();
    for wish in wishes {
        match left.iter().position(|claim| meets(wish, claim, claims)) {
            Some(at) => drop(left.remove(at)),
            None => bad.push(format!("no claim is as {wish:?}")),
        }
    }
    if !bad.is_empty() || !left.is_empty() {
        bad.push(format!("the claims left over are {left:#?}"));
    }
    bad
}

fn meets(wish: &ClaimWish, claim: &Claim, claims: &[Claim]) -> bool {
    let text_of = |id: &String| {
        claims
            .iter()
            .find(|claim| claim.id == *id)
            .map_or("", |claim| claim.claim.as_str())
    };
    let by = claim.settled_by.as_ref();
    let is =
        |wanted: &Option<String>, found: Option<&str>| wanted.as_deref().is_none_or(|text| text == found.unwrap_or(""));
    wish.claim == claim.claim
        && wish.state == claim.state
        && is(&wish.session, Some(&claim.session))
        && is(&wish.agent, claim.agent.as_deref())
        && is(&wish.tool, by.map(|call| call.tool.as_str()))
        && is(&wish.call, by.map(|call| call.call.as_str()))
        && is(&wish.rewords, claim.rewords.as_ref().map(text_of))
        && wish.matched.is_none_or(|matched| claim.matched == Some(matched))
        && wish.turns.is_none_or(|turns| turns == claim.turns)
        && wish.refusals.is_none_or(|refusals| refusals == claim.refusals)
        && wish
            .why
            .as_ref()
            .is_none_or(|why| claim.why.as_ref().is_some_and(|found| found.contains(why.as_str())))
}

fn short(text: &str) -> String {
    text.chars().take(QUOTE).collect()
}

#[cfg(test)]
#[path = "outcome/tests.rs"]
mod tests;
