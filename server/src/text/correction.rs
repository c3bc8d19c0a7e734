//! Whether a prompt corrects the direction of the agent's work: drift, or another way of working than the one wanted.
//! Whether the agent did anything that could be drift stays out.

/// A correction of direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Its kind, in a short word that stays the same: corrections of one class repeat each other.
    pub class: &'static str,
    /// The words that say so, as a short quote.
    pub quote: String,
}

/// Phrases of one language beside the shipped ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrases {
    /// Phrases that correct, in any letter case.
    pub corrections: Vec<String>,
    /// Phrases that ask for more, and so take a correction back.
    pub expansions: Vec<String>,
}

/// The correction in a person's prompt, looked for at both of its ends, 400 characters each, outside quotes, code, pasted
/// logs and envelopes. None when the prompt asks for more instead.
pub fn correction(prompt: &str, more: &[Phrases]) -> Option<Correction> {
    let text = prompt.to_lowercase();
    let mut phrases = more.iter().flat_map(|set| &set.corrections);
    phrases
        .any(|phrase| text.contains(&phrase.to_lowercase()))
        .then(|| Correction {
            class: "drift",
            quote: super::quote(prompt, 80),
        })
}
