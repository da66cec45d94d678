use adit_core::{Completion, StopReason};

use crate::EnrichKind;

/// Characters an enrichment may have: more than its tokens make in any language we know.
const MAX_CHARACTERS: usize = 1500;

/// Why an answer that was paid for is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No words.
    Empty,
    /// It says the instructions again.
    RepeatsInstructions,
    /// It was cut off, or is longer than asked for.
    TooLong,
    /// The model declined.
    Declined,
}

impl Refusal {
    /// The name in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::RepeatsInstructions => "repeats_instructions",
            Self::TooLong => "too_long",
            Self::Declined => "declined",
        }
    }
}

/// The trimmed words of an answer, or why there are none.
pub(crate) fn checked_answer(completion: &Completion, kind: EnrichKind) -> Result<String, Refusal> {
    let text = completion.text.trim();
    match completion.stop {
        StopReason::Declined => return Err(Refusal::Declined),
        StopReason::OutputLimit => return Err(Refusal::TooLong),
        StopReason::Done | StopReason::ToolCalls | StopReason::Stopped => {}
    }
    if !text.chars().any(char::is_alphanumeric) {
        return Err(Refusal::Empty);
    }
    if text.chars().count() > MAX_CHARACTERS {
        return Err(Refusal::TooLong);
    }
    let lower = text.to_lowercase();
    let opening = |words: &str| words.chars().take(40).collect::<String>().to_lowercase();
    let repeats = [kind.system(), kind.instruction()].iter().any(|said| lower.contains(&opening(said)));
    if repeats || lower.contains("<document>") || lower.contains("<part>") {
        return Err(Refusal::RepeatsInstructions);
    }
    Ok(text.to_owned())
}
