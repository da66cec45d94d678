//! One corpus for each way out, and the edges between them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use adit_cost::{Advice, CorpusFacts, CostError, Price, PriceTable, Recommendation, advise};

fn sonnet() -> Price {
    PriceTable::built_in().unwrap().price("claude-sonnet-5").unwrap().clone()
}

/// An employee handbook of 80,000 tokens that a small firm asks now and then.
fn handbook() -> CorpusFacts {
    CorpusFacts {
        files: 12,
        tokens: 80_000,
        tabular_share: 0.05,
        code_share: 0.0,
        identifier_question_share: None,
        changes_per_day: 0.1,
        questions_per_day: 20.0,
        context_window_tokens: 1_000_000,
        readers_differ: false,
        upkeep_usd_per_month: 300.0,
    }
}

fn advice(facts: &CorpusFacts) -> Advice {
    advise(facts, &sonnet()).unwrap()
}

fn recommended(facts: &CorpusFacts) -> Recommendation {
    advice(facts).recommendation
}

#[test]
fn a_small_stable_handbook_goes_into_the_context() {
    let advice = advice(&handbook());
    assert_eq!(advice.recommendation, Recommendation::Context);
    let text = advice.render();
    // Each step can be worked out again with a pencil.
    assert!(
        text.contains("(80,000 + 1,050) tokens at $3.00/M + 400 tokens at $15.00/M = $0.24915 a question"),
        "{text}"
    );
    assert!(
        text.contains("Retrieved: 3,550 tokens at $3.00/M + 400 tokens at $15.00/M = $0.01665"),
        "{text}"
    );
    assert!(
        text.contains("$0.03315 where the cache is filled, $0.30915 where it has to be written"),
        "{text}"
    );
    assert!(text.contains("prices are those of claude-sonnet-5 as of"), "{text}");
    assert!(advice.costs.is_some());
}

#[test]
fn questions_too_rare_for_the_cache_go_without_it() {
    // 20 a day are one in an hour and more: the five minutes are nearly always over, and a write costs more than
    // plain input.
    let costs = advice(&handbook()).costs.unwrap();
    assert!(costs.miss_share > 0.8);
    assert_eq!(costs.context_usd, costs.uncached_usd);
    assert!(costs.cached_usd > costs.uncached_usd);
    assert!(advice(&handbook()).render().contains("so better without a cache"));
    assert!(costs.cache_miss_usd > costs.uncached_usd);
}

#[test]
fn many_questions_make_reading_it_whole_too_dear() {
    let busy = CorpusFacts { questions_per_day: 5000.0, ..handbook() };
    let advice = advice(&busy);
    assert_eq!(advice.recommendation, Recommendation::Retrieve);
    let costs = advice.costs.unwrap();
    assert!(costs.miss_share < 0.001, "the cache is always warm: {costs:?}");
    assert!(costs.extra_usd_per_month > 2000.0 && costs.extra_usd_per_month < 3000.0, "{costs:?}");
    assert_eq!(recommended(&CorpusFacts { upkeep_usd_per_month: 3000.0, ..busy }), Recommendation::Context);
}

#[test]
fn a_corpus_smaller_than_the_break_even_is_read_whole_whatever_the_traffic() {
    // Below 25,000 tokens a warm cache is cheaper than passages.
    let tiny = CorpusFacts { tokens: 20_000, questions_per_day: 1e6, ..handbook() };
    assert_eq!(recommended(&tiny), Recommendation::Context);
    assert!(advice(&tiny).render().contains("reading whole is no dearer"));
}

#[test]
fn two_thirds_of_the_sharp_band_is_the_limit() {
    let at = |tokens, context_window_tokens| {
        recommended(&CorpusFacts { tokens, context_window_tokens, questions_per_day: 5.0, ..handbook() })
    };
    assert_eq!(at(133_333, 1_000_000), Recommendation::Context);
    assert_eq!(at(133_334, 1_000_000), Recommendation::Retrieve);
    assert_eq!(at(80_000, 128_000), Recommendation::Context);
    assert_eq!(at(90_000, 128_000), Recommendation::Retrieve);
}

#[test]
fn tables_are_queried_even_where_they_would_fit() {
    let data = CorpusFacts { tabular_share: 0.5, ..handbook() };
    let advice = advice(&data);
    assert_eq!(advice.recommendation, Recommendation::Query);
    assert!(advice.costs.is_none());
    assert!(advice.caveats.iter().any(|caveat| caveat.contains("not tables")));
    assert_eq!(recommended(&CorpusFacts { tabular_share: 0.49, ..handbook() }), Recommendation::Context);
}

#[test]
fn code_and_identifiers_are_grepped_where_they_do_not_fit() {
    let large = CorpusFacts { tokens: 2_000_000, ..handbook() };
    assert_eq!(recommended(&large), Recommendation::Retrieve);
    assert_eq!(recommended(&CorpusFacts { code_share: 0.9, ..large.clone() }), Recommendation::Grep);
    let named = CorpusFacts { identifier_question_share: Some(0.7), ..large.clone() };
    assert_eq!(recommended(&named), Recommendation::Grep);
    assert!(advice(&large).caveats.iter().any(|caveat| caveat.contains("nobody said how many")));
}

#[test]
fn readers_with_different_rights_need_a_search_that_knows_them() {
    let guarded = CorpusFacts { readers_differ: true, ..handbook() };
    assert_eq!(recommended(&guarded), Recommendation::Retrieve);
    assert_eq!(recommended(&CorpusFacts { code_share: 1.0, ..guarded }), Recommendation::Retrieve);
}

#[test]
fn facts_that_are_none_are_refused() {
    assert!(matches!(
        advise(&CorpusFacts { tokens: 0, ..handbook() }, &sonnet()),
        Err(CostError::EmptyCorpus)
    ));
    for facts in [
        CorpusFacts { tabular_share: f64::NAN, ..handbook() },
        CorpusFacts { code_share: 1.1, ..handbook() },
        CorpusFacts { identifier_question_share: Some(-0.1), ..handbook() },
    ] {
        assert!(matches!(advise(&facts, &sonnet()), Err(CostError::InvalidShare { .. })));
    }
    for facts in [
        CorpusFacts { questions_per_day: f64::INFINITY, ..handbook() },
        CorpusFacts { changes_per_day: -1.0, ..handbook() },
        CorpusFacts { upkeep_usd_per_month: f64::NAN, ..handbook() },
    ] {
        assert!(matches!(advise(&facts, &sonnet()), Err(CostError::InvalidAmount { .. })));
    }
}

#[test]
fn a_corpus_without_questions_costs_nothing_to_read() {
    let unused = CorpusFacts { questions_per_day: 0.0, ..handbook() };
    assert_eq!(recommended(&unused), Recommendation::Context);
}
