//! What a judge's runner printed: a hit only where the answer says so, and never one of another list.
//! What the answer is worth is the check's business.

use proofmark_server::judge::fuzzing::{CANARY, LIST, read};

use crate::input::Input;

/// All of it was printed.
pub fn run(data: &[u8]) {
    let printed = Input::new(data).text();
    match read(&printed) {
        Ok((hit, list, quote)) => {
            assert!(printed.contains("match") || printed.contains("\\u"), "an answer says whether something matches");
            assert!(!hit || printed.contains("true"));
            assert!(list.is_none_or(|list| list == LIST));
            assert!(quote.len() <= printed.len(), "{quote}");
        }
        Err(why) => assert!(!why.is_empty()),
    }
    let clean = format!("{{\"canary\": \"{CANARY}\", \"match\": false}}");
    let behind = format!("{printed}\n{clean}\n");
    assert_eq!(read(&behind), Ok((false, None, String::new())), "the last line that is an answer counts");
}
