//! Figures of the signals on policies in versions, made by code; docs/measurements/signals.md quotes them.
#![expect(clippy::print_stdout, reason = "the figures that the document quotes")]

use adit_catalog::NewVersion;
use adit_core::{Filter, MetadataValue};
use adit_retrieve::{
    AuthorityRule, Mode, Retriever, SearchRequest, SignalSelection, SignalSettings, Signals,
};

use crate::setting::{Setting, everybody, version};

const SUBJECTS: [&str; 24] = [
    "travel allowance",
    "parental leave",
    "overtime pay",
    "remote work",
    "laptop loan",
    "badge return",
    "parking permit",
    "meal voucher",
    "sick note",
    "training budget",
    "phone contract",
    "visitor pass",
    "key deposit",
    "bike lease",
    "relocation grant",
    "expense limit",
    "hotel rate",
    "flight class",
    "gift value",
    "password length",
    "backup interval",
    "retention period",
    "notice period",
    "probation length",
];
const YEARS: [i32; 4] = [2021, 2023, 2025, 2027];

/// A question and the source that should stand first.
struct Asked {
    kind: &'static str,
    question: String,
    gold: String,
}

fn with_date(mut version: NewVersion, date: String) -> NewVersion {
    version.metadata.insert("effective".to_owned(), vec![MetadataValue::Text(date)]);
    version
}

/// Each subject as a policy in four versions, the last of them not valid yet, and talk about it; and as a
/// guide that has no versions, about something else.
fn corpus(setting: &Setting) -> Vec<Asked> {
    let mut asked = Vec::new();
    let mut ask = |kind, question: String, gold: String| asked.push(Asked { kind, question, gold });
    for (number, subject) in SUBJECTS.iter().enumerate() {
        let stem = subject.replace(' ', "-");
        for (age, year) in YEARS.iter().enumerate() {
            // Which version has the words most often differs from subject to subject.
            let again =
                if (number + age) % 4 == 0 { format!(" The {subject} is reviewed.") } else { String::new() };
            let value = 10 + number * 7 + age;
            let text = format!("The {subject} is {value} units for every employee of the company.{again}");
            let policy = version(&format!("policies/{stem}-{year}.md"), "Policy", &text);
            setting.catalog.commit(with_date(policy, format!("{year}-04-01"))).unwrap();
        }
        let talk = format!("Does anybody know the {subject}? I think the {subject} is about {number} units.");
        setting.catalog.commit(version(&format!("chat/{stem}.md"), "Chat", &talk)).unwrap();
        let guide = format!("Form {} asks for the cost centre of department {number}.", 100 + number);
        setting
            .catalog
            .commit(version(&format!("guides/form-{}.md", 100 + number), "Guide", &guide))
            .unwrap();
        let policy = |year: i32| format!("policies/{stem}-{year}.md");
        ask("current", format!("What is the current {subject}?"), policy(2025));
        ask("no date", format!("How much is the {subject}?"), policy(2025));
        ask("in the past", format!("What was the {subject} as of March 2024?"), policy(2023));
        ask("in German", format!("Wie hoch war {subject} im Mai 2022?"), policy(2021));
        ask(
            "no versions",
            format!("cost centre of department {number} on form {}", 100 + number),
            format!("guides/form-{}.md", 100 + number),
        );
    }
    setting.index.catch_up().unwrap();
    asked
}

/// Share of the questions of one kind whose first passage is of the right document.
fn right_first(retriever: &Retriever, asked: &[Asked], kind: &str, signals: &str) -> f64 {
    let (scope, filter) = (everybody(), Filter::default());
    let signals: SignalSelection = signals.parse().unwrap();
    let of_kind: Vec<&Asked> = asked.iter().filter(|one| one.kind == kind).collect();
    let is_right = |one: &&&Asked| {
        let request = SearchRequest {
            mode: Mode::Lexical,
            limit: 1,
            signals: Some(signals),
            ..SearchRequest::new(&one.question, &scope, &filter)
        };
        retriever.search(&request).unwrap().passages.first().is_some_and(|first| first.source == one.gold)
    };
    of_kind.iter().filter(is_right).count() as f64 / of_kind.len() as f64
}

#[test]
fn signals_find_the_version_that_holds_and_lose_nothing_elsewhere() {
    let setting = Setting::new(64);
    let asked = corpus(&setting);
    let rule = |path: &str, factor: f64| AuthorityRule {
        path: Some(path.to_owned()),
        source: None,
        filter: Filter::default(),
        factor,
    };
    let authority = vec![rule("policies/**", 1.5), rule("chat/**", 0.7)];
    let today = Some("2026-03-15".parse().unwrap());
    let usual = SignalSettings { authority, today, ..SignalSettings::default() };
    let strongest = SignalSettings { version_chosen: 4.0, version_other: 0.25, ..usual.clone() };
    println!("usual factors");
    figures(&setting.with_signals(Signals::new(usual).unwrap()), &asked);
    println!("strongest factors of the version rule");
    figures(&setting.with_signals(Signals::new(strongest).unwrap()), &asked);
}

/// Prints the figures, and holds that all signals together help every kind and lose nothing elsewhere.
fn figures(retriever: &Retriever, asked: &[Asked]) {
    let figure = |kind: &str, signals: &str| {
        let share = right_first(retriever, asked, kind, signals);
        println!("{kind:12} {signals:27} {:.1}%", 100.0 * share);
        share
    };
    for kind in ["current", "no date", "in the past", "in German", "no versions"] {
        let none = figure(kind, "none");
        let parts = ["recency", "authority", "version"].map(|signals| figure(kind, signals));
        let all = figure(kind, "authority,recency,version");
        if kind == "no versions" {
            assert!(parts.iter().chain([&all]).all(|share| *share >= none), "nothing is lost for {kind}");
        } else {
            assert!(all > none, "{kind}: {none} becomes {all}");
        }
    }
}
