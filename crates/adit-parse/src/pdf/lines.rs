use std::collections::BTreeMap;

use pdf_inspector::TextItem;

/// Two pieces of text whose base lines differ by less than this share of their height are one line.
const SAME_LINE_SHARE: f32 = 0.5;
/// A gap wider than this share of the height parts two words.
const WORD_GAP_SHARE: f32 = 0.15;
/// A step down of more than this many heights begins a paragraph.
const PARAGRAPH_STEP: f32 = 1.8;

/// Puts positioned pieces of text together in the order of the content stream, one list of paragraphs
/// a page. Pages whose characters could not be decoded are left out.
pub(crate) fn paragraphs_by_page(items: Vec<TextItem>) -> BTreeMap<u32, Vec<String>> {
    let mut pages: BTreeMap<u32, PageLines> = BTreeMap::new();
    for item in items.iter().filter(|item| !item.text.starts_with("[Image:")) {
        pages.entry(item.page).or_default().push(item);
    }
    let pages = pages.into_iter().map(|(number, lines)| (number, lines.finish()));
    pages.filter(|(_, paragraphs)| !paragraphs.is_empty() && is_readable(paragraphs)).collect()
}

#[derive(Default)]
struct PageLines {
    paragraphs: Vec<String>,
    running: String,
    /// Right edge, base line and height of the piece before.
    last: Option<(f32, f32, f32)>,
}

impl PageLines {
    fn push(&mut self, item: &TextItem) {
        let height = item.height.abs().max(1.0);
        if let Some((right, base_line, last_height)) = self.last {
            let step = (base_line - item.y).abs();
            if step > PARAGRAPH_STEP * height.max(last_height) {
                self.end_paragraph();
            } else if step > SAME_LINE_SHARE * height {
                self.running.push('\n');
            } else if item.x - right > WORD_GAP_SHARE * height || item.x < right - height {
                self.running.push(' ');
            }
        }
        self.running.push_str(&item.text);
        self.last = Some((item.x + item.width, item.y, height));
    }

    fn end_paragraph(&mut self) {
        let running = std::mem::take(&mut self.running);
        if !running.trim().is_empty() {
            self.paragraphs.push(running.trim().to_owned());
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_paragraph();
        self.paragraphs
    }
}

fn is_readable(paragraphs: &[String]) -> bool {
    let (mut letters, mut strange) = (0usize, 0usize);
    for character in paragraphs.iter().flat_map(|paragraph| paragraph.chars()) {
        letters += usize::from(character.is_alphanumeric());
        let is_private = matches!(character, '\u{fffd}' | '\u{e000}'..='\u{f8ff}');
        strange += usize::from(is_private || (character.is_control() && character != '\n'));
    }
    letters > 0 && strange * 5 < letters
}
