//! One question to a small model about a reply: word lists, runners, the answer; in time or not at all.
//! Which harness asks, and what a finding leads to, stays out.

mod answer;
mod bench;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod leftovers;
pub mod list;
mod process;
mod question;
mod runner;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fnv::FnvHasher;
use proofmark_protocol::judge::JudgeTry;
use proofmark_protocol::settings::JudgeRunner;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::checks::plain_words::Answer;
use crate::text::NotQuoted;
use answer::Unusable;
use bench::Bench;
use list::WordList;
pub use question::Inquiry;

/// Runners that run at the same time, of all sessions.
const AT_ONCE: usize = 2;
/// Answers that are remembered.
const MAX_ANSWERS: usize = 256;

/// What a question is put with.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The lists, each name once.
    pub lists: Vec<WordList>,
    /// The runners, in the order in which they are tried.
    pub runners: Vec<JudgeRunner>,
    /// How long the answer is waited for, all runners together.
    pub wait: Duration,
}

/// What came of a question.
#[derive(Debug, Clone)]
pub struct Opinion {
    /// The answer; else why there is none, in a few words.
    pub answer: Result<Answer, Missing>,
    /// The runner whose answer it is.
    pub runner: Option<String>,
    /// The runners that were tried in vain.
    pub tries: Vec<JudgeTry>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// In a few words.
    pub why: String,
    /// True when a runner did answer, and only could not show that it applied the lists: nothing for a person to mend.
    pub answered: bool,
}

/// The judge of one process.
pub struct Judge {
    answers: Mutex<VecDeque<Known>>,
    bench: Bench,
    permits: Semaphore,
    salt: u64,
    dropped: Mutex<BTreeMap<&'static str, u64>>,
}

/// An answer that was given before.
struct Known {
    key: u64,
    answer: Answer,
    runner: String,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            answers: Mutex::default(),
            bench: Bench::default(),
            permits: Semaphore::new(AT_ONCE),
            salt: RandomState::new().hash_one("proofmark"),
            dropped: Mutex::default(),
        }
    }
}

impl Plan {
    /// What makes two questions the same one: lists and reply.
    pub fn key(&self, reply: &str) -> u64 {
        let mut hasher = FnvHasher::default();
        for list in &self.lists {
            let parts = [&list.name, &list.meaning]
                .into_iter()
                .chain(&list.matching)
                .chain(&list.not_match);
            for part in parts {
                hasher.write(part.as_bytes());
                hasher.write_u8(0);
            }
            hasher.write_u8(1);
        }
        hasher.write(reply.as_bytes());
        hasher.finish()
    }

    /// How long a question may take at all: an answer that comes after the wait is still told at the next prompt.
    pub fn limit(&self) -> Duration {
        self.wait * 2
    }
}

impl Judge {
    /// Puts the question to one runner after the other until one answers. Ends within [`Plan::limit`], at once when all
    /// have failed; dropped before, it ends the runner that runs.
    pub async fn ask(&self, plan: &Plan, inquiry: &Inquiry) -> Opinion {
        let key = plan.key(&inquiry.reply);
        if let Some(opinion) = self.known(key) {
            return opinion;
        }
        let begun = Instant::now();
        let Ok(Ok(_permit)) = timeout(plan.wait, self.permits.acquire()).await else {
            let why = "too many questions are being answered".to_owned();
            let answered = false;
            return Opinion {
                answer: Err(Missing { why, answered }),
                runner: None,
                tries: Vec::new(),
            };
        };
        let question = question::question(&plan.lists, inquiry, self.salt);
        let mut tries = Vec::new();
        let mut answered = false;
        for (at, runner) in plan.runners.iter().enumerate() {
            let name = runner.name.clone();
            let mut failed = |why: String| {
                tries.push(JudgeTry {
                    runner: name.clone(),
                    why,
                })
            };
            if let Some(why) = self.bench.why(&runner.command, Instant::now()) {
                failed(why);
                continue;
            }
            let program = match runner::program(runner) {
                Ok(program) => program,
                Err(why) => {
                    self.bench.put(&name, &runner.command, &why, Instant::now());
                    failed(why);
                    continue;
                }
            };
            let behind = plan.runners[at + 1..]
                .iter()
                .filter(|next| self.bench.why(&next.command, Instant::now()).is_none());
            let share = share(plan, begun.elapsed(), behind.count());
            let printed = match timeout(share, process::run(&program, &question.text)).await {
                Ok(Ok(printed)) => printed,
                other => {
                    let why = match other {
                        Ok(Err(error)) => error.to_string(),
                        _ => format!("it did not answer within {:.1} s", share.as_secs_f64()),
                    };
                    self.bench.put(&name, &runner.command, &why, Instant::now());
                    failed(why);
                    continue;
                }
            };
            // An answer that can't be used is no reason to set the runner aside: the reply may have led it astray.
            match answer::read(&printed, &question) {
                Ok(answer) => {
                    self.remember(key, &answer, &name);
                    let runner = Some(name);
                    let answer = Ok(answer);
                    return Opinion { answer, runner, tries };
                }
                Err(why) => {
                    answered |= why == Unusable::NoCanary;
                    failed(why.to_string());
                }
            }
        }
        let told: Vec<String> = tries
            .iter()
            .map(|failed| format!("{}: {}", failed.runner, failed.why))
            .collect();
        let why = if told.is_empty() {
            "no runner is set".to_owned()
        } else {
            told.join("; ")
        };
        Opinion {
            answer: Err(Missing { why, answered }),
            runner: None,
            tries,
        }
    }

    /// Counts an answer that was not used, by its reason.
    pub fn drop_answer(&self, why: NotQuoted) {
        let mut dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        *dropped.entry(why.why()).or_default() += 1;
    }

    /// What is not as it should be with the runners, and what was dropped, a sentence each.
    pub fn told(&self) -> Vec<String> {
        let mut told = self.bench.told(Instant::now());
        let dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(
            dropped
                .iter()
                .map(|(why, count)| format!("Answers of the judge that were not used because {why}: {count}.")),
        );
        told
    }

    fn known(&self, key: u64) -> Option<Opinion> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.iter().find(|known| known.key == key)?;
        Some(Opinion {
            answer: Ok(known.answer.clone()),
            runner: Some(known.runner.clone()),
            tries: Vec::new(),
        })
    }

    fn remember(&self, key: u64, answer: &Answer, runner: &str) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() == MAX_ANSWERS {
            answers.pop_front();
        }
        let (answer, runner) = (answer.clone(), runner.to_owned());
        answers.push_back(Known { key, answer, runner });
    }
}

/// A runner's part of what is left of the wait; the last one may go on beyond it, for the next prompt.
fn share(plan: &Plan, used: Duration, behind: usize) -> Duration {
    match u32::try_from(behind) {
        Ok(0) => plan.limit().saturating_sub(used),
        Ok(behind) => plan.wait.saturating_sub(used) / (behind + 1),
        Err(_) => Duration::ZERO,
    }
}
