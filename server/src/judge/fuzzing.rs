//! Reading what a runner printed, for the fuzz targets.
//! What ought to come of it stands with the targets.

use super::answer;
use super::question::Question;

/// What stands in the control example that is asked about here.
pub const CANARY: &str = "veltrok nimyor";
/// The one list there is here.
pub const LIST: &str = "status-words";

/// Whether it is a hit, the list, and the quote; else why it is no answer.
///
/// # Errors
/// In a few words.
pub fn read(printed: &str) -> Result<(bool, Option<String>, String), String> {
    let question = Question {
        text: String::new(),
        canary: CANARY.to_owned(),
        lists: vec![LIST.to_owned()],
    };
    answer::read(printed, &question)
        .map(|answer| (answer.hit, answer.list, answer.closest))
        .map_err(|why| why.to_string())
}
