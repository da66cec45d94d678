//! The signals of one home, as its settings and a call want them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adit_core::{AdministratorScope, CandidateOutcome, DocumentId, Filter};
use adit_ingest::{Home, IngestError, Settings};
use adit_learn::Ranker;
use adit_log::{LOG_FILE, LogError, LoggedSearch, SearchLog, Verdict};
use adit_retrieve::{
    AuthorityRule, DocumentVerdicts, Popularity, SignalKind, SignalSelection, SignalSettings, Signals,
};

use crate::failure::Failure;
use crate::search_log;

/// Most verdicts that are read, the newest: what readers said long ago speaks of other documents.
const MOST_VERDICTS: usize = 5_000;
/// The trained ranker inside the home.
const RANKER_FILE: &str = "ranker";

/// The signals of `home`. `asked` stands before what the settings say; the log and the ranker are read only
/// where one of the two uses them.
pub(crate) fn open(
    home: &Home,
    settings: &Settings,
    asked: Option<SignalSelection>,
) -> Result<Signals, Failure> {
    let problem = |detail: String| IngestError::Settings { path: home.settings_file(), detail };
    let mut wanted = signal_settings(settings).map_err(problem)?;
    wanted.selection = asked.unwrap_or(wanted.selection);
    let selection = wanted.selection;
    let mut signals = Signals::new(wanted)?;
    if selection.has(SignalKind::Popularity) && home.folder().join(LOG_FILE).exists() {
        signals = signals.with_popularity(popularity(&search_log::open_existing(home, settings)?)?);
    }
    if selection.has(SignalKind::Learned)
        && let Some(ranker) = Ranker::load(&ranker_file(home))?
    {
        signals = signals.with_ranker(ranker)?;
    }
    Ok(signals)
}

/// Where the trained ranker of `home` is kept.
pub(crate) fn ranker_file(home: &Home) -> PathBuf {
    home.folder().join(RANKER_FILE)
}

fn signal_settings(settings: &Settings) -> Result<SignalSettings, String> {
    let section = settings.signals.clone();
    let rule = |rule: &adit_ingest::AuthoritySection| {
        let filter = Filter::parse(&rule.filter).map_err(|error| format!("authority.filter: {error}"))?;
        Ok(AuthorityRule {
            path: rule.path.clone(),
            source: rule.source.clone(),
            filter,
            factor: rule.factor,
        })
    };
    Ok(SignalSettings {
        selection: section.r#use.parse().map_err(|error: String| format!("signals.use: {error}"))?,
        authority: settings.authority.iter().map(rule).collect::<Result<_, String>>()?,
        date_keys: section.date_keys,
        use_modified: section.use_modified,
        half_life_days: section.half_life_days,
        recency_floor: section.recency_floor,
        version_chosen: section.version_chosen,
        version_other: section.version_other,
        link_weight: section.link_weight,
        popularity_weight: section.popularity_weight,
        popularity_prior: section.popularity_prior,
        ..SignalSettings::default()
    })
}

/// What readers said, by the documents that their searches had shown.
fn popularity(log: &SearchLog) -> Result<Popularity, LogError> {
    let administrator = AdministratorScope::assume("popularity");
    let mut searches = log.searches(&administrator, 0)?;
    searches.retain(|search| search.verdict.is_some());
    let mut verdicts = Vec::new();
    for search in searches.iter().rev().take(MOST_VERDICTS) {
        let trace = match log.trace(&administrator, &search.id) {
            // Dropped by the size limit since.
            Err(LogError::UnknownSearch { .. }) => continue,
            trace => trace?,
        };
        verdicts.extend(verdicts_of(search, &trace));
    }
    Ok(Popularity::new(verdicts))
}

/// A verdict is one of all documents that were shown together: they share it, a document of the n-th place
/// as 1/n, so that a long list does not raise everything in it.
fn verdicts_of(search: &LoggedSearch, trace: &adit_core::Trace) -> Vec<DocumentVerdicts> {
    let returned = trace.candidates.iter().filter(|one| one.outcome == CandidateOutcome::Returned);
    let documents = returned.filter_map(|one| one.passage.as_ref().map(|passage| passage.document.clone()));
    let mut shares: BTreeMap<DocumentId, f64> = BTreeMap::new();
    for (place, document) in (1_u32..).zip(documents) {
        shares.entry(document).or_insert(1.0 / f64::from(place));
    }
    let sum: f64 = shares.values().sum();
    let is_content = search.verdict == Some(Verdict::Yes);
    let verdict = |(document, share): (DocumentId, f64)| {
        let weight = share / sum;
        DocumentVerdicts {
            document,
            tenant: search.scope.tenant().clone(),
            principals: search.scope.principals().iter().cloned().collect(),
            positive: if is_content { weight } else { 0.0 },
            negative: if is_content { 0.0 } else { weight },
        }
    };
    shares.into_iter().map(verdict).collect()
}
