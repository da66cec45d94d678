/// The sentence with which a model says that the passages do not answer.
pub const REFUSAL: &str = "The documents do not answer this question.";

/// Other ways in which models begin a refusal, in lower case.
const VARIANTS: &[&str] = &[
    "the documents do not answer",
    "the documents don't answer",
    "the passages do not answer",
    "the passages do not contain",
    "the provided passages do not",
    "the provided documents do not",
    "the documents do not contain",
    "i cannot answer this question from",
    "i could not find",
    "die dokumente beantworten diese frage nicht",
    "die dokumente beantworten die frage nicht",
];

/// Whether `answer` refuses: it starts with [`REFUSAL`] or a common variant, and cites nothing.
#[must_use]
pub fn is_refusal(answer: &str) -> bool {
    let bare = answer.trim_start_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
    let plain = bare.replace('’', "'");
    VARIANTS.iter().any(|variant| plain.starts_with(variant)) && !plain.contains("[doc:")
}

/// Whether a sentence only says what the documents do not say: it needs no citation, and supports nothing.
pub(crate) fn tells_an_absence(sentence: &str) -> bool {
    is_refusal(sentence)
        || ["the documents do not", "the passages do not", "the documents don't", "die dokumente"].iter().any(
            |start| {
                let lowered = sentence.trim_start().to_lowercase();
                lowered.starts_with(start) && !lowered.contains("[doc:") && lowered.chars().count() < 200
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_known_by_their_beginning() {
        assert!(is_refusal(REFUSAL) && is_refusal("**The documents don’t answer** that. Ask HR."));
        assert!(!is_refusal("The documents do not answer all of it. Staff get 28 days [doc:ab#1]."));
        assert!(!is_refusal("Staff get 28 days."));
        assert!(tells_an_absence("The documents do not say when it was built."));
    }
}
