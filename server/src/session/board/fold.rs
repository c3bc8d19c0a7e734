//! How calls that begin and end become rows of the board.
//! What a command runs, changes and came to is asked of `evidence/`.

use super::{Board, Change, CheckRow, MAX_CHANGES, MAX_CHECKS, MAX_RUNNING, MAX_RUNS, MAX_USED, Ran, Used};
use crate::evidence::call::{self, CallFacts, Known};
use crate::evidence::check::{self, Run};
use crate::evidence::memo;
use crate::evidence::shell::{Changed, Changes};
use crate::evidence::verdict::{self, Came, Counts, Outcome, Verdict};
use crate::session::entry::{Ending, ToolKind};
use crate::text::quote;

/// The longest quote of a command, in characters.
const MAX_COMMAND: usize = 120;
/// The longest quote of what was called, in characters.
const MAX_INPUT: usize = 40;
/// The longest sentence or reason, in characters.
const MAX_SENTENCE: usize = 200;
/// Places of a run that are kept, and the longest of them, in characters.
const MAX_PLACES: (usize, usize) = (3, 200);

/// A call that begins.
#[derive(Clone, Copy)]
pub(in crate::session) struct Begun<'a> {
    /// The harness's id; without one no end can be joined to it.
    pub(in crate::session) id: &'a str,
    /// The person's turn.
    pub(in crate::session) turn: u64,
    /// The folder in which the agent works.
    pub(in crate::session) cwd: Option<&'a str>,
    /// What the tool is for.
    pub(in crate::session) kind: &'a ToolKind,
    /// What it was asked.
    pub(in crate::session) input: &'a str,
    /// The files that it is to change, as it names them.
    pub(in crate::session) changes: &'a [String],
}

/// A call that ends, or goes on in the background.
#[derive(Clone, Copy)]
pub(in crate::session) struct Ended<'a> {
    /// The harness's id.
    pub(in crate::session) id: &'a str,
    /// What the tool is for, where the running turn still shows the call.
    pub(in crate::session) kind: Option<&'a ToolKind>,
    /// How.
    pub(in crate::session) ending: Ending,
    /// Its exit code, where the record tells one.
    pub(in crate::session) exit: Option<i32>,
    /// What it showed.
    pub(in crate::session) output: &'a str,
    /// True when an end of it may be known already.
    pub(in crate::session) again: bool,
}

impl Board {
    /// Folds the beginning of a call; says what it did so far.
    pub(in crate::session) fn begin(&mut self, begun: &Begun<'_>) -> CallFacts {
        self.calls += 1;
        let ToolKind::Shell { command } = begun.kind else {
            let facts = call::facts(begun.kind, None);
            if facts.mutated != Known::No {
                self.touch(begun, begun.changes.to_vec(), begun.changes.is_empty());
            }
            return facts;
        };
        let read = memo::command(command);
        let Changes { files, others } = read.changes();
        let facts = call::facts_with(read.effects(), begun.kind, None);
        let mut checks = false;
        match read.runs() {
            Some(runs) => {
                checks = !runs.is_empty();
                self.start(runs, begun, command);
            }
            None => self.miss(),
        }
        if facts.mutated != Known::No {
            // Whatever a run writes is its own output.
            let others = *others != Known::No && !(checks && *others == Known::Unknown);
            self.touch(begun, files.iter().map(|file| file.path.clone()).collect(), others);
        }
        facts
    }

    /// Notes that something could not be read here.
    pub(in crate::session) fn miss(&mut self) {
        self.gap = Some(self.calls);
    }

    fn start(&mut self, runs: &[Run], begun: &Begun<'_>, command: &str) {
        let started = runs.iter().cloned().map(|run| Ran {
            nth: self.calls,
            turn: begun.turn,
            call: begun.id.to_owned(),
            run: match begun.cwd {
                Some(cwd) => run.in_folder(cwd),
                None => run,
            },
            command: quote(command, MAX_COMMAND),
            verdict: Verdict::Unknown,
            because: "It has no end on record.".to_owned(),
            counts: Counts::default(),
            places: Vec::new(),
        });
        // An id that begins again means the newer call.
        self.running.retain(|ran| ran.call != begun.id || begun.id.is_empty());
        self.running.extend(started);
        while self.running.len() > MAX_RUNNING {
            // All of one command go together: how it ends is told for them together.
            let oldest = self.running.first().map(|ran| ran.nth);
            self.running.retain(|ran| Some(ran.nth) != oldest);
        }
    }

    /// Notes what a call is to change: files that it names, and whether there may be others. Until its end is known nobody
    /// can tell whether it did.
    fn touch(&mut self, begun: &Begun<'_>, named: Vec<String>, others: bool) {
        let place = |path: String| match begun.cwd {
            Some(cwd) => check::join(cwd, &path),
            None => path,
        };
        let paths = named
            .into_iter()
            .map(|path| Some(place(path)))
            .chain(others.then_some(None));
        for path in paths {
            if self.changes.len() == MAX_CHANGES {
                // What names a file and happened says most.
                let vague = |change: &Change| change.path.is_none() && change.happened != Known::Yes;
                let at = self.changes.iter().position(vague).unwrap_or_default();
                self.changes.remove(at);
            }
            self.changes.push_back(Change {
                nth: self.calls,
                turn: begun.turn,
                call: begun.id.to_owned(),
                path,
                happened: Known::Unknown,
                input: input_of(begun.input),
            });
        }
    }

    /// Folds the end of a call.
    pub(in crate::session) fn end(&mut self, ended: &Ended<'_>) {
        if ended.id.is_empty() {
            return;
        }
        match ended.ending {
            Ending::Denied => self.changes.retain(|change| change.call != ended.id),
            Ending::Succeeded => self.settle(ended),
            _ => {}
        }
        let mut started: Vec<Ran> = self.running.extract_if(.., |ran| ran.call == ended.id).collect();
        let goes_on = match ended.ending {
            Ending::Background => Some("It goes on in the background, and has no end on record."),
            Ending::Interrupted => Some("It was cut off before its end."),
            _ => None,
        };
        if let Some(because) = goes_on {
            for ran in &mut started {
                because.clone_into(&mut ran.because);
            }
            self.running.append(&mut started);
            self.running.sort_by_key(|ran| ran.nth);
        } else if started.is_empty() && ended.again {
            self.amend(ended);
        } else if ended.ending != Ending::Denied {
            self.judge(started, ended);
        }
    }

    /// A call ended well: what it was sure to change then is changed.
    fn settle(&mut self, ended: &Ended<'_>) {
        let its = self.changes.iter_mut().filter(|change| change.call == ended.id);
        let mut its: Vec<&mut Change> = its.collect();
        let (Some(kind), false) = (ended.kind, its.is_empty()) else {
            return;
        };
        // The folder stands before the paths that were noted, so their order joins them with the command's.
        let sure: Vec<bool> = match kind {
            ToolKind::Shell { command } => {
                let read = memo::command(command);
                let Changes { files, others } = read.changes();
                let files = files.iter().map(|Changed { sure, .. }| *sure);
                files.chain([*others == Known::Yes]).take(its.len()).collect()
            }
            // A tool that names no file may have changed anything, or nothing here.
            _ => its.iter().map(|change| change.path.is_some()).collect(),
        };
        if sure.len() == its.len() {
            for (change, _) in its.iter_mut().zip(sure).filter(|(_, sure)| *sure) {
                change.happened = Known::Yes;
            }
        }
    }

    /// Puts the runs of a command that ended on the board.
    fn judge(&mut self, started: Vec<Ran>, ended: &Ended<'_>) {
        if started.is_empty() {
            return;
        }
        let (started, runs): (Vec<Ran>, Vec<Run>) = started.into_iter().map(|ran| (ran.clone(), ran.run)).unzip();
        let came = verdict::each(&runs, &outcome(ended), ended.output);
        for (ran, came) in started.into_iter().zip(came) {
            self.put(came_to(ran, came));
        }
    }

    /// A later row told the end of a run again: it counts where it tells more.
    fn amend(&mut self, ended: &Ended<'_>) {
        let known = |ran: &&mut Ran| ran.call == ended.id;
        let mut known: Vec<&mut Ran> = self
            .checks
            .iter_mut()
            .flat_map(|row| &mut row.runs)
            .filter(known)
            .collect();
        let ([ran], Some(_)) = (&mut known[..], ended.exit) else {
            return;
        };
        if ended.output.is_empty() && matches!(ran.verdict, Verdict::Pass | Verdict::Fail) {
            return;
        }
        let came = verdict::each(std::slice::from_ref(&ran.run), &outcome(ended), ended.output);
        if let Some(came) = came.into_iter().next() {
            **ran = came_to(ran.clone(), came);
        }
    }

    fn put(&mut self, ran: Ran) {
        let key = ran.run.key();
        let row = match self.checks.iter_mut().find(|row| row.key == key) {
            Some(row) => row,
            None => {
                if self.checks.len() == MAX_CHECKS {
                    let newest = |row: &CheckRow| row.latest().map(|ran| ran.nth);
                    let oldest = (0..self.checks.len()).min_by_key(|at| newest(&self.checks[*at]));
                    oldest.map(|at| self.checks.remove(at));
                }
                self.checks.push(CheckRow { key, runs: Vec::new() });
                let last = self.checks.len() - 1;
                &mut self.checks[last]
            }
        };
        row.put(ran);
    }

    /// Keeps a sentence of a reply that the person was left with.
    pub(in crate::session) fn use_pass(&mut self, turn: u64, sentence: String) {
        if self.used.len() == MAX_USED {
            self.used.pop_front();
        }
        let after = self.calls;
        self.used.push_back(Used { turn, after, sentence });
    }
}

impl CheckRow {
    /// Puts a run in its place: those that went on in the background end later than others that were started after them.
    fn put(&mut self, ran: Ran) {
        let at = self.runs.partition_point(|known| known.nth < ran.nth);
        match self.runs.get_mut(at).filter(|known| known.nth == ran.nth) {
            // The same check twice in one command.
            Some(known) => *known = ran,
            None => self.runs.insert(at, ran),
        }
        let Some(older) = self.runs.len().checked_sub(MAX_RUNS) else {
            return;
        };
        let pass = self.runs[..older].iter().rposition(|ran| ran.verdict == Verdict::Pass);
        let mut at = 0..;
        self.runs
            .retain(|_| at.next().is_some_and(|at| at >= older || Some(at) == pass));
    }
}

fn came_to(ran: Ran, came: Came) -> Ran {
    let (most, longest) = MAX_PLACES;
    let place = |(path, line): (String, Option<u32>)| (quote(&path, longest), line);
    Ran {
        verdict: came.verdict,
        because: quote(&came.because, MAX_SENTENCE),
        counts: came.counts,
        places: came.places.into_iter().take(most).map(place).collect(),
        ..ran
    }
}

/// What is known of an exit status. A harness that reports a failure without a code may have stopped the command for the
/// time it took: that is no failure of a check.
fn outcome(ended: &Ended<'_>) -> Outcome {
    Outcome {
        exit: ended.exit,
        error: match ended.ending {
            Ending::Succeeded => Some(false),
            Ending::Failed if ended.exit.is_some() => Some(true),
            _ => None,
        },
    }
}

/// What was called, as long as what is kept of it may be.
pub(super) fn input_of(text: &str) -> String {
    quote(text, MAX_INPUT)
}

/// A sentence, as long as one that is kept may be.
pub(in crate::session) fn sentence(text: &str) -> String {
    quote(text, MAX_SENTENCE)
}
