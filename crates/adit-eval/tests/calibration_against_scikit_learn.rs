//! Isotonic regression and Platt scaling against scikit-learn 1.9; the numbers come from
//! `reference/calibration.py`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use adit_core::{Calibration, CalibrationCurve, ScoreSource};
use adit_eval::EvalError;
use adit_eval::calibration::{
    CalibrationFile, LabelledScore, choose_calibration, isotonic_regression, logistic_regression,
    platt_scaling,
};

/// As the script makes them.
fn data() -> Vec<LabelledScore> {
    let one = |at: usize| {
        let score = ((at * 37) % 100) as f64 / 10.0 - 5.0;
        let is_relevant = score + ((at * 53) % 17) as f64 / 2.0 - 4.0 > 1.5;
        LabelledScore { question: at % 12, score: score.round_ties_even(), is_relevant }
    };
    (0..60).map(one).collect()
}

#[test]
fn the_data_are_those_of_the_script() {
    assert_eq!(data().iter().filter(|one| one.is_relevant).count(), 20);
}

#[test]
fn isotonic_regression_predicts_what_scikit_learn_predicts() {
    let (scores, probabilities) = isotonic_regression(&data()).into_iter().unzip();
    let curve = CalibrationCurve::Isotonic { scores, probabilities };
    curve.check().unwrap();
    let expected = [
        (-6.0, 0.0),
        (-4.5, 0.0),
        (-2.2, 0.0),
        (-1.0, 0.0),
        (0.0, 0.444_444_444_444_444_4),
        (0.3, 0.444_444_444_444_444_4),
        (1.7, 0.444_444_444_444_444_4),
        (2.5, 0.597_222_222_222_222_2),
        (3.1, 0.75),
        (4.9, 0.975_000_000_000_000_1),
        (6.0, 1.0),
    ];
    for (score, probability) in expected {
        let own = curve.probability(score);
        assert!((own - probability).abs() < 1e-12, "{score}: {own} instead of {probability}");
    }
}

#[test]
fn logistic_and_platt_fits_are_scikit_learns() {
    let pairs: Vec<(f64, f64)> =
        data().iter().map(|one| (one.score, f64::from(u8::from(one.is_relevant)))).collect();
    let (slope, intercept) = logistic_regression(&pairs).unwrap();
    assert!((slope - 0.636_282_927_442_19).abs() < 1e-6, "{slope}");
    assert!((intercept + 1.177_714_303_616_516_5).abs() < 1e-6, "{intercept}");
    // scikit-learn stops its own search a little earlier here.
    let (slope, intercept) = platt_scaling(&data()).unwrap();
    assert!((slope - 0.550_186_146_874_728_4).abs() < 1e-4, "{slope}");
    assert!((intercept + 1.062_840_298_660_587_6).abs() < 1e-4, "{intercept}");
}

#[test]
fn a_calibration_is_kept_in_a_file_and_a_damaged_one_is_refused() {
    let evidence = choose_calibration(&data()).unwrap();
    let calibration = Calibration {
        source: ScoreSource::LateInteraction { fingerprint: "0123".to_owned() },
        curve: evidence.curve.clone(),
        fitted_on: "the script's data".to_owned(),
        pairs: evidence.pairs,
        relevant: evidence.relevant,
        created: "2026-01-01T00:00:00Z".to_owned(),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calibration.json");
    assert!(CalibrationFile::read(&path).unwrap().is_none());
    let file = CalibrationFile::new(calibration, evidence);
    file.write(&path).unwrap();
    let read = CalibrationFile::read(&path).unwrap().unwrap();
    assert_eq!(read.calibration.source, file.calibration.source);
    assert_eq!((read.calibration.pairs, read.calibration.relevant), (60, 20));
    for score in [-6.0, -0.5, 2.5, 4.2] {
        let difference =
            read.calibration.curve.probability(score) - file.calibration.curve.probability(score);
        // Decimal digits are read back to within the last one.
        assert!(difference.abs() < 1e-12, "{score}: {difference}");
    }

    let text = fs_err::read_to_string(&path).unwrap();
    for (from, to) in [("adit calibration", "something"), ("\"version\": 1", "\"version\": 9"), ("{", "[")] {
        fs_err::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = CalibrationFile::read(&path).unwrap_err();
        assert!(matches!(error, EvalError::Calibration { .. }), "{error}");
    }
    let mut falls: serde_json::Value = serde_json::from_str(&text).unwrap();
    falls["calibration"]["curve"] =
        serde_json::json!({ "method": "isotonic", "scores": [0.0, 1.0], "probabilities": [0.9, 0.1] });
    fs_err::write(&path, falls.to_string()).unwrap();
    assert!(CalibrationFile::read(&path).unwrap_err().to_string().contains("must not fall"));
}
