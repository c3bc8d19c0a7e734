//! Which variables a server gets from whoever starts it.
//! Reading an environment, and what a variable says, stays out.

/// Whether the server gets a variable. It outlives the event that starts it, and must not carry the harness's keys and
/// tokens with it; nor that its starter was a judge's child. What the person names `PROOFMARK_ENV_…` is for the judge's runners.
pub fn is_passed_on(name: &str) -> bool {
    const NAMES: [&str; 6] = ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TMPDIR"];
    const PREFIXES: [&str; 3] = ["LC_", "XDG_", "PROOFMARK_"];
    /// What a judge's runner is known by.
    const JUDGE: [&str; 2] = ["PROOFMARK_JUDGE_CHILD", "PROOFMARK_JUDGE_RUN"];
    !JUDGE.contains(&name) && (NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_stay_behind() {
        for name in [
            "HOME",
            "PATH",
            "LC_ALL",
            "XDG_STATE_HOME",
            "PROOFMARK_CONFIG",
            "PROOFMARK_JUDGE__ENABLED",
            "PROOFMARK_ENV_JUDGE_KEY",
        ] {
            assert!(is_passed_on(name), "{name}");
        }
        for name in [
            "PROOFMARK_JUDGE_CHILD",
            "PROOFMARK_JUDGE_RUN",
            "ANTHROPIC_API_KEY",
            "CLAUDE_CODE_MESSAGING_TOKEN",
            "HOMEBREW",
            "LD_PRELOAD",
            "IFS",
        ] {
            assert!(!is_passed_on(name), "{name}");
        }
    }
}
