use adit_core::Role;
use adit_lexical::content_words;

/// Words of earlier questions that a follow-up takes over, at most.
const CARRIED_WORDS: usize = 8;
/// A question with fewer content words than this may lean on the conversation.
const FEW_WORDS: usize = 3;
/// How many turns back are looked at.
const LOOKED_AT_TURNS: usize = 6;

/// One turn of a conversation, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub text: &'a str,
}

/// Words that point at something said before, by language; whole words, lower case.
const POINTING: &[&str] = &[
    // English
    "it", "its", "they", "them", "their", "this", "that", "these", "those", "he", "she", "his", "her",
    "there", "same", "such", "former", "latter", "one", "ones", // German
    "er", "sie", "es", "ihn", "ihm", "ihr", "deren", "dessen", "diese", "dieser", "dieses", "dort", "dafür",
    "davon", "damit", "dabei", "derselbe", "dasselbe", // French and Spanish
    "il", "elle", "ils", "elles", "celui", "celle", "ceux", "cela", "ça", "ello", "ellos", "ellas", "eso",
    "ese", "esa", "esto", "allí",
];

/// How a question begins that carries on.
const CARRYING_ON: &[&str] = &[
    "and ",
    "but ",
    "also ",
    "what about ",
    "how about ",
    "what if ",
    "why not",
    "why?",
    "und ",
    "aber ",
    "was ist mit ",
    "wie ist es ",
    "et ",
    "mais ",
    "y ",
    "pero ",
    "qué hay de ",
];

/// Whether `question` only makes sense after the turns before it: it begins like one that carries on, it is
/// very short, or it points at something that it does not name.
pub(super) fn is_follow_up(question: &str, turns: &[Turn<'_>], languages: &[String]) -> bool {
    if !turns.iter().any(|turn| turn.role == Role::User) {
        return false;
    }
    let lowered = question.trim().to_lowercase();
    if CARRYING_ON.iter().any(|opening| lowered.starts_with(opening)) {
        return true;
    }
    let own = content_words(question, languages, CARRIED_WORDS);
    let points =
        lowered.split(|character: char| !character.is_alphanumeric()).any(|word| POINTING.contains(&word));
    own.len() < FEW_WORDS && points || own.is_empty()
}

/// The question completed by the words of the last questions that it lacks, the newest first. Rules cannot
/// tell what a pronoun stands for; the words of the conversation beside it let the search find out.
pub(super) fn completed(question: &str, turns: &[Turn<'_>], languages: &[String]) -> String {
    let own = content_words(question, languages, usize::MAX);
    let mut carried: Vec<String> = Vec::new();
    let questions = turns.iter().rev().take(LOOKED_AT_TURNS).filter(|turn| turn.role == Role::User);
    for turn in questions {
        for word in content_words(turn.text, languages, CARRIED_WORDS) {
            let known = |list: &[String]| list.iter().any(|one| one.to_lowercase() == word.to_lowercase());
            if carried.len() < CARRIED_WORDS && !known(&own) && !known(&carried) {
                carried.push(word);
            }
        }
        // A question that stands by itself ends what the follow-up can lean on.
        if !is_follow_up(turn.text, turns, languages) {
            break;
        }
    }
    if carried.is_empty() { question.to_owned() } else { format!("{question} ({})", carried.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Turn<'_> {
        Turn { role: Role::User, text }
    }

    #[test]
    fn a_question_that_stands_by_itself_is_none() {
        let turns = [user("How long is the probation period?")];
        for question in
            ["What is the travel allowance for Norway?", "Who signs purchase orders above 10,000?"]
        {
            assert!(!is_follow_up(question, &turns, &[]), "{question}");
        }
        assert!(!is_follow_up("and in Norway?", &[], &[]), "there is nothing to follow");
    }

    #[test]
    fn what_leans_on_the_conversation_is_completed_from_it() {
        let turns = [
            user("How long is the probation period for engineers?"),
            Turn { role: Role::Assistant, text: "Six months [doc:1#2]." },
        ];
        for question in ["and for managers?", "Can it be extended?", "why?", "What about Norway?"] {
            assert!(is_follow_up(question, &turns, &[]), "{question}");
        }
        let completed = completed("Can it be extended?", &turns, &[]);
        assert!(completed.starts_with("Can it be extended?"), "{completed}");
        assert!(completed.contains("probation") && completed.contains("engineers"), "{completed}");
        assert!(!completed.contains("months"), "only questions are carried on: {completed}");
    }

    #[test]
    fn a_chain_of_follow_ups_reaches_the_question_that_began_it() {
        let turns = [user("How long is the notice period in Denmark?"), user("and in Norway?")];
        let completed = completed("what about that for managers?", &turns, &[]);
        assert!(completed.contains("Norway") && completed.contains("notice"), "{completed}");
    }
}
