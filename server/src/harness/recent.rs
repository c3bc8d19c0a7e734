//! The newest things of a kind that a reader remembers from line to line, each by its name.
//! What is remembered stays out. It is bounded: of too much the oldest is forgotten, which costs a join, no more.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// So many things of a kind are remembered.
const MAX: usize = 256;
/// A longer name is not remembered, in bytes: harnesses' own are uuids and short words.
const MAX_NAME: usize = 512;

/// The newest things of a kind, each by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recent<T>(VecDeque<(String, T)>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Recent<T> {
    /// Remembers a thing; an older one of the same name is forgotten.
    pub(crate) fn put(&mut self, name: &str, thing: T) {
        if name.len() > MAX_NAME {
            return;
        }
        self.take(name);
        if self.0.len() == MAX {
            self.0.pop_front();
        }
        self.0.push_back((name.to_owned(), thing));
    }

    /// The thing of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        let (_, thing) = self.0.iter().rev().find(|(known, _)| known == name)?;
        Some(thing)
    }

    /// Forgets the thing of that name, and returns it.
    pub(crate) fn take(&mut self, name: &str) -> Option<T> {
        let at = self.0.iter().rposition(|(known, _)| known == name)?;
        self.0.remove(at).map(|(_, thing)| thing)
    }

    /// The things, the newest first.
    pub(crate) fn newest(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().rev().map(|(_, thing)| thing)
    }

    /// The name of the newest thing that is so.
    pub(crate) fn name_of(&self, is_so: impl Fn(&T) -> bool) -> Option<&str> {
        let (name, _) = self.0.iter().rev().find(|(_, thing)| is_so(thing))?;
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_things_are_remembered() {
        let mut recent = Recent::default();
        for number in 0..300 {
            recent.put(&format!("n{number}"), number);
        }
        recent.put("n299", 7);
        recent.put(&"x".repeat(MAX_NAME + 1), 8);
        assert_eq!((recent.get("n43"), recent.get("n44")), (None, Some(&44)));
        assert_eq!(recent.name_of(|number| *number == 99), Some("n99"));
        assert_eq!((recent.take("n299"), recent.take("n299")), (Some(7), None));
        assert_eq!(recent.newest().count(), MAX - 1);
    }
}
