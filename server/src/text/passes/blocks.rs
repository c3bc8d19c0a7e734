//! A Markdown text as blocks that are said: paragraphs, list items, table rows, each with the words that head it.
//! What the blocks say stays out, and so does all that is only shown: code blocks, block quotes, struck text.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::text::prose::beginning;

/// Code spans stand in a block's text as one character each, from this one on. They are private to their writers, so a
/// text that holds one loses nothing that is read here.
const FIRST_CODE: u32 = 0xF_0000;
const LAST_CODE: u32 = 0xF_FFFD;
/// Parts the lines that the writer parts with a hard break.
pub(super) const LINE_END: char = '\r';

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    Paragraph,
    Item,
    /// The cells of a table's row, parted by bars.
    Row,
    /// Raw HTML, with its marks.
    Html,
}

/// One block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// What it says, without Markdown; a code span is one character.
    pub(super) text: String,
    /// The code spans.
    pub(super) codes: Vec<String>,
    /// The headings above it, outermost first.
    pub(super) headings: Vec<usize>,
    /// The block that introduces the list in which it stands: it ends with a colon, or is all bold. For a table's row
    /// its head.
    pub(super) lead: Option<usize>,
    /// It is a task that is not done.
    pub(super) open_task: bool,
    all_bold: bool,
}

/// The code span for which a character stands.
pub(super) fn code_of(c: char, codes: &[String]) -> Option<&String> {
    let index = u32::from(c).checked_sub(FIRST_CODE)?;
    codes.get(usize::try_from(index).ok()?)
}

/// The blocks of a text, in order. Only its first MiB is read.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut walk = Walk::default();
    for event in Parser::new_ext(beginning(text), options) {
        walk.take(event);
    }
    walk.close();
    walk.found
}

#[derive(Default)]
struct Walk {
    found: Vec<Block>,
    open: Option<Block>,
    headings: Vec<(HeadingLevel, usize)>,
    leads: Vec<Option<usize>>,
    /// The head of the table that is open.
    table_head: Option<usize>,
    /// How many code blocks, block quotes, images and struck passages are open.
    hidden: usize,
    bold: usize,
}

impl Walk {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(end) => self.end(end),
            _ if self.hidden > 0 => {}
            Event::Text(text) => self.push(&text),
            Event::Code(code) => self.code(&code),
            Event::SoftBreak => self.push("\n"),
            Event::HardBreak => self.push("\r"),
            Event::Html(html) => self.push(&html),
            Event::InlineHtml(_) => self.push(" "),
            Event::TaskListMarker(false) => {
                if let Some(open) = &mut self.open {
                    open.open_task = true;
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) | Tag::BlockQuote(_) => {
                self.close();
                self.hidden += 1;
            }
            Tag::Image { .. } | Tag::Strikethrough => self.hidden += 1,
            Tag::Strong => self.bold += 1,
            Tag::List(_) if self.hidden == 0 => {
                self.close();
                let lead = self.found.len().checked_sub(1).filter(|last| {
                    let last = &self.found[*last];
                    last.text.trim_end().ends_with(':') || last.all_bold
                });
                // A list without words of its own before it belongs to what introduces the list around it.
                let around = self.leads.last().copied().flatten();
                self.leads.push(lead.or(around));
            }
            Tag::Heading { level, .. } => {
                self.open(Kind::Heading);
                if self.hidden == 0 {
                    self.headings.retain(|(above, _)| above < level);
                    if let Some(open) = &mut self.open {
                        open.headings = self.headings.iter().map(|(_, index)| *index).collect();
                    }
                    self.headings.push((*level, self.found.len()));
                }
            }
            // The text of a list item with blank lines in it stands in paragraphs of its own.
            Tag::Paragraph
                if self
                    .open
                    .as_ref()
                    .is_some_and(|open| open.kind == Kind::Item && open.text.is_empty()) => {}
            Tag::Paragraph if !self.leads.is_empty() => self.open(Kind::Item),
            Tag::Paragraph => self.open(Kind::Paragraph),
            Tag::Item => self.open(Kind::Item),
            Tag::TableHead | Tag::TableRow => self.open(Kind::Row),
            Tag::HtmlBlock => self.open(Kind::Html),
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Image | TagEnd::Strikethrough => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::TableCell => self.push(" | "),
            TagEnd::List(_) if self.hidden == 0 => {
                self.close();
                self.leads.pop();
            }
            TagEnd::TableHead => {
                self.close();
                self.table_head = self.found.len().checked_sub(1);
            }
            TagEnd::Table => self.table_head = None,
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableRow | TagEnd::HtmlBlock => {
                self.close()
            }
            _ => {}
        }
    }

    fn open(&mut self, kind: Kind) {
        self.close();
        if self.hidden > 0 {
            return;
        }
        self.open = Some(Block {
            kind,
            text: String::new(),
            codes: Vec::new(),
            headings: self.headings.iter().map(|(_, index)| *index).collect(),
            lead: self.table_head.or(self.leads.last().copied().flatten()),
            open_task: false,
            all_bold: true,
        });
    }

    fn close(&mut self) {
        // A heading keeps its place even when it is empty: the blocks below it name it by that place.
        if let Some(block) = self.open.take()
            && (block.kind == Kind::Heading || !block.text.trim().is_empty())
        {
            self.found.push(block);
        }
    }

    fn push(&mut self, text: &str) {
        // After a code block inside a list item, the item's text goes on without a sign of its own.
        if self.open.is_none() && !text.trim().is_empty() && !self.leads.is_empty() {
            self.open(Kind::Item);
        }
        let bold = self.bold > 0;
        if let Some(open) = &mut self.open {
            open.all_bold &= bold || text.trim_matches([':', ' ', '\n']).is_empty();
            open.text.extend(
                text.chars()
                    .filter(|c| !(FIRST_CODE..=LAST_CODE).contains(&u32::from(*c))),
            );
        }
    }

    fn code(&mut self, code: &str) {
        let bold = self.bold > 0;
        if let Some(open) = &mut self.open
            && let Ok(index) = u32::try_from(open.codes.len())
            && let Some(sign) = char::from_u32(FIRST_CODE + index).filter(|sign| u32::from(*sign) <= LAST_CODE)
        {
            open.all_bold &= bold;
            open.text.push(sign);
            open.codes.push(code.to_owned());
        }
    }
}
