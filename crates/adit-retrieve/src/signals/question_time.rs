//! What time a question asks about, by rules.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use regex::Regex;

use super::calendar_period::first_period;
use super::version_name::VersionNumber;
use crate::calendar::CalendarPeriod;

/// What a question says of the state that it wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AskedTime {
    /// What holds now: it says so, or says nothing.
    Now,
    /// What held at some time of this period.
    During(CalendarPeriod),
    /// The version of this number.
    Version(VersionNumber),
}

static VERSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:versions?|ver\.?|release|rev(?:ision)?\.?|fassung|ausgabe|v)\s?(?P<n>\d{1,4}(?:\.\d{1,4}){0,3})\b")
        .ok()
});
static BEFORE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:before|prior\s+to|vor(?:\s+dem)?)\s+(?:the\s+)?$").ok());
static SINCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:since|after|seit(?:\s+dem)?|nach(?:\s+dem)?|ab(?:\s+dem)?)\s+(?:the\s+)?$").ok()
});
static LAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:last|previous|letzte[ns]?|vorige[ns]?|vergangene[ns]?)\s+(?P<unit>year|month|jahr(?:es)?|monat(?:s)?)\b").ok()
});

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Reads the time that `question` asks about. A period after `since` or `after` leaves the present in; one
/// after `before` ends the day before it. A question without a date asks for what holds now, with or
/// without a word such as `current` or `aktuell`.
pub(super) fn asked_time(question: &str, today: Date) -> AskedTime {
    if let Some(number) =
        VERSION.as_ref().and_then(|form| form.captures(question)).and_then(|found| found.name("n"))
        && let Some(number) = VersionNumber::read(number.as_str())
    {
        return AskedTime::Version(number);
    }
    if let Some((period, range)) = first_period(question) {
        let before = question.get(..range.start).unwrap_or_default();
        if matches(&BEFORE, before) {
            let eve = period.first.checked_sub(1.day()).unwrap_or(period.first);
            return AskedTime::During(CalendarPeriod { first: eve, last: eve });
        }
        if matches(&SINCE, before) && period.last <= today {
            return AskedTime::Now;
        }
        return AskedTime::During(period);
    }
    let unit = LAST.as_ref().and_then(|form| form.captures(question)).and_then(|found| found.name("unit"));
    let last = unit.and_then(|unit| {
        if unit.as_str().to_lowercase().starts_with(['y', 'j']) {
            return CalendarPeriod::year(today.year().checked_sub(1)?);
        }
        let month = today.first_of_month().checked_sub(1.month()).ok()?;
        CalendarPeriod::month(month.year(), month.month())
    });
    last.map_or(AskedTime::Now, AskedTime::During)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> AskedTime {
        asked_time(question, Date::new(2026, 3, 15).unwrap())
    }

    fn during(first: &str, last: &str) -> AskedTime {
        AskedTime::During(CalendarPeriod { first: first.parse().unwrap(), last: last.parse().unwrap() })
    }

    #[test]
    fn dates_decide() {
        assert_eq!(asked("How many days of leave were there in 2023?"), during("2023-01-01", "2023-12-31"));
        assert_eq!(asked("the rate as of March 2022"), during("2022-03-01", "2022-03-31"));
        assert_eq!(asked("Welche Regel galt am 1. Juli 2021?"), during("2021-07-01", "2021-07-01"));
        assert_eq!(asked("allowance before 2024"), during("2023-12-31", "2023-12-31"));
        assert_eq!(asked("Was galt vor dem 1.4.2024?"), during("2024-03-31", "2024-03-31"));
        assert_eq!(asked("what changed last year"), during("2025-01-01", "2025-12-31"));
        assert_eq!(asked("Was galt im letzten Monat?"), during("2026-02-01", "2026-02-28"));
    }

    #[test]
    fn versions_decide() {
        let version = |text: &str| AskedTime::Version(VersionNumber::read(text).unwrap());
        assert_eq!(asked("timeout in version 2.1"), version("2.1"));
        assert_eq!(asked("Zeit\u{fc}berschreitung in Fassung 3"), version("3"));
        assert_eq!(asked("limits of v2"), version("2"));
    }

    #[test]
    fn everything_else_asks_for_now() {
        for question in [
            "What is the current travel allowance?",
            "Wie hoch ist der aktuelle Satz?",
            "travel allowance",
            "rules since 2024",
            "Regeln seit 2024",
            "policy HR-2023",
            "5 verses of the song",
        ] {
            assert_eq!(asked(question), AskedTime::Now, "{question}");
        }
    }
}
