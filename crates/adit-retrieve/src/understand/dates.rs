use jiff::civil::Date;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};

use crate::calendar::CalendarPeriod;

/// Days that a question speaks of, both ends included; an open end has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateRange {
    /// First day.
    pub from: Option<Date>,
    /// Last day.
    pub to: Option<Date>,
}

impl DateRange {
    const OPEN: Self = Self { from: None, to: None };

    fn days(from: Date, to: Date) -> Self {
        Self { from: Some(from), to: Some(to) }
    }
}

impl From<CalendarPeriod> for DateRange {
    fn from(period: CalendarPeriod) -> Self {
        Self::days(period.first, period.last)
    }
}

/// How the words before a date turn it.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Within,
    Since,
    After,
    Until,
    Before,
}

/// The days that `question` speaks of, seen from `today`; none when it names no date. Reads years, months,
/// quarters and ISO dates with `in`, `since`, `after`, `before`, `until`, `between ... and`, and `last` or
/// `this` week, month, quarter and year, in English and German.
pub(super) fn date_range(question: &str, today: Date) -> Option<DateRange> {
    let words: Vec<String> = question
        .split(|character: char| {
            character.is_whitespace() || matches!(character, ',' | ';' | '(' | ')' | '?')
        })
        .map(|word| word.trim_matches(|one: char| !one.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let mut found: Option<DateRange> = None;
    let mut at = 0;
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let Some((period, taken)) = period(rest, today) else {
            at += 1;
            continue;
        };
        let before = words.get(at.saturating_sub(2)..at).unwrap_or_default();
        let range = turned(period, direction(before))?;
        found = Some(found.map_or(range, |known| joined(known, range)));
        at += taken;
    }
    found
}

/// A period at the beginning of `words`, and how many of them name it.
fn period(words: &[String], today: Date) -> Option<(DateRange, usize)> {
    let first = words.first()?;
    let second = words.get(1).map(String::as_str);
    if let Ok(day) = first.parse::<Date>() {
        return Some((DateRange::days(day, day), 1));
    }
    if let Some((year, month)) =
        first.split_once('-').and_then(|(year, month)| Some((self::year(year)?, month.parse().ok()?)))
    {
        return Some((CalendarPeriod::month(year, month)?.into(), 1));
    }
    if let Some(quarter) = first.strip_prefix('q').and_then(|number| number.parse::<i8>().ok()) {
        let year = second.and_then(self::year);
        let period = CalendarPeriod::quarter(year.unwrap_or(today.year()), quarter)?;
        return Some((period.into(), 1 + usize::from(year.is_some())));
    }
    if let Some(month) = month_number(first) {
        let year = second.and_then(self::year)?;
        return Some((CalendarPeriod::month(year, month)?.into(), 2));
    }
    if let Some(year) = year(first) {
        return Some((CalendarPeriod::year(year)?.into(), 1));
    }
    let shift = match first.as_str() {
        "last" | "previous" | "letztes" | "letzten" | "letzter" | "letzte" | "vergangenes" => -1,
        "this" | "current" | "dieses" | "diesen" | "dieser" | "diese" => 0,
        _ => return None,
    };
    relative(second?, shift, today).map(|range| (range, 2))
}

fn relative(unit: &str, shift: i64, today: Date) -> Option<DateRange> {
    let moved = |span: Span| today.checked_add(span).ok();
    match unit {
        "year" | "jahr" => CalendarPeriod::year(moved(shift.years())?.year()).map(DateRange::from),
        "quarter" | "quartal" => {
            let day = moved((3 * shift).months())?;
            CalendarPeriod::quarter(day.year(), (day.month() - 1) / 3 + 1).map(DateRange::from)
        }
        "month" | "monat" => {
            let day = moved(shift.months())?;
            CalendarPeriod::month(day.year(), day.month()).map(DateRange::from)
        }
        "week" | "woche" => {
            let day = moved((7 * shift).days())?;
            let monday = day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()?;
            Some(DateRange::days(monday, monday.checked_add(6.days()).ok()?))
        }
        _ => None,
    }
}

fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (1900..=2100).contains(year))
}

fn month_number(word: &str) -> Option<i8> {
    const MONTHS: [&[&str]; 12] = [
        &["january", "jan", "januar", "jänner"],
        &["february", "feb", "februar"],
        &["march", "mar", "märz"],
        &["april", "apr"],
        &["may", "mai"],
        &["june", "jun", "juni"],
        &["july", "jul", "juli"],
        &["august", "aug"],
        &["september", "sep", "sept"],
        &["october", "oct", "oktober", "okt"],
        &["november", "nov"],
        &["december", "dec", "dezember", "dez"],
    ];
    (1..).zip(MONTHS).find(|(_, names)| names.contains(&word)).map(|(number, _)| number)
}

fn direction(before: &[String]) -> Direction {
    before.iter().rev().find_map(|word| direction_of(word)).unwrap_or(Direction::Within)
}

fn direction_of(word: &str) -> Option<Direction> {
    match word {
        "since" | "from" | "seit" | "ab" => Some(Direction::Since),
        "after" | "nach" => Some(Direction::After),
        "until" | "till" | "through" | "bis" => Some(Direction::Until),
        "before" | "vor" => Some(Direction::Before),
        "in" | "im" | "during" | "of" | "on" | "am" => Some(Direction::Within),
        _ => None,
    }
}

fn turned(period: DateRange, direction: Direction) -> Option<DateRange> {
    let DateRange { from, to } = period;
    Some(match direction {
        Direction::Within => period,
        Direction::Since => DateRange { from, ..DateRange::OPEN },
        Direction::After => DateRange { from: to?.tomorrow().ok(), ..DateRange::OPEN },
        Direction::Until => DateRange { to, ..DateRange::OPEN },
        Direction::Before => DateRange { to: from?.yesterday().ok(), ..DateRange::OPEN },
    })
}

/// Two dates in one question are the ends of one range.
fn joined(left: DateRange, right: DateRange) -> DateRange {
    let from = match (left.from, right.from) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    let to = match (left.to, right.to) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    DateRange { from, to }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(question: &str) -> Option<(String, String)> {
        let shown = |day: Option<Date>| day.map_or_else(|| "open".to_owned(), |day| day.to_string());
        date_range(question, date(2026, 11, 30)).map(|range| (shown(range.from), shown(range.to)))
    }

    #[test]
    fn reads_the_dates_that_questions_name() {
        for (question, from, to) in [
            ("travel policy in 2023", "2023-01-01", "2023-12-31"),
            ("incidents since March 2022?", "2022-03-01", "open"),
            ("what changed before 2021-06-15", "open", "2021-06-14"),
            ("releases after Q3 2024", "2024-10-01", "open"),
            ("between 2019 and 2021", "2019-01-01", "2021-12-31"),
            ("revenue last quarter", "2026-07-01", "2026-09-30"),
            ("what was decided last week", "2026-11-23", "2026-11-29"),
            ("Vorfälle seit März 2022", "2022-03-01", "open"),
            ("Umsatz letztes Jahr", "2025-01-01", "2025-12-31"),
            ("report of 2024-02", "2024-02-01", "2024-02-29"),
        ] {
            assert_eq!(read(question), Some((from.to_owned(), to.to_owned())), "{question}");
        }
    }

    #[test]
    fn numbers_that_are_no_dates_are_left_alone() {
        for question in ["error 4021", "who approves 10,000 dollars", "may I work from home", "room 1850"] {
            assert_eq!(read(question), None, "{question}");
        }
    }
}
