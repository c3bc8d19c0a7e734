//! One program for all fuzz targets: libFuzzer's, which calls the target that the environment names.
//! What the targets hold stands in their own files; how they are run, in `docs/fuzzing.md`.
#![no_main]

#[allow(dead_code)]
#[path = "../../../client/src/child.rs"]
mod child;
mod input;
#[path = "installer.rs"]
mod install;
mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

/// The variable that names the target.
const TARGET: &str = "PROOFMARK_FUZZ_TARGET";

static CHOSEN: OnceLock<targets::Target> = OnceLock::new();

fn chosen() -> targets::Target {
    let name = std::env::var(TARGET).unwrap_or_default();
    let known = targets::ALL.iter().find(|(known, _)| *known == name);
    let Some((_, target)) = known else {
        let all: Vec<&str> = targets::ALL.iter().map(|(name, _)| *name).collect();
        eprintln!("{TARGET} has to be one of: {}", all.join(" "));
        std::process::exit(2);
    };
    *target
}

fuzz_target!(|data: &[u8]| CHOSEN.get_or_init(chosen)(data));
