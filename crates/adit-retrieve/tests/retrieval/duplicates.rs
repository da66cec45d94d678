use adit_core::{AccessControl, CandidateOutcome, Filter, Principal, Scope, TenantId};
use adit_retrieve::{SearchRequest, render_passages};

use crate::setting::{Setting, everybody, version};

const POLICY: &str = "Employees may take up to 28 days of paid leave in a calendar year, and at most 5 of them may be \
     carried over into the first quarter of the following year with the consent of the manager.";

/// The same policy in three places, one of them for the board alone, an older one with another number, and others.
fn filled() -> Setting {
    let setting = Setting::new(64);
    for (source, text) in [
        ("handbook/leave.md", POLICY.to_owned()),
        ("wiki/leave.md", POLICY.to_uppercase()),
        ("archive/leave.md", POLICY.replace("28", "25")),
        (
            "travel.md",
            "Travel is booked in second class and paid back within a month of the trip.".to_owned(),
        ),
    ] {
        setting.commit(source, "Leave", &text);
    }
    let mut secret = version("board/leave.md", "Leave", POLICY);
    secret.access = AccessControl::Only(vec![Principal("board".to_owned())]);
    setting.catalog.commit(secret).unwrap();
    setting.index.catch_up().unwrap();
    setting
}

#[test]
fn copies_are_shown_once_with_the_sources_that_the_reader_may_see() {
    let setting = filled();
    let filter = Filter::default();
    let places = |scope: &Scope, folds: bool| {
        let request = SearchRequest {
            fold_duplicates: folds,
            ..SearchRequest::new("days of paid leave carried over", scope, &filter)
        };
        let response = setting.retriever.search(&request).unwrap();
        let mut places: Vec<Vec<String>> = response
            .passages
            .iter()
            .map(|passage| {
                let mut all = passage.also_in.clone();
                all.push(passage.source.clone());
                all.sort();
                all
            })
            .collect();
        places.sort();
        (places, response)
    };
    let (shown, response) = places(&everybody(), true);
    assert_eq!(
        shown,
        [vec!["archive/leave.md"], vec!["handbook/leave.md", "wiki/leave.md"], vec!["travel.md"]]
    );
    assert!(render_passages(&response).contains("[says the same: "));
    let is_duplicate = |outcome: &CandidateOutcome| matches!(outcome, CandidateOutcome::Duplicate { .. });
    assert_eq!(response.trace.candidates.iter().filter(|one| is_duplicate(&one.outcome)).count(), 1);

    let board = Scope::new(TenantId::default_tenant(), [Principal("board".to_owned())]);
    let (shown, _) = places(&board, true);
    assert!(
        shown.contains(&["board/leave.md", "handbook/leave.md", "wiki/leave.md"].map(str::to_owned).to_vec())
    );
    assert_eq!(places(&everybody(), false).0.len(), 4);
}

#[test]
fn copies_do_not_take_the_places_of_others() {
    let setting = filled();
    let (scope, filter) = (everybody(), Filter::default());
    let request =
        SearchRequest { limit: 2, ..SearchRequest::new("days of paid leave carried over", &scope, &filter) };
    let sources: Vec<String> =
        setting.retriever.search(&request).unwrap().passages.into_iter().map(|one| one.source).collect();
    assert_eq!(sources.len(), 2);
    assert!(sources.contains(&"archive/leave.md".to_owned()), "{sources:?}");
}

#[test]
fn one_document_fills_the_context_only_where_it_must() {
    let setting = Setting::new(64);
    setting.commit(
        "long.md",
        "Kilns",
        "The kiln is red.\n\nThe kiln is hot.\n\nThe kiln is old.\n\nThe kiln is big.",
    );
    setting.commit("other.md", "Kilns", "A kiln can crack when it cools down.");
    setting.index.catch_up().unwrap();
    let (scope, filter) = (everybody(), Filter::default());
    let sources = |most_per_document: usize, limit: usize| -> Vec<String> {
        let request =
            SearchRequest { most_per_document, limit, ..SearchRequest::new("the kiln is", &scope, &filter) };
        setting.retriever.search(&request).unwrap().passages.into_iter().map(|one| one.source).collect()
    };
    assert_eq!(sources(0, 3), ["long.md"; 3]);
    let shared = sources(2, 3);
    assert!(shared.contains(&"other.md".to_owned()) && shared.len() == 3, "{shared:?}");
    assert_eq!(sources(1, 5).len(), 5, "places that no other document can take go back");
}
