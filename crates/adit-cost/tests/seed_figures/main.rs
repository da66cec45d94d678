//! The figures that the project's source articles print, computed anew and compared to the printed digits.
//! Where a printed figure does not follow from the article's own inputs, the test says so and holds what does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod agentic;
mod corpus_and_bills;
mod enrichment;
mod long_context;

use adit_cost::{Price, PriceTable, round_half_up};

/// A price of the table that ships.
fn price(model: &str) -> Price {
    PriceTable::built_in().unwrap().price(model).unwrap().clone()
}

/// `value` with as many decimals as the article prints.
fn printed(value: f64, decimals: u32) -> String {
    format!("{:.*}", decimals as usize, round_half_up(value, decimals))
}

/// `value` rounded to as many significant digits as the article prints.
fn significant(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(value.abs().log10().floor() as i32 + 1 - digits);
    (value / scale).round() * scale
}

#[test]
fn helpers_round_as_people_do() {
    assert_eq!(printed(0.0485, 3), "0.049");
    assert_eq!(significant(2275.0, 2), 2300.0);
    assert_eq!(significant(14_990.0, 2), 15_000.0);
}
