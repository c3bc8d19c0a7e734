//! All figures of one run: a text for people, JSON for programs.
//! What was measured stays out.

use std::fmt::{self, Display};

use serde::Serialize;

use super::cold::Speed;
use super::figures::Table;
use super::load::Load;

const MEGABYTE: f64 = 1e6;

/// All figures of one run; what was not asked for is empty.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The machine, as far as it says: processors.
    pub processors: usize,
    /// Every event with a server that runs.
    pub warm: Option<Table>,
    /// Every event with no server, and a server's start.
    pub cold: Option<Table>,
    /// First readings of records.
    pub readings: Vec<Speed>,
    /// A server under load.
    pub load: Vec<Load>,
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, table) in [("With a server", &self.warm), ("With no server", &self.cold)] {
            if let Some(table) = table {
                writeln!(f, "{title}\n{table}\n")?;
            }
        }
        if !self.readings.is_empty() {
            writeln!(f, "First reading of a record, one core, from the page cache")?;
            writeln!(f, "{:60} {:>6} {:>14} {:>10}", "", "GB/s", "held beside MB", "left MB")?;
        }
        for reading in &self.readings {
            write!(
                f,
                "{:60} {:6.2} {:14.1} {:10.1}",
                reading.name,
                reading.fastest,
                reading.beside as f64 / MEGABYTE,
                reading.left as f64 / MEGABYTE
            )?;
            match reading.at_least {
                Some(least) if reading.fastest < least => writeln!(f, "  UNDER its bound of {least:.1}")?,
                Some(least) => writeln!(f, "  at least {least:.1}")?,
                None => writeln!(f)?,
            }
        }
        if let Some(one) = self.load.first() {
            writeln!(
                f,
                "\nTool calls under load, over the socket, {} processors",
                self.processors
            )?;
            for load in &self.load {
                writeln!(
                    f,
                    "{:3} clients: {:8.0} a second ({:.2} times those of one), an answer median {:.0} us, p95 {:.0}, p99 {:.0}",
                    load.clients,
                    load.per_second,
                    load.per_second / one.per_second,
                    load.times.median,
                    load.times.p95,
                    load.times.p99
                )?;
            }
        }
        Ok(())
    }
}
