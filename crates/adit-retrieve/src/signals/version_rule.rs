//! Of several versions of one document, the one that the question asks for.

use adit_core::SignalFactor;
use jiff::ToSpan;
use jiff::civil::Date;

use super::collection_facts::DocumentFacts;
use super::question_time::AskedTime;
use super::selection::SignalKind;
use super::settings::SignalSettings;
use super::version_name::VersionNumber;
use crate::calendar::CalendarPeriod;

/// A version of a document, as far as the reader may see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Version<'a> {
    pub(super) source: &'a str,
    pub(super) facts: &'a DocumentFacts,
    /// How many of the others it says it supersedes, directly or over one another.
    pub(super) supersedes_count: usize,
}

/// The factor of `versions[own]`, where the versions can be told apart by what the question asks for.
/// `versions` must hold only what the reader may see, at least two, in any order.
pub(super) fn factor(
    versions: &[Version<'_>],
    own: usize,
    asked: &AskedTime,
    today: Date,
    settings: &SignalSettings,
) -> Option<SignalFactor> {
    let mut order: Vec<usize> = (0..versions.len()).collect();
    let by = Order::of(versions, settings.use_modified)?;
    order.sort_by(|left, right| by.compare(versions.get(*left), versions.get(*right)));
    let sorted: Vec<Version<'_>> = order.iter().filter_map(|at| versions.get(*at).copied()).collect();
    let place = order.iter().position(|at| *at == own)?;
    let chosen = chosen(&sorted, by, asked, today)?;
    let is_chosen = chosen.contains(&place);
    let factor = if is_chosen { settings.version_chosen } else { settings.version_other };
    let best = chosen.last().and_then(|at| sorted.get(*at))?;
    let what = match asked {
        AskedTime::Now => "the newest valid one".to_owned(),
        AskedTime::During(period) if period.first == period.last => format!("valid on {}", period.first),
        AskedTime::During(period) => format!("valid between {} and {}", period.first, period.last),
        AskedTime::Version(number) => format!("version {number}"),
    };
    let reason = if is_chosen {
        format!("{what} of {} versions", sorted.len())
    } else {
        format!("of {} versions {} is {what}", sorted.len(), best.source)
    };
    #[expect(clippy::cast_possible_truncation, reason = "a factor of two or three digits")]
    let factor = factor as f32;
    Some(SignalFactor { signal: SignalKind::Version.name().to_owned(), factor, reason })
}

/// What all versions of a document have, and are therefore ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Date,
    Number,
    Supersedes,
    Modified,
}

impl Order {
    fn of(versions: &[Version<'_>], use_modified: bool) -> Option<Self> {
        let all = |has: &dyn Fn(&DocumentFacts) -> bool| versions.iter().all(|one| has(one.facts));
        let mut counts: Vec<usize> = versions.iter().map(|one| one.supersedes_count).collect();
        counts.sort_unstable();
        counts.dedup();
        if all(&|facts| facts.valid_from.is_some()) {
            Some(Self::Date)
        } else if all(&|facts| facts.version.is_some()) {
            Some(Self::Number)
        } else if counts.len() == versions.len() {
            Some(Self::Supersedes)
        } else {
            (use_modified && all(&|facts| facts.modified.is_some())).then_some(Self::Modified)
        }
    }

    fn compare(self, left: Option<&Version<'_>>, right: Option<&Version<'_>>) -> std::cmp::Ordering {
        let (Some(left), Some(right)) = (left, right) else { return std::cmp::Ordering::Equal };
        let by_number = || left.facts.version.cmp(&right.facts.version);
        let first = match self {
            Self::Date => left.facts.valid_from.cmp(&right.facts.valid_from).then_with(by_number),
            Self::Number => by_number(),
            Self::Supersedes => left.supersedes_count.cmp(&right.supersedes_count),
            Self::Modified => left.facts.modified.cmp(&right.facts.modified),
        };
        first.then_with(|| left.source.cmp(right.source))
    }
}

/// Places of the versions that the question asks for, oldest first; `None` where that cannot be told.
fn chosen(sorted: &[Version<'_>], by: Order, asked: &AskedTime, today: Date) -> Option<Vec<usize>> {
    let period = match asked {
        AskedTime::Now => {
            let day = CalendarPeriod { first: today, last: today };
            let newest = if by == Order::Date { valid_in(sorted, day).pop() } else { None };
            // All still to come, or all expired: the newest that has begun, else the first to come.
            let begun = |one: &Version<'_>| one.facts.valid_from.is_none_or(|from| from <= today);
            let newest = newest.or_else(|| sorted.iter().rposition(begun)).unwrap_or(0);
            return Some(vec![newest]);
        }
        AskedTime::Version(number) => {
            let matching = with_number(sorted, number);
            match number.as_year() {
                Some(year) if matching.is_empty() => year,
                _ => return (!matching.is_empty()).then_some(matching),
            }
        }
        AskedTime::During(period) => *period,
    };
    let valid = if by == Order::Date { valid_in(sorted, period) } else { Vec::new() };
    (!valid.is_empty()).then_some(valid)
}

fn with_number(sorted: &[Version<'_>], asked: &VersionNumber) -> Vec<usize> {
    let belongs = |one: &Version<'_>| one.facts.version.as_ref().is_some_and(|own| own.belongs_to(asked));
    (0..).zip(sorted).filter(|(_, one)| belongs(one)).map(|(place, _)| place).collect()
}

/// Places of the versions that hold on some day of `period`: from their own first day to the day before the
/// next version's, or to their own last day where that is earlier.
fn valid_in(sorted: &[Version<'_>], period: CalendarPeriod) -> Vec<usize> {
    let holds = |place: usize, one: &Version<'_>| {
        let next = sorted
            .get(place + 1..)
            .unwrap_or_default()
            .iter()
            .find_map(|later| later.facts.valid_from.filter(|from| Some(*from) > one.facts.valid_from));
        let eve = next.and_then(|next| next.checked_sub(1.day()).ok());
        let last = [eve, one.facts.valid_until].into_iter().flatten().min();
        one.facts.valid_from.is_some_and(|from| from <= period.last)
            && last.is_none_or(|last| last >= period.first)
    };
    sorted.iter().enumerate().filter(|(place, one)| holds(*place, one)).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(from: Option<&str>, until: Option<&str>, version: Option<&str>) -> DocumentFacts {
        DocumentFacts {
            valid_from: from.map(|day| day.parse().unwrap()),
            valid_until: until.map(|day| day.parse().unwrap()),
            version: version.map(|number| VersionNumber::read(number).unwrap()),
            ..DocumentFacts::default()
        }
    }

    /// Which of the versions, by their places, the question chooses; nothing where it cannot tell.
    fn chosen_of(all: &[DocumentFacts], question: &str) -> Option<Vec<usize>> {
        let today: Date = "2026-03-15".parse().unwrap();
        let asked = super::super::question_time::asked_time(question, today);
        let settings = SignalSettings::default();
        let versions: Vec<Version<'_>> =
            all.iter().map(|facts| Version { source: "a.md", facts, supersedes_count: 0 }).collect();
        let factors: Vec<Option<f32>> = (0..all.len())
            .map(|own| factor(&versions, own, &asked, today, &settings).map(|found| found.factor))
            .collect();
        factors.first()?.as_ref()?;
        let is_chosen = |factor: &Option<f32>| factor.is_some_and(|factor| factor > 1.0);
        Some(factors.iter().enumerate().filter(|(_, factor)| is_chosen(factor)).map(|(at, _)| at).collect())
    }

    #[test]
    fn the_time_of_the_question_chooses() {
        let all = [
            facts(Some("2024-07-01"), None, Some("3")),
            facts(Some("2022-01-01"), None, Some("1")),
            facts(Some("2023-05-01"), None, Some("2")),
            facts(Some("2027-01-01"), None, Some("4")),
        ];
        let chosen = |question: &str| chosen_of(&all, question).unwrap();
        assert_eq!(chosen("travel allowance"), [0], "the newest that holds, not the one to come");
        assert_eq!(chosen("current travel allowance"), [0]);
        assert_eq!(chosen("travel allowance in 2022"), [1]);
        assert_eq!(chosen("travel allowance as of March 2023"), [1]);
        assert_eq!(chosen("travel allowance in 2023"), [1, 2], "both held in that year");
        assert_eq!(chosen("travel allowance in version 2"), [2]);
        assert_eq!(chosen("travel allowance in 2028"), [3]);
        assert_eq!(chosen_of(&all, "travel allowance in 2019"), None, "nothing held then");
        assert_eq!(chosen_of(&all, "travel allowance in version 9"), None);
    }

    #[test]
    fn an_expired_version_holds_no_longer() {
        let all =
            [facts(Some("2024-01-01"), None, None), facts(Some("2025-01-01"), Some("2025-12-31"), None)];
        assert_eq!(chosen_of(&all, "rate as of 2025-06-01").unwrap(), [1]);
        assert_eq!(chosen_of(&all, "rate").unwrap(), [1], "none holds: the newest that began");
    }

    #[test]
    fn numbers_order_where_dates_are_missing_and_years_cannot_be_told() {
        let all = [facts(None, None, Some("2.9")), facts(Some("2024-01-01"), None, Some("2.10"))];
        assert_eq!(chosen_of(&all, "limits").unwrap(), [1]);
        assert_eq!(chosen_of(&all, "limits in version 2.9").unwrap(), [0]);
        assert_eq!(chosen_of(&all, "limits in 2022"), None);
        assert_eq!(chosen_of(&[facts(None, None, None), facts(None, None, None)], "limits"), None);
    }
}
