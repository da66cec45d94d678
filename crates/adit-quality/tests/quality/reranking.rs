//! A reranker as a fault, and as something to calibrate.

use std::sync::Arc;

use adit_core::{
    AdministratorScope, CalibrationCurve, Filter, RerankError, Reranker, RerankerDescription, ScoreSource,
};
use adit_eval::{GoldenItem, GoldenSet, GoldenSpan};
use adit_quality::{DiagnosisRequest, QualityError, Stage, calibrate_on_golden, diagnose};
use adit_retrieve::{RerankSettings, SearchRequest};

use crate::setting::{Setting, everybody};

const QUOTE: &str = "The kiln may be fired for at most 14 hours a day.";

/// Scores by a rule of the test's.
struct Scripted {
    description: RerankerDescription,
    rule: fn(&str) -> f32,
}

fn scripted(rule: fn(&str) -> f32) -> Arc<dyn Reranker> {
    let description = RerankerDescription {
        model: "scripted".to_owned(),
        revision: "1".to_owned(),
        precision: "f32".to_owned(),
        max_input_tokens: None,
    };
    Arc::new(Scripted { description, rule })
}

impl Reranker for Scripted {
    fn description(&self) -> &RerankerDescription {
        &self.description
    }

    fn score(&self, _query: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        Ok(passages.iter().map(|passage| (self.rule)(passage)).collect())
    }
}

fn kilns() -> Setting {
    let setting = Setting::new();
    for number in 0..30 {
        setting
            .commit(setting.document(&format!("other/{number}.txt"), &format!("A kiln, number {number}.")));
    }
    setting.add(setting.document("kiln.txt", QUOTE));
    setting
}

#[test]
fn a_reranker_that_buries_the_right_passage_is_blamed() {
    let setting = kilns();
    let scope = everybody();
    let filter = Filter::default();
    let search =
        SearchRequest { limit: 5, ..SearchRequest::new("how long may the kiln be fired", &scope, &filter) };
    let request = DiagnosisRequest { search, expected: QUOTE, source: None, base_folder: None, answer: None };
    let administrator = AdministratorScope::assume("test");
    let before = diagnose(&setting.retriever, &administrator, &request).unwrap();
    assert_eq!(before.stage, Stage::None);
    let burying = setting
        .retriever
        .clone()
        .with_reranker(scripted(|passage| if passage.contains("14 hours") { -1.0 } else { 1.0 }));
    let after = diagnose(&burying, &administrator, &request).unwrap();
    assert_eq!(after.stage, Stage::Rerank, "{after:?}");
    assert!(after.reason.contains("reranker"), "{}", after.reason);
    // Found or not, a reranker that failed has buried nothing.
    let failing = setting.retriever.clone().with_reranker(scripted(|_| f32::NAN));
    assert_eq!(diagnose(&failing, &administrator, &request).unwrap().stage, Stage::None);
}

#[test]
fn a_cut_off_that_drops_the_right_passage_is_the_assemblys() {
    let setting = kilns();
    let scope = everybody();
    let filter = Filter::default();
    let search = SearchRequest::new("how long may the kiln be fired", &scope, &filter);
    let source = setting.retriever.fused_score_source(&search).unwrap();
    let calibration = adit_core::Calibration {
        source,
        curve: CalibrationCurve::Platt { slope: 0.0, intercept: 0.0 },
        fitted_on: "a test".to_owned(),
        pairs: 40,
        relevant: 20,
        created: String::new(),
    };
    let settings = RerankSettings { cut_off: Some(0.9), ..RerankSettings::default() };
    let cutting = setting.retriever.clone().with_calibration(calibration).unwrap();
    let cutting = cutting.with_rerank_settings(settings).unwrap();
    let request = DiagnosisRequest { search, expected: QUOTE, source: None, base_folder: None, answer: None };
    let diagnosis = diagnose(&cutting, &AdministratorScope::assume("test"), &request).unwrap();
    assert_eq!(diagnosis.stage, Stage::Assembly, "{diagnosis:?}");
    assert!(format!("{diagnosis:?}").contains("cut-off"), "{diagnosis:?}");
}

/// Forty documents of their own word each, and a question for each.
fn labelled() -> (Setting, GoldenSet) {
    let setting = Setting::new();
    let mut items = Vec::new();
    for number in 0..40 {
        let quote = format!("The kiln numbered {number} cools for {} hours.", number + 3);
        setting.commit(setting.document(&format!("kiln/{number}.txt"), &quote));
        items.push(GoldenItem {
            id: format!("q{number}"),
            question: format!("kiln numbered {number}"),
            spans: vec![GoldenSpan::quoted(&format!("kiln/{number}.txt"), &quote)],
            category: None,
            answerable: true,
            expected_answer: None,
        });
    }
    setting.index.catch_up().unwrap();
    (setting, GoldenSet { items })
}

#[test]
fn probabilities_are_fitted_to_what_the_engine_ranks() {
    let (setting, golden) = labelled();
    let scope = everybody();
    let filter = Filter::default();
    let template = SearchRequest::new("", &scope, &filter);
    let run =
        calibrate_on_golden(&setting.retriever, &golden, "kilns", &template, 20, &mut |_, _| {}).unwrap();
    let calibration = &run.file.calibration;
    assert!(matches!(calibration.source, ScoreSource::Fused { .. }));
    assert_eq!((calibration.relevant, run.unplaced_questions), (40, 0));
    assert_eq!(calibration.fitted_on, "kilns");
    let sharp = &run.file.evidence.held_out[0].reliability;
    assert!(sharp.log_loss < run.file.evidence.base_log_loss / 2.0, "{sharp:?}");

    // It holds for this search, and tells right from wrong.
    let calibrated = setting.retriever.clone().with_calibration(calibration.clone()).unwrap();
    let response = calibrated.search(&SearchRequest { query: "kiln numbered 7", ..template }).unwrap();
    let relevance: Vec<f32> =
        response.passages.iter().map(|passage| passage.scores.relevance.unwrap()).collect();
    assert!(response.passages[0].text.contains("numbered 7 "), "{}", response.passages[0].text);
    assert!(relevance[0] > 0.5 && relevance[5] < 0.2, "{relevance:?}");

    // Scores without signal are refused, as are scores that are not there.
    let blind = setting.retriever.clone().with_reranker(scripted(|_| 0.0));
    let told = calibrate_on_golden(&blind, &golden, "kilns", &template, 20, &mut |_, _| {}).unwrap_err();
    assert!(told.to_string().contains("say nothing"), "{told}");
    let failing = setting.retriever.clone().with_reranker(scripted(|_| f32::NAN));
    let told = calibrate_on_golden(&failing, &golden, "kilns", &template, 20, &mut |_, _| {}).unwrap_err();
    assert!(matches!(told, QualityError::Eval(_)) && told.to_string().contains("too few"), "{told}");
}
