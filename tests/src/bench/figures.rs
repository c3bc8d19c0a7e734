//! From times to figures: quantiles, ratios to the empty program, a table for people and JSON for programs.
//! What was timed stays out.

use std::fmt::{self, Display};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Serialize;

/// One row's figures.
#[derive(Debug, Serialize)]
pub struct Line {
    /// What was run.
    pub name: String,
    /// The three quantiles, in microseconds.
    pub times: Quantiles,
    /// The same, each divided by that of the empty program.
    pub ratios: Quantiles,
    /// What the ratio of the medians has to stay under; none where nothing is promised.
    pub bound: Option<f64>,
    /// How many answers were not the one that the row is about, such as those after a deadline. Their times count.
    pub other_answers: usize,
    /// Every time in the order of the rounds, in microseconds.
    pub samples: Vec<f64>,
}

/// Nearest-rank quantiles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantiles {
    /// Half of the times are at most this.
    pub median: f64,
    /// 95 of 100 are.
    pub p95: f64,
    /// 99 of 100 are.
    pub p99: f64,
}

impl Quantiles {
    /// The quantiles of some times; none of none.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            sorted
                .get((sorted.len() * percent).div_ceil(100).checked_sub(1)?)
                .copied()
        };
        Some(Self {
            median: at(50)?,
            p95: at(95)?,
            p99: at(99)?,
        })
    }

    fn over(self, base: Self) -> Self {
        Self {
            median: self.median / base.median,
            p95: self.p95 / base.p95,
            p99: self.p99 / base.p99,
        }
    }
}

/// What was timed of one row.
#[derive(Debug)]
pub struct Timed {
    /// What was run.
    pub name: String,
    /// As in [`Line`].
    pub bound: Option<f64>,
    /// A time for each round.
    pub times: Vec<Duration>,
    /// As in [`Line`].
    pub other_answers: usize,
}

/// The figures of rows that were timed in the same rounds.
#[derive(Debug, Serialize)]
pub struct Table {
    /// How often each row was run.
    pub rounds: usize,
    /// One line a row; the first is the empty program.
    pub rows: Vec<Line>,
}

impl Table {
    /// The figures of all rows. The first row is the empty program, which the others are compared with.
    ///
    /// # Errors
    /// There is no row, or nothing was timed.
    pub fn of(rows: Vec<Timed>) -> Result<Self> {
        let rounds = rows.first().context("no row was timed")?.times.len();
        let mut lines: Vec<Line> = Vec::new();
        for row in rows {
            let samples: Vec<f64> = row.times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
            let times = Quantiles::of(&samples).with_context(|| format!("{} was never timed", row.name))?;
            lines.push(Line {
                ratios: times.over(lines.first().map_or(times, |empty| empty.times)),
                name: row.name,
                times,
                bound: row.bound,
                other_answers: row.other_answers,
                samples,
            });
        }
        Ok(Self { rounds, rows: lines })
    }
}

impl Line {
    /// True when the row takes longer than is promised.
    pub fn is_over(&self) -> bool {
        self.bound.is_some_and(|bound| self.ratios.median > bound)
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .rows
            .iter()
            .map(|line| line.name.chars().count())
            .max()
            .unwrap_or(0);
        writeln!(
            f,
            "{:width$}  {:>9} {:>9} {:>9}   {:>6} {:>6} {:>6}",
            "", "median us", "p95 us", "p99 us", "median", "p95", "p99"
        )?;
        for line in &self.rows {
            let (times, ratios) = (line.times, line.ratios);
            write!(
                f,
                "{:width$}  {:9.0} {:9.0} {:9.0}   {:6.2} {:6.2} {:6.2}",
                line.name, times.median, times.p95, times.p99, ratios.median, ratios.p95, ratios.p99
            )?;
            match line.bound {
                Some(bound) if line.is_over() => write!(f, "  OVER its bound of {bound:.1}")?,
                Some(bound) => write!(f, "  within {bound:.1}")?,
                None => {}
            }
            if line.other_answers > 0 {
                write!(f, "  ({} answers were other ones)", line.other_answers)?;
            }
            writeln!(f)?;
        }
        write!(
            f,
            "{} rounds; the last three columns are times the empty program",
            self.rounds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(name: &str, micros: impl Iterator<Item = u64>, bound: Option<f64>) -> Timed {
        Timed {
            name: name.to_owned(),
            bound,
            times: micros.map(Duration::from_micros).collect(),
            other_answers: 0,
        }
    }

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        for (samples, median, p95, p99) in [
            (1..=1, 1.0, 1.0, 1.0),
            (1..=2, 1.0, 2.0, 2.0),
            (1..=100, 50.0, 95.0, 99.0),
            (1..=200, 100.0, 190.0, 198.0),
        ] {
            let samples: Vec<f64> = samples.rev().map(f64::from).collect();
            assert_eq!(Quantiles::of(&samples), Some(Quantiles { median, p95, p99 }));
        }
        assert_eq!(Quantiles::of(&[]), None);
    }

    #[test]
    fn rows_are_compared_with_the_first_and_held_to_their_bound() {
        let rows = vec![
            timed("empty", 1..=100, None),
            timed("twice", (1..=100).map(|n| 2 * n), Some(2.0)),
            timed("thrice", (1..=100).map(|n| 3 * n), Some(2.0)),
        ];
        let table = Table::of(rows).unwrap();
        let ratios: Vec<f64> = table.rows.iter().map(|line| line.ratios.p95.round()).collect();
        assert_eq!(ratios, [1.0, 2.0, 3.0]);
        let over: Vec<bool> = table.rows.iter().map(Line::is_over).collect();
        assert_eq!(over, [false, false, true]);
        let text = table.to_string();
        assert!(
            text.contains("within 2.0") && text.contains("OVER its bound of 2.0"),
            "{text}"
        );
        assert!(text.lines().last().unwrap().starts_with("100 rounds"), "{text}");
    }

    #[test]
    fn nothing_timed_is_an_error() {
        assert!(Table::of(Vec::new()).is_err());
        assert!(Table::of(vec![timed("empty", 0..0, None)]).is_err());
    }
}
