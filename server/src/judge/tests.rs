//! The judge with runners that behave, misbehave, hang, and leave processes behind.
//! What a stop does with the answer is tested end to end.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use proofmark_protocol::settings::JudgeRunner;

use super::list::shipped;
use super::{Inquiry, Judge, Opinion, Plan};

const HIT: &str = r#"{"match": true, "category": "plain-words-made-up-labels", "closest": "shim lane"}"#;

/// A runner that is a shell script in a folder of its own.
fn runner(folder: &Path, name: &str, script: &str) -> JudgeRunner {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    JudgeRunner {
        name: name.to_owned(),
        command: vec![path.to_str().unwrap().to_owned()],
        env: Vec::new(),
    }
}

/// Prints an answer with the known answer, as a model that has read the question would.
fn clean(value: &str) -> String {
    format!(
        "words=$(sed -n 's/.*left is that the \\(.*\\) has to settle.*/\\1/p')\n\
         printf '{{\"canary\": \"%s\", \"match\": {value}, \"category\": \"\", \"closest\": \"\"}}\\n' \"$words\""
    )
}

fn inquiry(reply: &str) -> Inquiry {
    Inquiry {
        reply: reply.to_owned(),
        prompt: None,
        used_first: Vec::new(),
    }
}

async fn ask(judge: &Judge, runners: Vec<JudgeRunner>, wait: Duration, reply: &str) -> Opinion {
    let lists = shipped();
    judge.ask(&Plan { lists, runners, wait }, &inquiry(reply)).await
}

const WAIT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn what_a_runner_answers_counts_when_it_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    for (name, script, expected) in [
        ("hits", format!("cat >/dev/null; echo '{HIT}'"), Ok(true)),
        ("reads-nothing", format!("echo '{HIT}'"), Ok(true)),
        ("clean", clean("false"), Ok(false)),
        ("text-true", clean("\"true\""), Ok(false)),
        (
            "last-line",
            format!("echo thinking; echo '{{\"match\": false}}'; echo '{HIT}'"),
            Ok(true),
        ),
        ("prose", format!("echo 'The answer: {HIT} - done.'"), Ok(true)),
        ("fenced", format!("printf '```json\\n%s\\n```\\n' '{HIT}'"), Ok(true)),
        ("no-json", "echo yes it matches".to_owned(), Err("no JSON object")),
        ("nothing", "true".to_owned(), Err("no JSON object")),
        (
            "unproven",
            "echo '{\"match\": false}'".to_owned(),
            Err("left out the control example"),
        ),
        (
            "wrong",
            "echo '{\"match\": true, \"canary\": \"x y\"}'".to_owned(),
            Err("got the control example wrong"),
        ),
        (
            "exit-1",
            format!("echo '{HIT}'; echo 'no login' >&2; exit 1"),
            Err("exit status: 1: no login"),
        ),
        ("not-text", "printf '\\377\\376{}'".to_owned(), Err("not UTF-8")),
        (
            "floods",
            format!("echo '{HIT}'; exec cat /dev/zero"),
            Err("more than 1048576 bytes"),
        ),
        (
            "floods-errors",
            "exec cat /dev/zero >&2".to_owned(),
            Err("more than 1048576 bytes"),
        ),
    ] {
        let judge = Judge::default();
        let opinion = ask(
            &judge,
            vec![runner(folder.path(), name, &script)],
            WAIT,
            "the shim lane",
        )
        .await;
        match (&opinion.answer, expected) {
            (Ok(answer), Ok(hit)) => assert_eq!((answer.hit, opinion.runner.as_deref()), (hit, Some(name)), "{name}"),
            (Err(missing), Err(part)) => assert!(missing.why.contains(part), "{name}: {}", missing.why),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn every_try_is_told_and_the_next_runner_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let absent = JudgeRunner {
        name: "absent".to_owned(),
        command: vec!["proofmark-no-such-program".to_owned()],
        env: Vec::new(),
    };
    let fails = runner(folder.path(), "fails", "exit 3");
    let hangs = runner(folder.path(), "hangs", "sleep 600");
    let wait = Duration::from_millis(600);
    let begun = Instant::now();
    let all = vec![absent.clone(), fails.clone(), hangs.clone()];
    let opinion = ask(&Judge::default(), all, wait, "r").await;
    assert!(opinion.answer.is_err());
    let tried: Vec<&str> = opinion.tries.iter().map(|tried| tried.runner.as_str()).collect();
    assert_eq!(tried, ["absent", "fails", "hangs"]);
    assert!(
        begun.elapsed() < wait * 8,
        "a runner that hangs is ended: {:?}",
        begun.elapsed()
    );

    let answers = runner(folder.path(), "answers", &format!("echo '{HIT}'"));
    let opinion = ask(&Judge::default(), vec![fails, answers.clone()], WAIT, "r").await;
    assert_eq!((opinion.runner.as_deref(), opinion.tries.len()), (Some("answers"), 1));
    let slow_first = vec![hangs, answers];
    let opinion = ask(&Judge::default(), slow_first, Duration::from_secs(4), "r").await;
    assert_eq!(
        opinion.runner.as_deref(),
        Some("answers"),
        "the first takes only its part of the wait: {opinion:?}"
    );
}

#[tokio::test]
async fn a_runner_that_failed_is_set_aside_and_an_answer_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let counted = |rest: &str| format!("echo x >>{}; {rest}", count.display());
    let times = || fs::read_to_string(&count).map_or(0, |text| text.lines().count());
    let judge = Judge::default();
    let fails = runner(folder.path(), "fails", &counted("exit 1"));
    for _ in 0..3 {
        ask(&judge, vec![fails.clone()], WAIT, "r").await;
    }
    assert_eq!(times(), 1);
    assert!(judge.told()[0].contains("fails is set aside"), "{:?}", judge.told());
    let answers = runner(folder.path(), "answers", &counted(&format!("echo '{HIT}'")));
    for reply in ["a", "a", "b"] {
        ask(&judge, vec![answers.clone()], WAIT, reply).await;
    }
    assert_eq!(times(), 3, "one question for each reply");
}

#[tokio::test]
async fn a_runner_stands_in_an_empty_folder_and_sees_little() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let script = format!(
        "ls -A >{0}; pwd >>{0}; env >>{0}; echo \"$@\" >>{0}; touch left; echo '{HIT}'",
        seen.display()
    );
    ask(
        &Judge::default(),
        vec![runner(folder.path(), "looks", &script)],
        WAIT,
        "the shim lane",
    )
    .await;
    let seen = fs::read_to_string(seen).unwrap();
    let stood = seen.lines().next().unwrap();
    assert!(
        stood.contains("proofmark-judge-"),
        "nothing is listed before the folder's own path: {seen}"
    );
    assert!(!Path::new(stood).exists(), "the folder is gone");
    assert!(seen.contains("PROOFMARK_JUDGE_CHILD=1"));
    assert!(!seen.contains("CARGO") && !seen.contains("shim lane"), "{seen}");
}

/// Children in the group, children that left it, and one that holds the pipes: all gone, ended or not.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_process_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let children = format!(
        "sleep 601 & echo $! >>{0}\nsetsid sh -c 'echo $$ >>{0}; exec sleep 602' &\n(setsid sleep 603 & echo $! >>{0}) &\n\
         while [ \"$(wc -l <{0})\" -lt 3 ]; do sleep 0.02; done\n",
        pids.display()
    );
    let running = || {
        let pids = fs::read_to_string(&pids).unwrap();
        let state = |pid: &str| fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // A zombie is nobody: its parent, which is not ours, has yet to look.
        let runs = |pid: &&str| {
            state(pid)
                .rsplit(") ")
                .next()
                .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
        };
        pids.lines().filter(runs).count()
    };
    for (name, end, wait) in [
        ("answers", format!("echo '{HIT}'"), WAIT),
        ("hangs", "sleep 604".to_owned(), Duration::from_millis(900)),
    ] {
        fs::write(&pids, "").unwrap();
        let script = format!("{children}{end}");
        let opinion = ask(&Judge::default(), vec![runner(folder.path(), name, &script)], wait, "r").await;
        assert_eq!(opinion.answer.is_ok(), name == "answers", "{opinion:?}");
        assert_eq!(fs::read_to_string(&pids).unwrap().lines().count(), 3, "{name}");
        let begun = Instant::now();
        while running() > 0 && begun.elapsed() < Duration::from_secs(5) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(running(), 0, "{name}");
    }
}

#[tokio::test]
async fn a_question_that_is_given_up_ends_its_runner() {
    let folder = tempfile::tempdir().unwrap();
    let ended = folder.path().join("pid");
    let script = format!("echo $$ >{}; exec sleep 605", ended.display());
    let runner = runner(folder.path(), "hangs", &script);
    let judge = Judge::default();
    let given_up = tokio::time::timeout(Duration::from_millis(700), ask(&judge, vec![runner], WAIT, "r"));
    assert!(given_up.await.is_err());
    let pid: i32 = fs::read_to_string(ended).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let begun = Instant::now();
    while rustix::process::test_kill_process(pid).is_ok() && begun.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(
        rustix::process::test_kill_process(pid).is_err(),
        "it is ended and collected"
    );
}
