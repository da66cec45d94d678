use adit_core::{PassageId, TextRange};

/// A bracket that cites, with what it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitationMark {
    /// The bracket in the text.
    pub(crate) range: TextRange,
    /// What can be read of it.
    pub(crate) ids: Vec<PassageId>,
    /// What cannot.
    pub(crate) unreadable: Vec<String>,
}

/// The citations of `text`: `[doc:ID#N]`, several in one bracket by commas or semicolons.
pub(crate) fn citation_marks(text: &str) -> Vec<CitationMark> {
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("[doc:")) {
        let start = at + found;
        let Some(length) = text.get(start..).and_then(|rest| rest.find(']')) else { break };
        let inner = text.get(start + 1..start + length).unwrap_or_default();
        let mut mark = CitationMark {
            range: TextRange::new(start, start + length + 1),
            ids: Vec::new(),
            unreadable: Vec::new(),
        };
        for piece in inner.split([',', ';']).map(str::trim).filter(|piece| !piece.is_empty()) {
            match piece.parse() {
                Ok(id) => mark.ids.push(id),
                Err(_) => mark.unreadable.push(piece.to_owned()),
            }
        }
        marks.push(mark);
        at = start + length + 1;
    }
    marks
}

/// Every passage that `text` cites, each once, in the order of its first mention.
pub(crate) fn cited_ids(text: &str) -> Vec<PassageId> {
    let mut ids: Vec<PassageId> = Vec::new();
    for id in citation_marks(text).into_iter().flat_map(|mark| mark.ids) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_read_with_several_ids_and_without_any() {
        let text = "A [doc:ab#1, doc:cd#2; x] b [doc:ab#1] c [1] d [doc:open";
        let marks = citation_marks(text);
        assert_eq!(marks.len(), 2);
        assert_eq!((marks[0].ids.len(), marks[0].unreadable.as_slice()), (2, &["x".to_owned()][..]));
        assert_eq!(marks[0].range.slice(text), Some("[doc:ab#1, doc:cd#2; x]"));
        assert_eq!(cited_ids(text).len(), 2);
    }
}
