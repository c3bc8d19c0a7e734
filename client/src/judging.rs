//! What the person's settings say of the reply judge, and what set-up tells of it.
//! Asking it is the server's.

use std::ffi::OsStr;

use proofmark_protocol::paths;
use proofmark_protocol::settings::Judge;

use crate::install::harness::SPECS;
use crate::install::tree::{Kind, Node};
use crate::install::{env, toml, version};

/// How long the judge that the person has turned on may take, in seconds; none while it is off.
pub(crate) fn wait() -> Option<u64> {
    let text = std::fs::read_to_string(paths::config_file(env)?).ok()?;
    let root = toml::parse(&text).ok()?;
    let judge = root.get("judge")?;
    let is_on = judge.get("enabled").map(|node| &node.kind) == Some(&Kind::Bool(true));
    let asked = judge.get("wait_seconds").and_then(Node::whole);
    is_on.then(|| asked.unwrap_or(Judge::default().wait_seconds))
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
