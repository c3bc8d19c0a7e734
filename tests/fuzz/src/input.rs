//! Taking an input apart: a few bytes that choose, then the text.
//! What is chosen stays with the targets.

use proofmark_protocol::Harness;

/// The bytes of one input that were not taken yet.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// All of an input.
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// The next byte; 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// One of these, by the next byte.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }

    /// A harness, by the next byte.
    pub fn harness(&mut self) -> Harness {
        self.one_of(&Harness::ALL)
    }

    /// What is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// What is left, as text; bytes that are none become replacement characters.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }

    /// What is left as two texts, parted by the first NUL; without one the second is empty.
    pub fn two_texts(self) -> (String, String) {
        let text = self.text();
        match text.split_once('\0') {
            Some((first, second)) => (first.to_owned(), second.to_owned()),
            None => (text, String::new()),
        }
    }
}
