use std::cell::OnceCell;

use adit_core::TextRange;

use super::approximate::find_approximate;
use super::item::GoldenSpan;
use super::normal_text::NormalText;

/// A quote counts as found again when this share of its characters is unchanged.
pub const PLACED_SIMILARITY: f64 = 0.85;

/// Where a span stands in a text. Ranges are bytes of that text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placement {
    /// Word for word, where the span says it is, or anywhere if the span gives no range.
    ///
    /// Word for word leaves aside what parsers change: composed or decomposed letters, white space,
    /// typographic quotes and dashes, soft hyphens, words hyphenated at a line's end.
    Exact(TextRange),
    /// The words stand elsewhere than the span's range says (similarity 1), or similar words were found.
    Moved {
        /// Where.
        range: TextRange,
        /// 1 - edits / characters of the quote, at least [`PLACED_SIMILARITY`].
        similarity: f64,
    },
    /// Nowhere.
    NotFound {
        /// How near the nearest part came; 0 when nothing resembles the quote.
        best_similarity: f64,
    },
}

impl Placement {
    /// The range, if there is one.
    #[must_use]
    pub fn range(&self) -> Option<TextRange> {
        match self {
            Self::Exact(range) | Self::Moved { range, .. } => Some(*range),
            Self::NotFound { .. } => None,
        }
    }
}

/// Finds `span` in the extracted `text` of its document. Where its range and its quote disagree, the
/// quote wins. For many spans of one document, a [`SpanLocator`] prepares the text once.
#[must_use]
pub fn place_span(text: &str, span: &GoldenSpan) -> Placement {
    SpanLocator::new(text).place(span)
}

/// A text prepared for finding quotes in it.
#[derive(Debug)]
pub struct SpanLocator<'a> {
    text: &'a str,
    normal: OnceCell<NormalText>,
    normal_characters: OnceCell<Vec<char>>,
}

impl<'a> SpanLocator<'a> {
    /// Prepares nothing yet: a span whose range holds its quote costs only that range.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, normal: OnceCell::new(), normal_characters: OnceCell::new() }
    }

    /// As [`place_span`].
    #[must_use]
    pub fn place(&self, span: &GoldenSpan) -> Placement {
        let said = span.char_range().map(|range| byte_range(self.text, range));
        let Some(quote) = &span.quote else {
            let range = said.unwrap_or(Some(TextRange::new(0, self.text.len())));
            return range.map_or(Placement::NotFound { best_similarity: 0.0 }, Placement::Exact);
        };
        let quote = normal_quote(quote);
        if let Some(Some(range)) = said
            && range.slice(self.text).is_some_and(|there| normal_quote(there) == quote)
        {
            return Placement::Exact(range);
        }
        // A range that goes beyond the text still says that the words stood late in it.
        let expected = span
            .char_start
            .map(|start| byte_range(self.text, (start, start)).map_or(self.text.len(), |range| range.start));
        match self.nearest_verbatim(&quote, expected) {
            Some(range) if said.is_none() => Placement::Exact(range),
            Some(range) => Placement::Moved { range, similarity: 1.0 },
            None => self.place_similar(&quote, expected),
        }
    }

    /// How often the quote stands in the text word for word (places may overlap); 0 without a quote.
    #[must_use]
    pub fn verbatim_occurrences(&self, span: &GoldenSpan) -> usize {
        span.quote.as_ref().map_or(0, |quote| self.verbatim(&normal_quote(quote)).count())
    }

    fn nearest_verbatim(&self, quote: &str, expected: Option<usize>) -> Option<TextRange> {
        let mut places = self.verbatim(quote).map(|range| self.normal().to_original(range));
        match expected {
            Some(at) => places.min_by_key(|range| range.start.abs_diff(at)),
            None => places.next(),
        }
    }

    /// Byte ranges in the normal text, in order.
    fn verbatim<'q>(&'q self, quote: &'q str) -> impl Iterator<Item = TextRange> + 'q {
        let text = self.normal().text.as_str();
        let step = quote.chars().next().map_or(1, char::len_utf8);
        let mut from = 0;
        std::iter::from_fn(move || {
            if quote.is_empty() {
                return None;
            }
            let start = from + text.get(from..)?.find(quote)?;
            from = start + step;
            Some(TextRange::new(start, start + quote.len()))
        })
    }

    fn place_similar(&self, quote: &str, expected: Option<usize>) -> Placement {
        let quote: Vec<char> = quote.chars().collect();
        let most_edits = (quote.len() as f64 * (1.0 - PLACED_SIMILARITY) + 1e-9).floor() as usize;
        let characters = self.normal_characters.get_or_init(|| self.normal().text.chars().collect());
        // Normal and original text drift apart slowly; as a tie-breaker the share of the text is enough.
        let expected =
            expected.map(|at| (at as f64 / self.text.len().max(1) as f64 * characters.len() as f64) as usize);
        let similarity = |edits: usize| 1.0 - edits as f64 / quote.len().max(1) as f64;
        match find_approximate(characters, &quote, most_edits, expected) {
            Ok(found) => Placement::Moved {
                range: self.normal().to_original(character_range_to_bytes(
                    characters,
                    found.start,
                    found.end,
                )),
                similarity: similarity(found.edits),
            },
            Err(miss) => {
                Placement::NotFound { best_similarity: miss.map_or(0.0, |miss| similarity(miss.edits)) }
            }
        }
    }

    fn normal(&self) -> &NormalText {
        self.normal.get_or_init(|| NormalText::new(self.text))
    }
}

fn normal_quote(quote: &str) -> String {
    NormalText::new(quote).text.trim().to_owned()
}

/// Bytes of the characters `start..end`, or `None` beyond the text.
fn byte_range(text: &str, (start, end): (usize, usize)) -> Option<TextRange> {
    let mut offsets = text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len()));
    let first = offsets.nth(start)?;
    let last = if end <= start { first } else { offsets.nth(end - start - 1)? };
    Some(TextRange::new(first, last))
}

fn character_range_to_bytes(characters: &[char], start: usize, end: usize) -> TextRange {
    let bytes = |part: Option<&[char]>| -> usize {
        part.unwrap_or_default().iter().map(|character| character.len_utf8()).sum()
    };
    let first = bytes(characters.get(..start));
    TextRange::new(first, first + bytes(characters.get(start..end)))
}
