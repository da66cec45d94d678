use adit_core::NativeCitation;

/// The answer's text with the provider's own citations written out as `[doc:ID#N]` behind the words they belong
/// to, where the text does not have them already. What they name is checked like any other citation.
pub(crate) fn with_native_citations(text: &str, citations: &[NativeCitation]) -> String {
    let mut places: Vec<(usize, String)> = Vec::new();
    for citation in citations {
        let id = citation.source.trim().trim_start_matches("doc:");
        let mark = format!("[doc:{id}]");
        let end = boundary_at_or_after(text, citation.end);
        let follows = text.get(end..).unwrap_or_default();
        let is_there = follows.trim_start_matches(['.', ' ']).starts_with(&mark)
            || text.get(..end).is_some_and(|before| before.ends_with(&mark));
        if !id.is_empty() && !is_there && !places.contains(&(end, mark.clone())) {
            places.push((end, mark));
        }
    }
    // From the back, so that earlier places stay where they are; at one place the first comes first.
    places.reverse();
    places.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut result = text.to_owned();
    for (at, mark) in places {
        let space =
            if text.get(..at).is_some_and(|before| before.ends_with(char::is_whitespace)) { "" } else { " " };
        result.insert_str(at, &format!("{space}{mark}"));
    }
    result
}

fn boundary_at_or_after(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(end: usize, source: &str) -> NativeCitation {
        NativeCitation { start: 0, end, source: source.to_owned(), quote: String::new() }
    }

    #[test]
    fn native_citations_are_written_out_once() {
        let text = "Staff get 28 days. Trainees get 30.";
        let written = with_native_citations(
            text,
            &[native(18, "doc:ab#1"), native(18, "doc:ab#1"), native(18, "cd#2"), native(999, "ab#1")],
        );
        assert_eq!(written, "Staff get 28 days. [doc:ab#1] [doc:cd#2] Trainees get 30. [doc:ab#1]");
        assert_eq!(with_native_citations("Ä [doc:ab#1].", &[native(2, "ab#1")]), "Ä [doc:ab#1].");
    }
}
