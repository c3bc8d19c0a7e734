use super::*;

#[test]
fn a_plain_statement_is_found_and_a_condition_is_none() {
    let found = pass_claims("All 42 tests pass.");
    assert_eq!(found.len(), 1);
    assert!(found[0].all && found[0].passed == Some(42));
    assert!(pass_claims("If all tests pass, merge it.").is_empty());
    assert!(owns_failure("`cargo test` still fails on two tests.", &[]));
    assert!(!owns_failure("All finished, the branch is ready.", &[]));
}
