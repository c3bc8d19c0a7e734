//! What is timed, and in which order: programs that do nothing, and the hook with events.
//! Which events, and figures, stay out.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::event::{Event, timed};
use super::figures::Timed;
use super::sessions::Sessions;
use crate::need;
use crate::world::{PATH, World};

/// An event takes at most so many times the empty program.
const BOUND: f64 = 2.0;
/// How often a row may be run before it is timed until it answers as it should: a long record is not read at once.
const TRIES: usize = 100;
/// How often each row is run before it is timed.
const WARM_UP: usize = 3;

/// What a row runs.
enum Runs {
    /// A program, with an empty stdin.
    Plain(PathBuf, &'static [&'static str]),
    /// The hook, with a server that runs and has read the record.
    Warm(Box<Event>),
    /// The hook, with no server.
    Cold(Box<Event>),
    /// The server, from its start to its first connection.
    Server,
}

/// Something to time.
struct Row {
    name: String,
    bound: Option<f64>,
    runs: Runs,
}

/// Rows that are timed in the same rounds. The first one is the empty program.
pub struct Rows<'a> {
    world: &'a World,
    rows: Vec<Row>,
    runs: u64,
}

impl<'a> Rows<'a> {
    /// Programs that do nothing, and every event with a server that runs; the end of a turn by how long the record is, in
    /// megabytes.
    ///
    /// # Errors
    /// The sessions cannot be made ready.
    pub fn warm(world: &'a World, empty: &Path, lengths: &[u64]) -> Result<Self> {
        world.proofmark(&["serve", "--detach"])?.success()?;
        let mut sessions = Sessions::new(world)?;
        let mut events = sessions.of_records()?;
        events.extend(sessions.of_cursor()?);
        events.extend(sessions.by_length(lengths)?);
        let events = events.into_iter().map(|(name, event)| Row {
            name,
            bound: Some(BOUND),
            runs: Runs::Warm(Box::new(event)),
        });
        let mut rows = vec![plain("an empty static program", empty.to_owned(), &[])];
        for (name, program, arguments) in [
            ("true", "true", &[][..]),
            ("python3 -c pass", "python3", &["-c", "pass"][..]),
        ] {
            match find(program) {
                Some(path) => rows.push(plain(name, path, arguments)),
                None => need::missing(program)?,
            }
        }
        rows.extend(events);
        Ok(Self { world, rows, runs: 0 })
    }

    /// The empty program, a server that starts, and every event where the hook has to start one.
    ///
    /// # Errors
    /// The sessions cannot be made ready.
    pub fn cold(world: &'a World, empty: &Path) -> Result<Self> {
        let mut sessions = Sessions::new(world)?;
        let mut events = sessions.of_records()?;
        events.extend(sessions.of_cursor()?);
        events.extend(sessions.by_length(&[1])?);
        let events = events.into_iter().map(|(name, event)| Row {
            name,
            bound: None,
            runs: Runs::Cold(Box::new(event)),
        });
        let server = Row {
            name: "the server, start to ready".to_owned(),
            bound: None,
            runs: Runs::Server,
        };
        let mut rows = vec![plain("an empty static program", empty.to_owned(), &[]), server];
        rows.extend(events);
        Ok(Self { world, rows, runs: 0 })
    }

    /// Times each row once in each of `rounds` rounds, after some runs that are not timed.
    ///
    /// # Errors
    /// A row does not come to answer as it should; more than one answer in twenty is another one, or with no server
    /// every second one.
    pub fn time(mut self, rounds: usize) -> Result<Vec<Timed>> {
        let mut timed: Vec<Timed> = self
            .rows
            .iter()
            .map(|row| Timed {
                name: row.name.clone(),
                bound: row.bound,
                times: Vec::new(),
                other_answers: 0,
            })
            .collect();
        for place in 0..self.rows.len() {
            let mut tries = 0;
            while !self.run(place)?.1 {
                tries += 1;
                ensure!(tries < TRIES, "{} never answers as it should", self.rows[place].name);
            }
            for _ in 0..WARM_UP {
                self.run(place)?;
            }
        }
        for round in 0..rounds {
            for place in order(round, self.rows.len()) {
                let (time, is_wanted) = self.run(place)?;
                timed[place].times.push(time);
                timed[place].other_answers += usize::from(!is_wanted);
            }
        }
        for (row, timed) in self.rows.iter().zip(&timed) {
            // Whether a server is up in time is what a row without one is about.
            let most = if matches!(row.runs, Runs::Cold(_)) {
                rounds / 2
            } else {
                rounds / 20
            };
            ensure!(
                timed.other_answers <= most,
                "{}: {} of {rounds} answers were other ones than the row is about",
                row.name,
                timed.other_answers
            );
        }
        Ok(timed)
    }

    /// Runs a row once: how long it took from before its start until it was reaped, and whether it did what it should.
    fn run(&mut self, place: usize) -> Result<(Duration, bool)> {
        self.runs += 1;
        let row = &mut self.rows[place];
        row.run(self.world, self.runs).with_context(|| row.name.clone())
    }
}

impl Row {
    fn run(&mut self, world: &World, number: u64) -> Result<(Duration, bool)> {
        match &mut self.runs {
            Runs::Plain(program, arguments) => {
                let mut command = world.command(program);
                command.args(*arguments).stdin(File::open("/dev/null")?);
                let (time, output) = timed(&mut command)?;
                Ok((time, output.status.success()))
            }
            Runs::Warm(event) => event.deliver(world, number, false),
            Runs::Cold(event) => event.deliver(world, number, true),
            Runs::Server => {
                world.proofmark(&["stop"])?.success()?;
                let mut serve = world.command(&world.program("proofmark"));
                serve.args(["serve", "--detach"]).stdin(File::open("/dev/null")?);
                let (time, output) = timed(&mut serve)?;
                Ok((time, output.status.success()))
            }
        }
    }
}

/// The order of a round's rows. From round to round a row comes behind other ones, since a large program leaves cold
/// caches to the next one.
fn order(round: usize, rows: usize) -> impl Iterator<Item = usize> {
    let mut steps = (1..=rows).filter(|step| common_divisor(*step, rows) == 1);
    let count = steps.clone().count();
    let step = steps.nth(round % count.max(1)).unwrap_or(1);
    (0..rows).map(move |place| (round + place * step) % rows)
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

fn plain(name: &str, program: PathBuf, arguments: &'static [&'static str]) -> Row {
    Row {
        name: name.to_owned(),
        bound: None,
        runs: Runs::Plain(program, arguments),
    }
}

/// Where a program is that the system itself brings; a person's own shim before it would be timed, too.
fn find(program: &str) -> Option<PathBuf> {
    PATH.split(':')
        .map(|folder| Path::new(folder).join(program))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_every_row_once_and_rows_change_their_neighbours() {
        for rows in 1..=30 {
            let mut before_the_first = std::collections::BTreeSet::new();
            for round in 0..20 {
                let order: Vec<usize> = order(round, rows).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..rows).collect::<Vec<_>>());
                let at = order.iter().position(|row| *row == 0).unwrap();
                before_the_first.extend(at.checked_sub(1).map(|at| order[at]));
            }
            assert!(rows < 5 || before_the_first.len() > 1, "{rows}: {before_the_first:?}");
        }
    }
}
