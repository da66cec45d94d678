use std::collections::{HashMap, HashSet};

use super::records::{Record, TEXT_HEADER, record_at};
use crate::compound::{size_at, u32_at};

const USER_EDIT: u16 = 0x0ff5;
const PERSIST_DIRECTORY: u16 = 0x1772;
const DOCUMENT: u16 = 0x03e8;
const SLIDE_LIST: u16 = 0x0ff0;
const SLIDE_PERSIST: u16 = 0x03f3;
const NOTES_ATOM: u16 = 0x03f1;
/// Which list of a document a list is ([MS-PPT] 2.4.14).
const SLIDES: u16 = 0;
const NOTES: u16 = 2;
/// Saves that are followed back; each costs one look.
const MAX_EDITS: usize = 10_000;
/// Objects that are remembered.
const MAX_OBJECTS: usize = 1_000_000;

/// What a text is for ([MS-PPT] 2.13.33).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    Title,
    Other,
}

/// The words of one slide.
#[derive(Debug, Default)]
pub(crate) struct Slide {
    pub(crate) texts: Vec<(TextKind, String)>,
    pub(crate) notes: Vec<String>,
}

/// A presentation opened through its directory, which knows the newest version of each object.
pub(crate) struct Presentation<'a> {
    stream: &'a [u8],
    offsets: HashMap<u32, usize>,
    document: Record<'a>,
}

/// One entry of a list of slides: the object, the slide's id, and the texts kept in the list.
struct Listed {
    object: u32,
    slide_id: u32,
    texts: Vec<(TextKind, String)>,
}

impl<'a> Presentation<'a> {
    /// `edit_offset` is where the last save stands. `None` if the directory leads nowhere.
    pub(crate) fn read(stream: &'a [u8], edit_offset: Option<u32>) -> Option<Self> {
        let mut offsets = HashMap::new();
        let mut edit_at = edit_offset?;
        let mut document_object = None;
        let mut seen = HashSet::new();
        // From the newest save back to the first: what is known already is newer.
        while seen.len() < MAX_EDITS && seen.insert(edit_at) {
            let edit = record_at(stream, usize::try_from(edit_at).ok()?)?;
            if edit.kind != USER_EDIT {
                return None;
            }
            document_object = document_object.or(u32_at(edit.content, 16));
            let directory = record_at(stream, size_at(edit.content, 12)?)?;
            if directory.kind != PERSIST_DIRECTORY {
                return None;
            }
            read_directory(directory.content, &mut offsets);
            edit_at = u32_at(edit.content, 8)?;
            if edit_at == 0 {
                break;
            }
        }
        let document = record_at(stream, *offsets.get(&document_object?)?)?;
        (document.kind == DOCUMENT).then_some(Self { stream, offsets, document })
    }

    /// The slides in the order they are shown.
    pub(crate) fn slides(&self) -> Vec<Slide> {
        let mut notes: HashMap<u32, Vec<String>> = HashMap::new();
        for listed in self.list(NOTES) {
            let Some(object) = self.object(listed.object) else { continue };
            let slide = object.children().find(|child| child.kind == NOTES_ATOM);
            let Some(slide_id) = slide.and_then(|atom| u32_at(atom.content, 0)) else { continue };
            let texts = listed.texts.into_iter().chain(texts_of(object)).map(|(_, text)| text);
            notes.entry(slide_id).or_default().extend(texts);
        }
        let listed = self.list(SLIDES).into_iter();
        listed
            .map(|listed| {
                let mut texts = listed.texts;
                texts.extend(self.object(listed.object).map(texts_of).unwrap_or_default());
                Slide { texts, notes: notes.remove(&listed.slide_id).unwrap_or_default() }
            })
            .collect()
    }

    fn object(&self, number: u32) -> Option<Record<'a>> {
        record_at(self.stream, *self.offsets.get(&number)?)
    }

    /// A list holds, after each entry, the texts of that slide's placeholders.
    fn list(&self, which: u16) -> Vec<Listed> {
        let mut entries: Vec<Listed> = Vec::new();
        let lists = self.document.children();
        for list in lists.filter(|child| child.kind == SLIDE_LIST && child.instance == which) {
            let mut kind = TextKind::Other;
            for record in list.children() {
                match record.kind {
                    SLIDE_PERSIST => {
                        let object = u32_at(record.content, 0).unwrap_or(0);
                        let slide_id = u32_at(record.content, 12).unwrap_or(0);
                        entries.push(Listed { object, slide_id, texts: Vec::new() });
                    }
                    TEXT_HEADER => kind = kind_of(record),
                    _ => {
                        if let (Some(text), Some(entry)) = (record.text(), entries.last_mut()) {
                            push_text(kind, text, &mut entry.texts);
                        }
                    }
                }
            }
        }
        entries
    }
}

/// A run of objects: the first number and the count in one word, then where each stands
/// ([MS-PPT] 2.3.5).
fn read_directory(mut content: &[u8], offsets: &mut HashMap<u32, usize>) {
    while let Some(head) = u32_at(content, 0) {
        let (first, count) = (head & 0x000f_ffff, head >> 20);
        content = content.get(4..).unwrap_or_default();
        for number in 0..count {
            let Some(offset) = size_at(content, 0) else { return };
            if offsets.len() < MAX_OBJECTS {
                offsets.entry(first.saturating_add(number)).or_insert(offset);
            }
            content = content.get(4..).unwrap_or_default();
        }
    }
}

/// The texts that stand in an object itself: text boxes and shapes.
fn texts_of(object: Record<'_>) -> Vec<(TextKind, String)> {
    let mut kind = TextKind::Other;
    let mut texts = Vec::new();
    for record in object.leaves() {
        if record.kind == TEXT_HEADER {
            kind = kind_of(record);
        } else if let Some(text) = record.text() {
            push_text(kind, text, &mut texts);
        }
    }
    texts
}

fn push_text(kind: TextKind, text: String, texts: &mut Vec<(TextKind, String)>) {
    // `*` stands where a number or date is filled in.
    if !text.is_empty() && text != "*" {
        texts.push((kind, text));
    }
}

fn kind_of(header: Record<'_>) -> TextKind {
    match u32_at(header.content, 0) {
        Some(0 | 6) => TextKind::Title,
        _ => TextKind::Other,
    }
}
