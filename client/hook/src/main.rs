//! The program that a harness starts for each event.
//! Everything it does is in the library, which `proofmark hook` runs as well.

use std::process::ExitCode;

fn main() -> ExitCode {
    proofmark_hook::run(std::env::args().nth(1))
}
