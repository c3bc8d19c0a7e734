//! What a text says: which of it is said and which is shown, its tags and files, whether two claims are the same.
//! What follows from a tag or a claim stays out: that is for the fold and the checks.

mod cited;
mod claim;
mod contract;
mod correction;
mod language;
mod length;
mod passes;
mod person;
mod prose;
mod quote;
mod quoted;
mod release;
mod request;
mod secrets;
mod spoken;
mod stated;
mod tag;
mod terms;
mod trouble;
mod wanted;
mod words;

pub use cited::cited;
pub use claim::{folded, shares_subject, similarity};
pub use contract::contract;
pub use correction::{Correction, Phrases, correction};
pub use language::is_foreign;
pub use length::{AskedLength, length};
pub use passes::{About, PassClaim, check_names, owns_any_failure, owns_failure, pass_claims};
pub use prose::Prose;
pub use quote::{is_unsafe, printable, quote};
pub use quoted::{NotQuoted, Quoted, quotable, quoted, still_says, used_first};
pub use release::{Released, release};
pub use request::{drop_request, names_claim};
pub use secrets::{is_redacted, redact};
pub use stated::{Stated, stated};
pub use tag::{Tag, tags};
pub use terms::{Term, base, is_common, terms};
pub use trouble::{names_failed_test, orders_failure, tells_trouble};
pub use wanted::{Wanted, wanted_paths};
