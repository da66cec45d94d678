use super::{GapGroup, GapKind, TermCount};

/// Words named in a sentence.
const NAMED: usize = 3;

/// What to do about a group, in one sentence.
pub(super) fn next_step(group: &GapGroup) -> String {
    match group.kind {
        GapKind::Topic if group.absent_terms.is_empty() => {
            "add documents about this, or tell readers that it is not covered: nothing near it is indexed"
                .to_owned()
        }
        GapKind::Topic => format!(
            "add documents that cover {}, or tell readers that it is not covered",
            named(&group.absent_terms)
        ),
        GapKind::Capability if !group.hidden_terms.is_empty() => format!(
            "documents have {} but the passages returned do not: take an example and a quote that answers it to \
             `adit diagnose`, which names the stage that lost it",
            named(&group.hidden_terms)
        ),
        GapKind::Capability if group.feedback_no > 0 && !group.notes.is_empty() => {
            "the passages looked right and did not satisfy: read the notes, then take an example and a quote that \
             answers it to `adit diagnose`"
                .to_owned()
        }
        GapKind::Capability => {
            "near passages exist: take an example and a quote that answers it to `adit diagnose`, which names the \
             stage that lost it; if no quote can be found, the documents lack the answer"
                .to_owned()
        }
    }
}

fn named(terms: &[TermCount]) -> String {
    let quoted: Vec<String> = terms.iter().take(NAMED).map(|term| format!("`{}`", term.term)).collect();
    quoted.join(", ")
}
