use std::path::Path;

use adit_core::AdministratorScope;
use adit_eval::gaps::{GapGroup, GapOptions, GapReport, find_gaps};
use adit_log::{LogStatistics, LoggedSearch};
use serde::Serialize;

use super::gaps_examiner::Examiner;
use crate::arguments::{GapsArguments, ModeArgument};
use crate::engine::existing_home;
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};
use crate::read_session::ReadSession;
use crate::search_log;

/// Absent words named in the text.
const NAMED_TERMS: usize = 12;

/// What `gaps --json` prints.
#[derive(Serialize)]
struct Gaps {
    #[serde(flatten)]
    report: GapReport,
    log: LogStatistics,
    notices: Vec<String>,
}

pub(super) fn run(home: Option<&Path>, arguments: &GapsArguments, output: Output) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let since_unix_ms = arguments.since.as_deref().map(read_since).transpose()?.unwrap_or(0);
    let administrator = AdministratorScope::assume("adit gaps shows the questions of every reader");
    tracing::info!(reason = administrator.reason(), "administrator scope");
    let log = search_log::open_existing(&home, &settings)?;
    let searches = log.searches(&administrator, since_unix_ms)?;
    let log = log.statistics(&administrator)?;
    let session = ReadSession::open(&home, &settings, ModeArgument::Hybrid)?;
    let (report, notices) = examine(&session, &searches, arguments.limit)?;
    output.result(&Gaps { report, log, notices }, describe)?;
    Ok(Exit::Done)
}

fn examine(
    session: &ReadSession,
    searches: &[LoggedSearch],
    limit: usize,
) -> Result<(GapReport, Vec<String>), Failure> {
    let mut examiner = Examiner::new(session);
    let questions = examiner.examine(searches)?;
    let options = GapOptions {
        collection_chunks: session.retriever.index().statistics().live_chunks,
        languages: examiner.languages().to_vec(),
        groups: limit,
        ..GapOptions::default()
    };
    Ok((find_gaps(&questions, &options), examiner.into_notices()))
}

/// Milliseconds since 1970 of a date, a time, or a number of days before now.
fn read_since(text: &str) -> Result<i64, Failure> {
    let days_back =
        text.strip_suffix('d').and_then(|days| days.parse::<i32>().ok()).filter(|days| *days >= 0);
    let time = if let Some(days) = days_back {
        jiff::Timestamp::now().checked_sub(jiff::SignedDuration::from_hours(i64::from(days) * 24)).ok()
    } else if let Ok(date) = text.parse::<jiff::civil::Date>() {
        jiff::tz::TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()
    } else {
        text.parse().ok()
    };
    time.map(jiff::Timestamp::as_millisecond).ok_or_else(|| {
        Failure::usage(
            format!("--since `{text}` is no date"),
            "write 2026-01-31, 2026-01-31T12:00:00Z, or 7d for the last seven days",
        )
    })
}

fn describe(gaps: &Gaps) -> String {
    let report = &gaps.report;
    let mut text = format!(
        "{}, {} failed or uncertain: {} with a topic gap, {} with a capability gap; {} would be answered today\n",
        searches(report.searches),
        report.troubled,
        report.topic_gaps,
        report.capability_gaps,
        report.answered_since
    );
    for (place, group) in (1..).zip(&report.groups) {
        text += &format!("\n{place}. {}", describe_group(group));
    }
    if report.groups_left_out > 0 {
        text += &format!("\n{} not shown (--limit)\n", counted(report.groups_left_out, "smaller group"));
    }
    if !report.absent_terms.is_empty() {
        let terms = report.absent_terms.iter().take(NAMED_TERMS);
        let terms: Vec<String> = terms.map(|term| format!("{} ({})", term.term, term.searches)).collect();
        text += &format!("\nasked for, and in no document the asker may read: {}\n", terms.join(", "));
    }
    if gaps.log.dropped > 0 {
        text += &format!(
            "\nthe oldest {} are gone: the log reached log.max_bytes\n",
            searches_u64(gaps.log.dropped)
        );
    }
    for notice in &gaps.notices {
        text += &format!("note: {notice}\n");
    }
    text
}

fn describe_group(group: &GapGroup) -> String {
    let mut reasons = Vec::new();
    for (count, reason) in [
        (group.feedback_no, "feedback no"),
        (group.no_passage, "nothing found"),
        (group.weak_evidence, "weak evidence"),
    ] {
        if count > 0 {
            reasons.push(format!("{count} {reason}"));
        }
    }
    let askers = counted(group.askers, "asker");
    let mut text =
        format!("{}: {} by {askers} ({})\n", group.kind, searches(group.count), reasons.join(", "));
    for example in &group.examples {
        let times = if example.count > 1 { format!(" ({} times)", example.count) } else { String::new() };
        text += &format!("   {}  \"{}\"{times}\n", example.search_id, example.question);
    }
    for note in &group.notes {
        text += &format!("   said: {note}\n");
    }
    text + &format!("   next: {}\n", group.next_step)
}

fn searches(count: usize) -> String {
    if count == 1 { "1 search".to_owned() } else { format!("{count} searches") }
}

fn searches_u64(count: u64) -> String {
    searches(usize::try_from(count).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(read_since("1970-01-02").unwrap(), 86_400_000);
        assert_eq!(read_since("1970-01-01T00:00:01Z").unwrap(), 1000);
        assert_eq!(read_since("1970-01-01T01:00:00+01:00").unwrap(), 0);
        let week = jiff::Timestamp::now().as_millisecond() - read_since("7d").unwrap();
        assert!((604_800_000 - 60_000..604_800_000 + 60_000).contains(&week));
        for wrong in ["", "d", "-1d", "yesterday", "2026-02-30", "99999999999d"] {
            assert!(read_since(wrong).is_err(), "{wrong}");
        }
    }
}
