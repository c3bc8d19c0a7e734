//! What the doctor saw, as people read it.
//! What it means stands with each check.

use proofmark_server::harness::limits::Reach;

use super::check::{Check, State};
use super::{Patient, Report};
use crate::output::{Look, styled};

/// The whole report.
pub(crate) fn text(report: &Report) -> String {
    let mut lines = Vec::new();
    for patient in &report.harnesses {
        lines.push(styled(Look::HEAD, &patient.heading));
        lines.extend(patient.checks.iter().map(row));
        lines.extend(limits(patient));
    }
    lines.extend(report.absent.iter().map(|missing| styled(Look::DIM, missing)));
    lines.push(styled(Look::HEAD, "Server"));
    lines.extend(report.server.iter().map(row));
    let all = report
        .harnesses
        .iter()
        .flat_map(|patient| &patient.checks)
        .chain(&report.server);
    let of = |state| all.clone().filter(|check| check.state == state).count() as u64;
    lines.push(format!(
        "{} passed, {} failed, {} unchecked.",
        of(State::Pass),
        of(State::Fail),
        of(State::Unchecked)
    ));
    lines.join("\n")
}

fn row(check: &Check) -> String {
    let word = match check.state {
        State::Pass => styled(Look::GOOD, "pass     "),
        State::Fail => styled(Look::BAD, "FAIL     "),
        State::Unchecked => styled(Look::NOTE, "unchecked"),
    };
    let mend = check
        .mend
        .as_deref()
        .map_or_else(String::new, |mend| format!("\n              -> {mend}"));
    format!("  {word} {}: {}{mend}", check.check, check.what)
}

/// What even a hook that works does not bring there.
fn limits(patient: &Patient) -> Vec<String> {
    let of = |reach| {
        let limits = patient.limits.iter().filter(move |limit| limit.reach == reach);
        limits.map(|limit| limit.wanted).collect::<Vec<_>>().join("; ")
    };
    let rows = [("cannot", of(Reach::Nothing)), ("only in part", of(Reach::Part))];
    let told = rows.into_iter().filter(|(_, wanted)| !wanted.is_empty());
    told.map(|(how, wanted)| styled(Look::DIM, &format!("  {how}: {wanted}")))
        .collect()
}
