//! The prompts of a record by their rows, until it is known which session this one was forked from.
//! Who takes over what from whom stays out.

use serde::{Deserialize, Serialize, Serializer};

use crate::session::entry::RowId;

/// Rows that are stored with a fold whose fork is not settled, the newest: what is still open hangs on those.
const MAX_STORED: usize = 1_024;

/// The prompts of one agent's record, oldest first. A fork copies its parent's, so its first one names the family, and
/// all of them say which facts it takes over. That is asked once; from then on the first one is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    first: Option<RowId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "newest")]
    rows: Vec<RowId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    settled: bool,
}

impl Lineage {
    /// A prompt follows.
    pub fn add(&mut self, row: &str) {
        let first = self.first.get_or_insert_with(|| row.to_owned());
        // Without a name for the first one nobody can ask for its family.
        self.settled |= first.is_empty();
        if !self.settled {
            self.rows.push(row.to_owned());
        }
    }

    /// The first prompt's row; empty where it has none.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// The rows of the prompts; none once nobody asks for them any more.
    pub fn rows(&self) -> &[RowId] {
        &self.rows
    }

    /// Nobody will ask for the rows any more.
    pub fn settle(&mut self) {
        self.settled = true;
        self.rows = Vec::new();
    }
}

fn newest<S: Serializer>(rows: &[RowId], serializer: S) -> Result<S::Ok, S::Error> {
    rows[rows.len().saturating_sub(MAX_STORED)..].serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(prompts: usize, settled: bool) -> Lineage {
        let mut lineage = Lineage::default();
        lineage.add("0");
        if settled {
            lineage.settle();
        }
        (1..prompts).for_each(|n| lineage.add(&n.to_string()));
        lineage
    }

    #[test]
    fn what_is_stored_does_not_grow_with_the_prompts() {
        let stored = |lineage: &Lineage| serde_json::to_string(lineage).unwrap();
        assert_eq!(stored(&of(30_000, true)), stored(&of(1, true)));
        assert_eq!(stored(&of(30_000, false)).len(), stored(&of(20_000, false)).len());
    }

    #[test]
    fn every_row_is_there_until_it_is_settled_and_the_first_one_stays() {
        let mut lineage = of(3_000, false);
        assert_eq!((lineage.rows().len(), lineage.first()), (3_000, Some("0")));
        let stored = serde_json::to_string(&lineage).unwrap();
        let again: Lineage = serde_json::from_str(&stored).unwrap();
        assert_eq!(
            (again.first(), again.rows().last()),
            (Some("0"), Some(&"2999".to_owned()))
        );
        lineage.settle();
        lineage.add("later");
        assert_eq!((lineage.rows().len(), lineage.first()), (0, Some("0")));
        let mut nameless = Lineage::default();
        ["", "1"].iter().for_each(|row| nameless.add(row));
        assert_eq!((nameless.rows().len(), nameless.first()), (0, Some("")));
    }
}
