//! What the person's settings say of the reply judge, and what set-up tells of it.
//! Asking it is the server's.

use std::ffi::OsStr;

use proofmark_protocol::settings::Judge;
use proofmark_server::engine::settings;

use crate::install::harness::SPECS;
use crate::install::version;

/// How long the judge that the person has turned on may take, in seconds; none while it is off.
pub(crate) fn wait() -> Option<u64> {
    let judge = settings::of_person().judge;
    judge.enabled.then_some(judge.wait_seconds)
}

/// What the person is told of the judge when the hooks were put in: that it is off, who could answer, and what that costs.
pub(crate) fn told(path: Option<&OsStr>) -> String {
    let runners = SPECS.iter().map(|spec| spec.judge);
    let here = runners.filter(|(program, _)| version::on_path(program, path).is_some());
    let here: Vec<&str> = here.map(|(_, run)| run).collect();
    let who = if here.is_empty() {
        "no program that could run it is on your PATH".to_owned()
    } else {
        format!(
            "{} could run it, and each reply would then cost one call of that program and up to {} s at the end of the turn",
            here.join(" or "),
            Judge::default().wait_seconds
        )
    };
    format!("The reply judge is off until you turn it on (docs/judge.md): {who}.")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn set_up_names_the_programs_that_are_here_and_what_they_cost() {
        let folder = tempfile::tempdir().unwrap();
        let path = Some(folder.path().as_os_str());
        assert!(told(path).contains("no program"));
        for program in SPECS.map(|spec| spec.judge.0) {
            let file = folder.path().join(program);
            fs::write(&file, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let said = told(path);
        assert!(
            said.contains("`claude -p` or `codex exec` or `cursor-agent -p` could run it"),
            "{said}"
        );
        assert!(said.contains("one call") && said.contains("20 s"), "{said}");
    }
}
