//! What multiplies fused scores, end to end and in scope.

use adit_catalog::{DocumentLink, LinkKind, NewVersion};
use adit_core::{AccessControl, Filter, MetadataValue, Principal, Scope, SignalFactor, TenantId};
use adit_retrieve::{
    AuthorityRule, ExplainTarget, Mode, Retriever, SearchRequest, SearchResponse, SignalKind,
    SignalSelection, SignalSettings, Signals, render_explanation,
};

use crate::setting::{Setting, everybody, version};

fn only(kind: SignalKind) -> SignalSettings {
    let today = Some("2026-03-15".parse().unwrap());
    SignalSettings { selection: SignalSelection::none().with(kind), today, ..SignalSettings::default() }
}

fn retriever(setting: &Setting, settings: SignalSettings) -> Retriever {
    setting.with_signals(Signals::new(settings).unwrap())
}

fn dated(source: &str, text: &str, effective: &str) -> NewVersion {
    let mut version = version(source, "Travel", text);
    let value = vec![MetadataValue::Text(effective.to_owned())];
    version.metadata.insert("effective".to_owned(), value);
    version
}

fn hidden(version: NewVersion) -> NewVersion {
    NewVersion { access: AccessControl::Only([Principal("hr".to_owned())].into()), ..version }
}

fn asked(retriever: &Retriever, query: &str, scope: &Scope, mode: Mode, depth: usize) -> SearchResponse {
    let filter = Filter::default();
    let request = SearchRequest { mode, depth, ..SearchRequest::new(query, scope, &filter) };
    retriever.search(&request).unwrap()
}

fn by_words(retriever: &Retriever, query: &str) -> SearchResponse {
    asked(retriever, query, &everybody(), Mode::Lexical, 100)
}

fn sources(response: &SearchResponse) -> Vec<&str> {
    response.passages.iter().map(|passage| passage.source.as_str()).collect()
}

fn factors(response: &SearchResponse) -> Vec<&SignalFactor> {
    response.trace.candidates.iter().flat_map(|one| &one.signals).collect()
}

#[test]
fn authority_lifts_what_binds_and_explain_says_so() {
    let setting = Setting::new(64);
    setting.commit("chat/talk.md", "Travel", "The travel allowance, the travel allowance: ask for it.");
    setting.add("policies/travel.md", "Travel", "The travel allowance is paid with the salary.");
    assert_eq!(sources(&by_words(&setting.retriever, "travel allowance"))[0], "chat/talk.md");

    let rule = |path: &str, factor: f64| AuthorityRule {
        path: Some(path.to_owned()),
        source: None,
        filter: Filter::default(),
        factor,
    };
    let authority = vec![rule("policies/**", 4.0), rule("chat/**", 0.5)];
    let retriever = retriever(&setting, SignalSettings { authority, ..only(SignalKind::Authority) });
    let response = by_words(&retriever, "travel allowance");
    assert_eq!(sources(&response), ["policies/travel.md", "chat/talk.md"]);
    let scores: Vec<f32> = response.passages.iter().map(|one| one.scores.score).collect();
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)) && scores[0] > scores[1], "{scores:?}");

    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("travel allowance", &scope, &filter);
    let explained = retriever.explain(&request, &ExplainTarget::read("policies/travel.md")).unwrap();
    let text = render_explanation(&explained);
    assert!(text.contains("signal authority: x4.000 (rule 1: path policies/**)"), "{text}");
}

#[test]
fn a_call_without_signals_is_as_if_there_were_none() {
    let setting = Setting::new(64);
    setting.add("policies/travel.md", "Travel", "The travel allowance is paid with the salary.");
    let retriever = retriever(&setting, only(SignalKind::Recency));
    assert_eq!(factors(&by_words(&retriever, "travel")).len(), 1);
    let (scope, filter) = (everybody(), Filter::default());
    let signals = Some(SignalSelection::none());
    let request = SearchRequest { signals, ..SearchRequest::new("travel", &scope, &filter) };
    let response = retriever.search(&request).unwrap();
    assert!(factors(&response).is_empty() && response.trace.stages.iter().all(|one| one.stage != "signals"));
    assert!(factors(&by_words(&setting.retriever, "travel")).is_empty(), "off by default");
}

#[test]
fn the_version_that_the_question_asks_for_stands_first() {
    let setting = Setting::new(64);
    for (source, text, effective) in [
        ("travel-2022.md", "The travel allowance for a day is 20 euros.", "2022-01-01"),
        ("travel-2024.md", "The travel allowance for a day is 30 euros.", "2024-01-01"),
        ("travel-2027.md", "The travel allowance for a day is 40 euros.", "2027-01-01"),
    ] {
        setting.catalog.commit(dated(source, text, effective)).unwrap();
    }
    setting.index.catch_up().unwrap();
    let retriever = retriever(&setting, only(SignalKind::Version));
    let first = |query: &str| sources(&by_words(&retriever, query))[0].to_owned();
    assert_eq!(first("current travel allowance"), "travel-2024.md", "the one to come does not hold yet");
    assert_eq!(first("travel allowance as of March 2022"), "travel-2022.md");
    assert_eq!(first("Reisekosten travel allowance im Jahr 2023"), "travel-2022.md");
    assert_eq!(first("travel allowance on 1 May 2028"), "travel-2027.md");
}

#[test]
fn a_version_that_the_reader_may_not_see_changes_nothing() {
    let text = "The travel allowance is 20 euros.";
    let with_hidden = |is_there: bool| {
        let setting = Setting::new(64);
        setting.catalog.commit(dated("travel-2022.md", text, "2022-01-01")).unwrap();
        let newer = hidden(dated("travel-2024.md", text, "2024-01-01"));
        if is_there {
            setting.catalog.commit(newer).unwrap();
        }
        setting.index.catch_up().unwrap();
        let retriever = retriever(&setting, only(SignalKind::Version));
        let response = by_words(&retriever, "travel allowance");
        let hr = Scope::new(TenantId::default_tenant(), [Principal("hr".to_owned())]);
        let to_hr = asked(&retriever, "travel allowance", &hr, Mode::Lexical, 100);
        assert_eq!(sources(&to_hr).len(), 1 + usize::from(is_there));
        assert_eq!(factors(&to_hr).is_empty(), !is_there, "who sees both is told");
        factors(&response).len()
    };
    assert_eq!(with_hidden(true), 0);
    assert_eq!(with_hidden(false), 0);
}

fn link(target: &str) -> DocumentLink {
    DocumentLink { kind: LinkKind::Path, target: target.to_owned(), occurrences: 1 }
}

/// Three public documents, of which the first points to the second; and one that only `hr` may read, which
/// points to the first and is pointed to by it, if `with_hidden`.
fn linked(with_hidden: bool) -> Setting {
    let setting = Setting::new(64);
    let mut links = vec![link("annex.md")];
    if with_hidden {
        links.push(link("secret.md"));
    }
    let travel = version("travel.md", "Travel", "The travel allowance is set by the annex.");
    setting.catalog.commit_with_links(travel, &links).unwrap();
    setting.commit("other.md", "Other", "Opening hours of the canteen.");
    if with_hidden {
        let secret = hidden(version("secret.md", "Secret", "Amounts for the board."));
        setting.catalog.commit_with_links(secret, &[link("travel.md")]).unwrap();
    }
    // The target comes last: a link is resolved when there is something to resolve it to.
    setting.add("annex.md", "Annex", "Thirty euros a day.");
    setting
}

#[test]
fn documents_beside_a_hit_become_candidates() {
    let setting = linked(false);
    let retriever = retriever(&setting, only(SignalKind::Links));
    let query = "travel allowance";
    let response = asked(&retriever, query, &everybody(), Mode::Hybrid, 1);
    assert!(sources(&response).contains(&"annex.md"), "{:?}", sources(&response));
    let reasons: Vec<&str> = factors(&response).into_iter().map(|one| one.reason.as_str()).collect();
    assert!(reasons.contains(&"added: travel.md cites it"), "{reasons:?}");
    assert!(reasons.contains(&"1 document links to it"), "{reasons:?}");
    let without = asked(&setting.retriever, query, &everybody(), Mode::Hybrid, 1);
    assert!(!sources(&without).contains(&"annex.md"));
}

#[test]
fn links_to_and_from_what_the_reader_may_not_see_reveal_nothing() {
    let seen = |with_hidden: bool, scope: &Scope| {
        let retriever = retriever(&linked(with_hidden), only(SignalKind::Links));
        let response = asked(&retriever, "travel allowance", scope, Mode::Hybrid, 1);
        let told: Vec<String> = factors(&response).into_iter().map(|one| format!("{one:?}")).collect();
        let found: Vec<String> = sources(&response).into_iter().map(str::to_owned).collect();
        (found, told, response.notices)
    };
    assert_eq!(seen(true, &everybody()), seen(false, &everybody()));
    let hr = Scope::new(TenantId::default_tenant(), [Principal("hr".to_owned())]);
    assert!(seen(true, &hr).0.contains(&"secret.md".to_owned()));
}

#[test]
fn recency_lowers_what_is_old_unless_the_question_names_a_time() {
    let setting = Setting::new(64);
    setting
        .catalog
        .commit(dated("old.md", "Travel costs are refunded. Travel costs.", "2010-01-01"))
        .unwrap();
    setting
        .catalog
        .commit(dated("young.md", "All travel costs are refunded in time.", "2026-03-01"))
        .unwrap();
    setting.index.catch_up().unwrap();
    let settings = SignalSettings { recency_floor: 0.3, ..only(SignalKind::Recency) };
    let retriever = retriever(&setting, settings);
    assert_eq!(sources(&by_words(&setting.retriever, "travel costs"))[0], "old.md");
    assert_eq!(sources(&by_words(&retriever, "travel costs"))[0], "young.md");
    assert_eq!(sources(&by_words(&retriever, "travel costs in 2010"))[0], "old.md");
}
