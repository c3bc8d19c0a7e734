//! What a text says: which of it is said and which is shown, its tags and files, whether two claims are the same.
//! What follows from a tag or a claim stays out: that is for the fold and the checks.

mod cited;
mod claim;
mod correction;
mod passes;
mod prose;
mod quote;
mod request;
mod spoken;
mod tag;
mod words;

pub use cited::cited;
pub use claim::{folded, shares_subject, similarity};
pub use correction::{Correction, Phrases, correction};
pub use passes::{About, PassClaim, check_names, owns_failure, pass_claims};
pub use prose::Prose;
pub use quote::quote;
pub use request::{drop_request, names_claim};
pub use tag::{Tag, tags};
