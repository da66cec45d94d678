use std::collections::HashMap;

use adit_core::{ChunkError, ParsedDocument, Tokenizer};

use crate::token_map::tokenizer_failed;
use crate::unit::{Unit, UnitKind};

/// What stands before a chunk's words because of its place in the document.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// Title and headings, outermost first, in full.
    pub(crate) heading_path: Vec<String>,
    /// The line for `indexed`, shortened if need be; empty when there is none.
    pub(crate) line: String,
    /// Tokens of that line, special tokens included.
    pub(crate) tokens: usize,
}

/// Contexts by section, each counted once.
pub(crate) struct Contexts<'a> {
    document: &'a ParsedDocument,
    tokenizer: &'a dyn Tokenizer,
    /// Most tokens of the line: a third of a chunk, so that the words stay the greater part.
    most_tokens: usize,
    known: HashMap<Option<usize>, Context>,
}

impl<'a> Contexts<'a> {
    pub(crate) fn new(
        document: &'a ParsedDocument,
        tokenizer: &'a dyn Tokenizer,
        limit_tokens: usize,
    ) -> Self {
        let most_tokens = (limit_tokens / 3).max(tokenizer.special_tokens());
        Self { document, tokenizer, most_tokens, known: HashMap::new() }
    }

    /// The context of words in `section`.
    pub(crate) fn of(&mut self, section: Option<usize>) -> Result<Context, ChunkError> {
        if let Some(known) = self.known.get(&section) {
            return Ok(known.clone());
        }
        let context = self.make(section)?;
        self.known.insert(section, context.clone());
        Ok(context)
    }

    /// The innermost section that holds all of `units`: of their bodies if any has one.
    pub(crate) fn shared_section(&self, units: &[Unit<'_>]) -> Option<usize> {
        let has_body = units.iter().any(|unit| !matches!(unit.kind, UnitKind::Heading));
        let mut sections = units
            .iter()
            .filter(|unit| !has_body || !matches!(unit.kind, UnitKind::Heading))
            .map(|unit| unit.section);
        let mut shared = self.ancestry(sections.next().flatten());
        let mut last = None;
        for section in sections {
            if section != last || section.is_none() {
                let other = self.ancestry(section);
                shared.retain(|ancestor| other.contains(ancestor));
                last = section;
            }
        }
        shared.first().copied()
    }

    /// `section` and everything above it, innermost first.
    fn ancestry(&self, section: Option<usize>) -> Vec<usize> {
        let mut ancestry = Vec::new();
        let mut next = section;
        while let Some(index) = next
            && ancestry.len() <= self.document.sections.len()
        {
            ancestry.push(index);
            next = self.document.sections.get(index).and_then(|section| section.parent);
        }
        ancestry
    }

    fn make(&self, section: Option<usize>) -> Result<Context, ChunkError> {
        let heading_path = titled_path(self.document, section);
        let mut shown = heading_path.as_slice();
        loop {
            let line = one_line(&shown.join(" > "));
            let tokens = self.tokenizer.count_tokens(&line).map_err(tokenizer_failed)?;
            if tokens <= self.most_tokens {
                return Ok(Context { heading_path, line, tokens });
            }
            // The outermost heading says least about these words.
            match shown.split_first() {
                Some((_, rest)) if !rest.is_empty() => shown = rest,
                _ => {
                    let (line, tokens) = self.first_words(&line)?;
                    return Ok(Context { heading_path, line, tokens });
                }
            }
        }
    }

    /// As many words of one overlong heading as fit.
    fn first_words(&self, heading: &str) -> Result<(String, usize), ChunkError> {
        let words: Vec<&str> = heading.split(' ').collect();
        let mut kept = words.len();
        loop {
            kept /= 2;
            let line = words.get(..kept).unwrap_or_default().join(" ");
            let tokens = self.tokenizer.count_tokens(&line).map_err(tokenizer_failed)?;
            if tokens <= self.most_tokens || kept == 0 {
                return Ok((line, tokens));
            }
        }
    }
}

/// Headings above `section` with the document's title outermost, unless the first heading is the title.
pub(crate) fn titled_path(document: &ParsedDocument, section: Option<usize>) -> Vec<String> {
    let mut path = document.heading_path(section);
    let title = document.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    if let Some(title) = title
        && path.first().is_none_or(|first| first.trim().to_lowercase() != title.to_lowercase())
    {
        path.insert(0, title.to_owned());
    }
    path
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
