//! The tags of a reply: claims that the agent marks as unverified, each with the reason why.
//! Whether a tag is excused, and whether its claim was met before, stays out.

use std::ops::Range;

use super::prose::Prose;
use super::words::one_line;

/// What every tag begins with.
const OPENING: &[u8] = b"{{";
/// How many tags of one reply are returned.
const MOST: usize = 64;

/// One tag: `{{CAT-UNVERIFIED: claim -- cannot verify: reason}}`, or the same with `UNVERIFIED`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The claim as it is written, white space folded; empty when there is none.
    pub claim: String,
    /// Why it cannot be verified, white space folded; empty when the tag does not say.
    pub reason: String,
    /// Where the tag stands: byte offsets, braces included.
    pub span: Range<usize>,
    /// True when it is closed, its claim has a letter or digit, and its reason more than dashes, dots and the like.
    pub well_formed: bool,
}

/// The tags that a reply uses in its prose, in order: at most 64, from its first MiB.
///
/// A tag counts when its opening braces stand in prose: in code or in a block quote it is shown, not used. Letter case
/// and line breaks do not matter, but a blank line, a code block or a block quote ends the paragraph and the tag with
/// it. The closing braces are those that balance the opening ones; where none balance, the first after the reason, so
/// that a stray brace hides no tag. Braces and separators in inline code are the claim's own. A tag inside a closed tag
/// is part of the outer one.
pub fn tags(text: &str) -> Vec<Tag> {
    // Most texts have none, and to tell prose from code takes the longest.
    if memchr::memmem::find(text.as_bytes(), OPENING).is_none() {
        return Vec::new();
    }
    let prose = Prose::of(text);
    let mut found = Vec::new();
    for paragraph in prose.paragraphs() {
        let mut scan = Scan::new(prose.text(), paragraph.clone());
        scan.read(&prose);
        scan.collect(&mut found);
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Everything in one paragraph that a tag is made of, read in one pass.
struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    paragraph: Range<usize>,
    heads: Vec<Head>,
    /// What is open, innermost last.
    open: Vec<Opener>,
    /// The heads among them.
    open_heads: Vec<usize>,
    /// Each `-- cannot verify:` behind a head.
    separators: Vec<Range<usize>>,
    /// Each `}}` behind a head.
    closers: Vec<usize>,
}

/// The beginning of a tag, `{{CAT-UNVERIFIED:`.
struct Head {
    start: usize,
    body: usize,
    /// The last separator that belongs to this tag and to none inside it.
    separator: Option<Range<usize>>,
    /// Where the balancing braces stand.
    close: Option<usize>,
}

enum Opener {
    Brace,
    Head(usize),
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, paragraph: Range<usize>) -> Self {
        let bytes = &text.as_bytes()[..paragraph.end];
        Self {
            text,
            bytes,
            paragraph,
            heads: Vec::new(),
            open: Vec::new(),
            open_heads: Vec::new(),
            separators: Vec::new(),
            closers: Vec::new(),
        }
    }

    fn read(&mut self, prose: &Prose<'_>) {
        let shown = prose.shown();
        let mut code = shown[shown.partition_point(|range| range.end <= self.paragraph.start)..]
            .iter()
            .peekable();
        let mut at = self.paragraph.start;
        while let Some(&byte) = self.bytes.get(at) {
            count_steps(1);
            if let Some(range) = code.next_if(|range| range.contains(&at)) {
                at = range.end;
                continue;
            }
            at = match byte {
                b'{' => self.opening(at),
                b'}' => self.closing(at),
                b'c' | b'C' => self.separator(at),
                _ => at + 1,
            };
        }
    }

    fn opening(&mut self, at: usize) -> usize {
        if let Some(body) = self.head_at(at) {
            self.open.push(Opener::Head(self.heads.len()));
            self.open_heads.push(self.heads.len());
            self.heads.push(Head {
                start: at,
                body,
                separator: None,
                close: None,
            });
            return body;
        }
        if !self.open_heads.is_empty() {
            self.open.push(Opener::Brace);
        }
        at + 1
    }

    fn closing(&mut self, at: usize) -> usize {
        let doubled = self.bytes.get(at + 1) == Some(&b'}');
        if doubled && !self.heads.is_empty() {
            self.closers.push(at);
        }
        match self.open.last() {
            Some(Opener::Brace) => {
                self.open.pop();
            }
            Some(&Opener::Head(head)) if doubled => {
                self.heads[head].close = Some(at);
                self.open.pop();
                self.open_heads.pop();
                return at + 2;
            }
            // A brace that closes nothing is a character like any other.
            Some(Opener::Head(_)) | None => {}
        }
        at + 1
    }

    fn separator(&mut self, at: usize) -> usize {
        let Some(&head) = self.open_heads.last() else {
            return at + 1;
        };
        let Some(end) = self.cannot_verify(at) else {
            return at + 1;
        };
        if let Some(start) = self.dash_before(at, self.heads[head].body) {
            self.separators.push(start..end);
            self.heads[head].separator = Some(start..end);
        }
        end
    }

    /// The end of `{{CAT-UNVERIFIED:` when it stands here.
    fn head_at(&self, at: usize) -> Option<usize> {
        let at = self.blank(self.word(at, "{{")?);
        let at = self.word(at, "cat-").unwrap_or(at);
        let at = self.blank(self.word(at, "unverified")?);
        self.word(at, ":")
    }

    /// The end of `cannot verify:` when it stands here.
    fn cannot_verify(&self, at: usize) -> Option<usize> {
        let gap = self.word(at, "cannot")?;
        let at = self.blank(gap);
        let at = self.blank(self.word(at, "verify").filter(|_| at > gap)?);
        self.word(at, ":")
    }

    /// The beginning of the dash that stands before this place, not before `floor`. One hyphen must stand alone.
    fn dash_before(&self, at: usize, floor: usize) -> Option<usize> {
        let before = self.text[floor..at].trim_end();
        count_steps(at - floor - before.len());
        if let Some(rest) = before.strip_suffix(['—', '–']) {
            return Some(floor + rest.len());
        }
        let rest = before.trim_end_matches('-');
        count_steps(before.len() - rest.len());
        let alone = floor + before.len() < at && (rest.is_empty() || rest.ends_with(char::is_whitespace));
        match before.len() - rest.len() {
            0 => None,
            1 if !alone => None,
            _ => Some(floor + rest.len()),
        }
    }

    fn word(&self, at: usize, word: &str) -> Option<usize> {
        let end = at + word.len();
        self.bytes
            .get(at..end)?
            .eq_ignore_ascii_case(word.as_bytes())
            .then_some(end)
    }

    fn blank(&self, at: usize) -> usize {
        let rest = &self.text[at..self.paragraph.end];
        let blank = rest.len() - rest.trim_start().len();
        count_steps(blank);
        at + blank
    }

    fn collect(&self, found: &mut Vec<Tag>) {
        let mut behind = self.paragraph.start;
        for (index, head) in self.heads.iter().enumerate() {
            if found.len() == MOST {
                return;
            }
            if head.start < behind {
                continue;
            }
            let tag = match head.close {
                Some(close) => self.tag(head, head.separator.clone(), close, true),
                None => self.unbalanced(index, head),
            };
            behind = tag.span.end;
            found.push(tag);
        }
    }

    /// A tag whose braces do not balance reaches no further than the next one: so no text is looked at twice.
    fn unbalanced(&self, index: usize, head: &Head) -> Tag {
        let limit = self.heads.get(index + 1).map_or(self.paragraph.end, |next| next.start);
        let first = self.separators.partition_point(|separator| separator.start < head.body);
        let first = self.separators.get(first).filter(|separator| separator.end <= limit);
        let reason = first.map_or(head.body, |separator| separator.end);
        let close = [reason, head.body].into_iter().find_map(|from| {
            let closer = self.closers.partition_point(|closer| *closer < from);
            self.closers.get(closer).copied().filter(|closer| closer + 2 <= limit)
        });
        let end = close.unwrap_or_else(|| head.body + self.text[head.body..limit].trim_end().len());
        let last = self.separators.partition_point(|separator| separator.end <= end);
        let separator = last.checked_sub(1).map(|last| &self.separators[last]);
        let separator = separator.filter(|separator| separator.start >= head.body).cloned();
        self.tag(head, separator, end, close.is_some())
    }

    fn tag(&self, head: &Head, separator: Option<Range<usize>>, end: usize, closed: bool) -> Tag {
        let (claim, reason) = match separator {
            Some(separator) => (&self.text[head.body..separator.start], &self.text[separator.end..end]),
            None => (&self.text[head.body..end], ""),
        };
        let well_formed = closed && claim.chars().any(char::is_alphanumeric) && !reason.chars().all(says_nothing);
        let span = head.start..if closed { end + 2 } else { end };
        Tag {
            claim: one_line(claim),
            reason: one_line(reason),
            span,
            well_formed,
        }
    }
}

/// A reason of nothing but these names no reason.
fn says_nothing(c: char) -> bool {
    let dash = matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}');
    dash || invisible || c.is_whitespace() || c.is_control() || matches!(c, '_' | '.' | ':' | '…')
}

/// Lets a test count how often a byte is looked at: linear time is shown by steps, not by a clock.
#[cfg(not(test))]
fn count_steps(_steps: usize) {}

#[cfg(test)]
use tests::count_steps;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn count_steps(steps: usize) {
        STEPS.with(|counted| counted.set(counted.get() + steps));
    }

    #[derive(Deserialize)]
    struct Case {
        why: String,
        text: String,
        tags: Vec<Expected>,
    }

    #[derive(Deserialize)]
    struct Expected {
        claim: String,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        malformed: bool,
    }

    #[test]
    fn the_cases_hold() {
        let cases: Vec<Case> = serde_json::from_str(&crate::text::words::fixture("tags.json")).unwrap();
        assert!(cases.len() >= 45, "the cases are all there");
        for case in cases {
            let found = tags(&case.text);
            let found: Vec<_> = found
                .iter()
                .map(|tag| (&*tag.claim, &*tag.reason, !tag.well_formed))
                .collect();
            let expected: Vec<_> = case
                .tags
                .iter()
                .map(|tag| (&*tag.claim, &*tag.reason, tag.malformed))
                .collect();
            assert_eq!(found, expected, "{}: {:?}", case.why, case.text);
        }
    }

    #[test]
    fn the_span_holds_the_braces() {
        let text = "é {{UNVERIFIED: a -- cannot verify: b}} c {{UNVERIFIED: open \n\nd";
        let spans: Vec<_> = tags(text).iter().map(|tag| &text[tag.span.clone()]).collect();
        assert_eq!(spans, ["{{UNVERIFIED: a -- cannot verify: b}}", "{{UNVERIFIED: open"]);
    }

    #[test]
    fn sixty_four_tags_are_returned() {
        let one = "{{UNVERIFIED: a -- cannot verify: b}} ";
        assert_eq!(tags(&one.repeat(63)).len(), 63);
        assert_eq!(tags(&one.repeat(65)).len(), MOST);
        assert_eq!(tags(&format!("{one}\n\n").repeat(65)).len(), MOST);
    }

    /// Twice the text may take twice the steps, not four times.
    #[test]
    fn hostile_text_takes_linear_steps() {
        let steps = |unit: &str, times: usize| {
            STEPS.with(|counted| counted.set(0));
            // A text without opening braces is not read at all.
            let text = ["{{ ", &unit.repeat(times)].concat();
            assert!(tags(&text).len() <= MOST);
            STEPS.with(Cell::get)
        };
        for unit in [
            "{{CAT-UNVERIFIED:",
            "{{CAT-UNVERIFIED: a -- cannot verify:",
            "{{CAT-UNVERIFIED: {",
            "{{ ",
            "}}",
            "{{UNVERIFIED:}}",
            "{{UNVERIFIED: a `}` -- cannot verify: b}",
            " - cannot",
            "-- cannot verify:                ",
        ] {
            let opened = format!("{{{{UNVERIFIED: {unit}");
            for unit in [unit, &opened] {
                let (once, twice) = (steps(unit, 10_000), steps(unit, 20_000));
                assert!(once >= 10_000, "the steps are counted: {once}");
                assert!(twice <= once * 2 + 100, "{unit:?}: {once} steps, then {twice}");
                assert!(once <= unit.len() * 10_000 * 4, "{unit:?}: {once} steps");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_openings_are_read() {
        let found = tags(&"{{CAT-UNVERIFIED:".repeat(100_000));
        assert_eq!(found.len(), MOST);
        assert!(found.iter().all(|tag| !tag.well_formed && tag.claim.is_empty()));
    }

    prop_compose! {
        /// A tag with its claim and reason.
        fn any_tag()(
            claim in "[a-zA-Z0-9é][a-zA-Z0-9é/.,{ ]{0,20}",
            reason in "[a-zA-Z0-9é]([a-zA-Z0-9é/., ]|\\} ){0,20}",
            separator in prop::sample::select(vec![" -- ", "--", " — ", "–", " - ", "\n-- "]),
            name in prop::sample::select(vec!["CAT-UNVERIFIED", "unverified", " Cat-Unverified "]),
        ) -> (String, String, String) {
            let tag = format!("{{{{{name}: {claim}{separator}cannot verify: {reason}}}}}");
            (tag, one_line(&claim), one_line(&reason))
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>()) {
            tags(&text);
        }

        #[test]
        fn no_text_of_the_grammars_own_parts_panics(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{{", "}}", "{", "}", "CAT-UNVERIFIED:", "{{UNVERIFIED: ", " -- cannot verify: ", "—", " - ", "-",
                    "cannot verify:", "a", "é", "`", "```\n", "\n", "\n\n", "\r", "> ", "    ", "\u{feff}", "\0", "| a |",
                ]),
                0..40,
            ),
        ) {
            let text = parts.concat();
            for tag in tags(&text) {
                prop_assert!(text[tag.span].starts_with("{{"));
            }
        }

        #[test]
        fn a_tag_in_prose_is_found_and_a_shown_one_is_not(
            before in "[a-zA-Z0-9é,. ]{0,30}",
            after in "[a-zA-Z0-9é,. ]{0,30}",
            (tag, claim, reason) in any_tag(),
        ) {
            let text = format!("x{before}{tag}{after}");
            let found = tags(&text);
            prop_assert_eq!(found.len(), 1);
            prop_assert!(found[0].well_formed);
            prop_assert_eq!(&found[0].claim, &claim);
            prop_assert_eq!(&found[0].reason, &reason);
            let one_line = tag.replace('\n', " ");
            for shown in [format!("{before}\n```\n{tag}\n```\n{after}"), format!("> {one_line}"), format!("a `{one_line}` b")] {
                prop_assert_eq!(tags(&shown), vec![], "{:?}", shown);
            }
        }
    }
}
