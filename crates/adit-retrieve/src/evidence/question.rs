//! What a question asks for, as far as its words show it.

/// The kind of thing that would answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A count, an amount, a share.
    Number,
    /// A day, a month, a year, a time.
    Date,
    /// A person, a place, an organisation.
    Name,
    /// Anything else.
    Anything,
}

/// Question words, English and German, and what they ask for; the first that occurs decides.
const MARKS: &[(&str, Wanted)] = &[
    ("how many", Wanted::Number),
    ("how much", Wanted::Number),
    ("how long", Wanted::Number),
    ("how old", Wanted::Number),
    ("how high", Wanted::Number),
    ("how far", Wanted::Number),
    ("what percentage", Wanted::Number),
    ("wie viel", Wanted::Number),
    ("wie lange", Wanted::Number),
    ("wie hoch", Wanted::Number),
    ("what year", Wanted::Date),
    ("which year", Wanted::Date),
    ("what date", Wanted::Date),
    ("when", Wanted::Date),
    ("wann", Wanted::Date),
    ("who", Wanted::Name),
    ("whom", Wanted::Name),
    ("whose", Wanted::Name),
    ("where", Wanted::Name),
    ("wer", Wanted::Name),
    ("wem", Wanted::Name),
    ("wo", Wanted::Name),
];

/// Number words that answer a question for a number.
const NUMBER_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "fifteen", "sixteen", "twenty", "thirty", "forty", "fifty", "sixty", "ninety", "hundred", "thousand",
    "million", "half", "once", "twice", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht",
    "neun", "zehn", "zwölf",
];

/// What `question` asks for.
pub(super) fn wanted(question: &str) -> Wanted {
    let lowered = question.to_lowercase();
    let words: Vec<&str> = lowered.split(|character: char| !character.is_alphanumeric()).collect();
    let padded = format!(" {} ", words.join(" "));
    let found = MARKS.iter().find(|(mark, _)| padded.contains(&format!(" {mark} ")));
    found.map_or(Wanted::Anything, |(_, wanted)| *wanted)
}

/// Whether `sentence` holds a thing of the kind that `question` asks for (a number, a date, a name) which the
/// question itself does not name. True for a question whose words do not tell the kind.
#[must_use]
pub fn holds_wanted_kind(question: &str, sentence: &str) -> bool {
    holds(wanted(question), sentence, question)
}

/// Whether `sentence` holds something of the wanted kind that is not in the question itself.
pub(super) fn holds(wanted: Wanted, sentence: &str, question: &str) -> bool {
    let asked = question.to_lowercase();
    let mut words =
        sentence.split(|character: char| !(character.is_alphanumeric() || matches!(character, '.' | ',')));
    match wanted {
        Wanted::Anything => true,
        Wanted::Number | Wanted::Date => words.any(|word| {
            let bare = word.trim_matches(['.', ',']).to_lowercase();
            let is_number = bare.starts_with(|character: char| character.is_ascii_digit())
                || NUMBER_WORDS.contains(&bare.as_str());
            is_number && !asked.contains(&bare)
        }),
        // The first word is capitalised in every sentence.
        Wanted::Name => words.filter(|word| !word.is_empty()).skip(1).any(|word| {
            word.starts_with(char::is_uppercase)
                && !asked.contains(&word.trim_matches(['.', ',']).to_lowercase())
        }),
    }
}

/// Words of a question that name something: capitalised and not its first word, without the rest of a name
/// that is written in capitals throughout.
pub(super) fn names(question: &str) -> Vec<String> {
    let words =
        question.split(|character: char| !(character.is_alphanumeric() || matches!(character, '-' | '_')));
    let mut found = Vec::new();
    for word in words.filter(|word| !word.is_empty()).skip(1) {
        if word.starts_with(char::is_uppercase) && word.chars().nth(1).is_some() {
            found.push(word.to_lowercase());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_words_say_what_is_wanted() {
        assert_eq!(wanted("How many days of leave?"), Wanted::Number);
        assert_eq!(wanted("In what year was it built"), Wanted::Date);
        assert_eq!(wanted("To whom do I write?"), Wanted::Name);
        assert_eq!(wanted("What is a kestrel?"), Wanted::Anything);
    }

    #[test]
    fn what_the_question_itself_says_answers_nothing() {
        assert!(holds(Wanted::Number, "Staff get 28 days.", "How many days?"));
        assert!(holds(Wanted::Number, "Parents receive sixteen weeks.", "How many weeks?"));
        assert!(!holds(Wanted::Number, "The 28 days are paid.", "How many of the 28 days?"));
        assert!(holds(Wanted::Name, "Write to Oriane Kessler.", "Who helps?"));
        assert!(!holds(Wanted::Name, "Somebody helps.", "Who helps?"));
        assert_eq!(names("Where did Anna Schmidt live?"), ["anna", "schmidt"]);
    }
}
