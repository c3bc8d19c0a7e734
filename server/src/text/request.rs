//! What a person's prompt asks about claims: whether it names one, whether it asks to drop one. English only.
//! Which claims are open, and what is done about them, stays out.

use std::collections::HashSet;

use super::claim::{Content, beginning, subject_word};
use super::prose::Prose;
use super::spoken::{Clause, QUOTATION, SYMBOL, clauses, paragraphs};
use super::words::{ARTICLES, FILLERS, is_name, sense, words};

/// How many words may stand between "the" and "claim".
const NAME_WORDS: usize = 6;
/// How many words behind "claim about" are looked at.
const SUBJECT_WORDS: usize = 40;
/// The share of a claim's words that a paragraph holds when it names the claim.
const NAMED_SHARE: f64 = 0.8;

const VERBS: &[&str] = &["drop", "retire", "forget"];
/// Verbs that mean the claim also with a bare pronoun; "forget it" is said of anything.
const PRONOUN_VERBS: &[&str] = &["drop", "retire"];
const PRONOUNS: &[&str] = &["it", "that", "them", "that one", "this one", "both", "both of them"];
const DETERMINERS: &[&str] = &["the", "that", "this", "your", "those", "these", "all", "both", "every"];
const CLAIM_NOUNS: &[&str] = &["claim", "claims"];
const TAG_NOUNS: &[&str] = &["tag", "tags"];

/// What may stand before the verb of a request.
const LEAD_INS: &[&str] = &[
    "please",
    "ok",
    "okay",
    "yes",
    "yeah",
    "yep",
    "no",
    "so",
    "fine",
    "well",
    "thanks",
    "sure",
    "also",
    "just",
    "now",
    "simply",
    "kindly",
    "you can",
    "you may",
    "you could",
    "you should",
    "can you",
    "could you",
    "would you",
    "will you",
    "we can",
    "lets",
    "let us",
    "i want you to",
    "i would like you to",
    "id like you to",
    "feel free to",
    "i think",
];
/// The lead-ins with which a question is a request.
const ASKING: &[&str] = &["can you", "could you", "would you", "will you"];
/// What may stand behind "drop it" with nothing of its own to say.
const TAILS: &[&str] = &[
    "please",
    "now",
    "then",
    "thanks",
    "entirely",
    "completely",
    "altogether",
    "already",
    "today",
    "for",
    "thank",
    "you",
];
/// What introduces the subject of a claim.
const ABOUT: &[&str] = &[
    "about",
    "that",
    "on",
    "of",
    "for",
    "regarding",
    "concerning",
    "saying",
    "which",
];
/// Those of them that also say where any claim or tag stands: "the tag on the image".
const ABOUT_ANYTHING: &[&str] = &["that", "on", "of", "for", "which"];
/// Behind one of these another thing begins: "drop the table for the claim".
const PREPOSITIONS: &[&str] = &[
    "in", "into", "to", "from", "of", "on", "for", "with", "by", "at", "as", "onto",
];
/// Claims of other trades: of tokens, insurance, storage.
const FOREIGN_CLAIMS: &[&str] = &[
    SYMBOL,
    "jwt",
    "token",
    "oidc",
    "oauth",
    "saml",
    "aud",
    "audience",
    "sub",
    "subject",
    "iss",
    "issuer",
    "exp",
    "role",
    "roles",
    "scope",
    "custom",
    "volume",
    "persistent",
    "pvc",
    "insurance",
    "warranty",
    "expense",
    "legal",
    "patent",
    "identity",
    "security",
    "access",
];
/// The words with which a tag is ours; git, images and pages have tags too.
const OUR_TAGS: &[&str] = &[
    "unverified",
    "cat-unverified",
    "catunverified",
    "unproven",
    "untried",
    "unchecked",
    "open",
    "old",
    "stale",
    "last",
    "claim",
];
/// Words that go with a claim and do not name it.
const NAMELESS: &[&str] = &[
    "unverified",
    "unproven",
    "untried",
    "unchecked",
    "open",
    "old",
    "stale",
    "last",
    "first",
    "other",
    "one",
    "ones",
    "claim",
];

/// True when the prompt asks the agent to drop a claim: "drop it", "you can retire that one", "forget the claim about
/// the export".
///
/// With a pronoun the request must be a clause of its own, with "claim" or "tag" it may say which one. Code, block
/// quotes and quoted words are not looked at; nor are conditions, alternatives, reported speech and questions other
/// than "can you ...?". A miss is meant to be likelier than a false hit.
pub fn drop_request(prompt: &str) -> bool {
    let prose = Prose::of(prompt);
    paragraphs(&prose).any(|paragraph| clauses(&paragraph.spoken).iter().any(asks_to_drop))
}

/// True when the prompt names or quotes this claim.
///
/// It does when it quotes two or more words of it in their order, when every word of "the ... claim" or "the claim
/// about ..." is one of the claim's, or when one paragraph holds at least four fifths of the claim's words, two at
/// least, and all its paths and numbers. A short name such as "the build claim" may name several claims.
pub fn names_claim(prompt: &str, claim: &str) -> bool {
    let claim = beginning(claim);
    let in_order = without_articles(claim);
    let senses: HashSet<String> = in_order.iter().map(|word| sense(word)).collect();
    let prose = Prose::of(prompt);
    paragraphs(&prose).any(|paragraph| {
        paragraph.quoted.iter().any(|quoted| quotes(quoted, &in_order))
            || clauses(&paragraph.spoken).iter().any(|clause| names(clause, &senses))
            || holds(paragraph.whole, claim)
    })
}

fn without_articles(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .filter(|word| !ARTICLES.contains(&word.as_str()))
        .collect()
}

fn quotes(quoted: &str, claim: &[String]) -> bool {
    let quoted = without_articles(quoted);
    let (short, long) = if quoted.len() <= claim.len() {
        (&quoted[..], claim)
    } else {
        (claim, &quoted[..])
    };
    let telling = short.iter().any(|word| is_name(word) || subject_word(word).is_some());
    short.len() >= 2 && telling && long.windows(short.len()).any(|window| window == short)
}

fn holds(paragraph: &str, claim: &str) -> bool {
    let content = Content::of(claim).words;
    let said: HashSet<String> = words(paragraph).iter().map(|word| sense(word)).collect();
    let held = content.iter().filter(|word| said.contains(*word)).count();
    let names_held = content
        .iter()
        .filter(|word| is_name(word))
        .all(|name| said.contains(name));
    let share = held as f64 / content.len().max(1) as f64;
    names_held && held >= 2 && share >= NAMED_SHARE
}

fn asks_to_drop(clause: &Clause) -> bool {
    let mut rest = &clause.words[..];
    let mut asking = false;
    while let Some(lead_in) = LEAD_INS.iter().find(|lead_in| starts_with(rest, lead_in)) {
        asking |= ASKING.contains(lead_in);
        rest = &rest[lead_in.split(' ').count()..];
    }
    let Some((verb, object)) = rest.split_first() else {
        return false;
    };
    let request = !clause.blocked && (!clause.question || asking) && is_one_of(verb, VERBS);
    request && ((is_one_of(verb, PRONOUN_VERBS) && is_pronoun(object)) || is_claim(object))
}

/// True when "the ... claim" or "the claim about ..." in a clause says words of this claim only.
fn names(clause: &Clause, claim: &HashSet<String>) -> bool {
    let says_it = |named: &[String]| {
        let telling = |word: &&String| {
            let nameless = [ARTICLES, FILLERS, NAMELESS].iter().any(|list| is_one_of(word, list));
            !nameless && *word != QUOTATION && *word != SYMBOL
        };
        let mut named = named.iter().filter(telling).peekable();
        named.peek().is_some() && named.all(|word| claim.contains(&sense(word)))
    };
    clause.words.iter().enumerate().any(|(at, noun)| {
        let before = &clause.words[at.saturating_sub(NAME_WORDS + 1)..at];
        let start = before.iter().rposition(|word| is_one_of(word, DETERMINERS));
        let behind = &clause.words[at + 1..clause.words.len().min(at + 1 + SUBJECT_WORDS)];
        let about = behind.first().is_some_and(|word| is_one_of(word, ABOUT));
        (is_one_of(noun, CLAIM_NOUNS) || is_one_of(noun, TAG_NOUNS))
            && (start.is_some_and(|start| says_it(&before[start + 1..])) || (about && says_it(&behind[1..])))
    })
}

fn starts_with(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase
        .split(' ')
        .all(|word| words.next().is_some_and(|said| said == word))
}

fn is_pronoun(object: &[String]) -> bool {
    PRONOUNS.iter().any(|pronoun| {
        let mut tail = object.iter().skip(pronoun.split(' ').count());
        starts_with(object, pronoun) && tail.all(|word| is_one_of(word, TAILS))
    })
}

fn is_claim(object: &[String]) -> bool {
    let Some((_, rest)) = object.split_first().filter(|(first, _)| is_one_of(first, DETERMINERS)) else {
        return false;
    };
    rest.iter().take(NAME_WORDS + 1).enumerate().any(|(at, noun)| {
        let (name, tail) = (&rest[..at], &rest[at + 1..]);
        (is_one_of(noun, CLAIM_NOUNS) && is_our_claim(name, tail))
            || (is_one_of(noun, TAG_NOUNS) && is_our_tag(name, tail))
    })
}

fn is_our_claim(name: &[String], tail: &[String]) -> bool {
    let other = |word: &String| {
        [FOREIGN_CLAIMS, PREPOSITIONS, CLAIM_NOUNS]
            .iter()
            .any(|list| is_one_of(word, list))
    };
    let mut tail = behind_courtesies(tail);
    let fits = match tail.next() {
        None => true,
        Some(word) if is_one_of(word, ABOUT_ANYTHING) => !tail.any(|word| is_one_of(word, FOREIGN_CLAIMS)),
        Some(word) => word == QUOTATION || is_one_of(word, ABOUT),
    };
    fits && !name.iter().any(other)
}

fn is_our_tag(name: &[String], tail: &[String]) -> bool {
    let fits = |word: &String| is_one_of(word, ABOUT) && !is_one_of(word, ABOUT_ANYTHING);
    let ours = |word: &String| is_one_of(word, OUR_TAGS) || is_one_of(word, DETERMINERS);
    behind_courtesies(tail).next().is_none_or(fits) && name.iter().all(ours)
}

fn behind_courtesies(tail: &[String]) -> impl Iterator<Item = &String> {
    tail.iter()
        .skip_while(|word| is_one_of(word, TAILS) && !is_one_of(word, ABOUT))
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.contains(&word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::text::words::fixture;

    #[derive(Deserialize)]
    struct DropCase {
        why: String,
        prompt: String,
        drops: bool,
    }

    #[derive(Deserialize)]
    struct NameCase {
        why: String,
        prompt: String,
        claim: String,
        names: bool,
    }

    #[test]
    fn the_drop_cases_hold() {
        let cases: Vec<DropCase> = serde_json::from_str(&fixture("drop-requests.json")).unwrap();
        assert!(cases.len() >= 25, "the cases are all there");
        for case in cases {
            assert_eq!(
                drop_request(&case.prompt),
                case.drops,
                "{}: {:?}",
                case.why,
                case.prompt
            );
        }
    }

    #[test]
    fn the_naming_cases_hold() {
        let cases: Vec<NameCase> = serde_json::from_str(&fixture("named-claims.json")).unwrap();
        for case in cases {
            let NameCase {
                why,
                prompt,
                claim,
                names,
            } = case;
            assert_eq!(names_claim(&prompt, &claim), names, "{why}: {prompt:?} / {claim:?}");
        }
    }

    proptest! {
        #[test]
        fn no_prompt_panics(prompt in any::<String>(), claim in any::<String>()) {
            drop_request(&prompt);
            names_claim(&prompt, &claim);
        }

        #[test]
        fn no_prompt_of_quotes_and_clauses_panics(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "drop", " it", " the", " claim", " about", " é", "\"", "'", "‘", "’", "“", "”", "«", "`", "```\n", "\n",
                    "\n\n", "\r", "\u{a0}", "\u{b}", "> ", ", ", "?", "-", " and ",
                ]),
                0..40,
            ),
        ) {
            let prompt = parts.concat();
            drop_request(&prompt);
            names_claim(&prompt, "the é claim about it");
        }

        #[test]
        fn a_shown_or_quoted_request_is_none(request in prop::sample::select(vec!["drop it", "retire the claim", "forget that claim"])) {
            prop_assert!(drop_request(request));
            for shown in [format!("> {request}"), format!("```\n{request}\n```"), format!("`{request}`"), format!("\"{request}\""), format!("‘{request}’")] {
                prop_assert!(!drop_request(&shown), "{}", shown);
            }
        }
    }
}
