use adit_core::SignalFactor;
use jiff::civil::Date;

use super::collection_facts::DocumentFacts;
use super::question_time::AskedTime;
use super::selection::SignalKind;
use super::settings::SignalSettings;

/// `floor + (1 - floor) * 2^(-age / half-life)`: 1 for a document of today, falling towards the floor, so
/// that age alone never buries anything. A document without a date stands in the middle. A question about
/// a time or a version is not asked for what is young, and gets no factor.
pub(super) fn factor(
    facts: &DocumentFacts,
    asked: &AskedTime,
    today: Date,
    settings: &SignalSettings,
) -> Option<SignalFactor> {
    if *asked != AskedTime::Now {
        return None;
    }
    let modified =
        || facts.modified.filter(|_| settings.use_modified).map(|day| (day, "modified".to_owned()));
    let span = 1.0 - settings.recency_floor;
    let (factor, reason) = match facts.dated.clone().or_else(modified) {
        None => (settings.recency_floor + span / 2.0, "no date: the middle".to_owned()),
        Some((date, key)) => {
            let age_days = f64::from(today.since(date).map_or(0, |age| age.get_days()).max(0));
            let factor = settings.recency_floor + span * (-age_days / settings.half_life_days).exp2();
            (factor, format!("{key} {date}: {age_days:.0} days old"))
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "a factor of two or three digits")]
    let factor = factor as f32;
    Some(SignalFactor { signal: SignalKind::Recency.name().to_owned(), factor, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(date: Option<&str>, asked: &AskedTime) -> Option<f32> {
        let dated = date.map(|date| (date.parse().unwrap(), "date".to_owned()));
        let facts = DocumentFacts { dated, ..DocumentFacts::default() };
        let settings =
            SignalSettings { half_life_days: 100.0, recency_floor: 0.6, ..SignalSettings::default() };
        factor(&facts, asked, "2026-04-11".parse().unwrap(), &settings).map(|found| found.factor)
    }

    #[test]
    fn half_is_left_after_the_half_life() {
        let now = AskedTime::Now;
        assert_eq!(of(Some("2026-04-11"), &now), Some(1.0));
        // 2026-01-01 is 100 days before.
        assert!((of(Some("2026-01-01"), &now).unwrap() - 0.8).abs() < 1e-6);
        assert!((of(Some("1990-01-01"), &now).unwrap() - 0.6).abs() < 1e-6);
        assert_eq!(of(Some("2030-01-01"), &now), Some(1.0), "a date to come is not younger than new");
        assert!((of(None, &now).unwrap() - 0.8).abs() < 1e-6);
    }

    #[test]
    fn a_question_about_a_time_is_not_asked_for_the_young() {
        let period = crate::calendar::CalendarPeriod::year(2020).unwrap();
        assert_eq!(of(Some("2026-01-01"), &AskedTime::During(period)), None);
    }
}
