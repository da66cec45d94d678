/// A longer name is a sentence with a colon in it.
const MAX_NAME_CHARACTERS: usize = 40;
const MAX_TIME_CHARACTERS: usize = 32;

/// Words in the place of a name that say how important a program's message is.
const LEVELS: [&str; 12] = [
    "trace",
    "debug",
    "info",
    "information",
    "notice",
    "warn",
    "warning",
    "error",
    "err",
    "critical",
    "fatal",
    "severe",
];

/// How a turn begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TurnStart<'a> {
    /// Who speaks; `None` for what the program itself says.
    pub(crate) name: Option<&'a str>,
}

/// Reads the beginning of a line; `None` if no turn begins with it.
pub(crate) fn start(line: &str) -> Option<TurnStart<'_>> {
    // Marks of direction stand before lines of some exports.
    let line = line.trim_start_matches(['\u{200e}', '\u{200f}', '\u{feff}']);
    if let Some((time, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        return is_time(time).then(|| speaker(rest.trim_start_matches('\u{200e}'))).flatten();
    }
    if let Some((time, rest)) = line.split_once(" - ")
        && is_time(time)
        && time.contains(['/', '.', '-'])
    {
        return Some(TurnStart { name: colon_name(rest) });
    }
    let (time, rest) = line.split_once(" <")?;
    let (name, _) = rest.split_once('>')?;
    is_time(time).then_some(TurnStart { name: Some(as_name(name)?) })
}

fn speaker(rest: &str) -> Option<TurnStart<'_>> {
    if let Some((name, _)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        return Some(TurnStart { name: Some(as_name(name)?) });
    }
    Some(TurnStart { name: Some(colon_name(rest)?) })
}

fn colon_name(rest: &str) -> Option<&str> {
    let (name, after) = rest.split_once(':')?;
    (after.is_empty() || after.starts_with(' ')).then(|| as_name(name)).flatten()
}

fn as_name(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_name = name.chars().any(char::is_alphanumeric)
        && name.chars().count() <= MAX_NAME_CHARACTERS
        && !name.contains(['[', ']', '{', '}', '=', '/', '\\', '"'])
        && !LEVELS.contains(&name.to_lowercase().as_str());
    is_name.then_some(name)
}

/// A time of day, with or without a date: digits, their marks, and the words of half days.
fn is_time(text: &str) -> bool {
    let text = text.trim();
    let bytes = text.as_bytes();
    let has_clock = bytes.windows(4).any(|four| {
        matches!(four, [hour, b':', tens, ones]
            if hour.is_ascii_digit() && tens.is_ascii_digit() && ones.is_ascii_digit())
    });
    let is_mark = |one: char| {
        one.is_ascii_digit()
            || one.is_whitespace()
            || matches!(one, ':' | '.' | ',' | '/' | '-' | '+' | 'T' | 'Z')
    };
    let rest: String = text.chars().filter(|one| !is_mark(*one)).collect::<String>().to_lowercase();
    has_clock
        && text.chars().count() <= MAX_TIME_CHARACTERS
        && matches!(rest.as_str(), "" | "am" | "pm" | "a" | "p" | "utc" | "uhr")
}
