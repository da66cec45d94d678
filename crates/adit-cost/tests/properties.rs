//! What must hold for every workload, not only for the articles'.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use adit_cost::{
    BreakEven, CacheTraffic, LongContext, Price, PriceTable, RoutingCosts, Usage, Workload,
    break_even_corpus_tokens, cost_usd, loop_input_tokens,
};
use proptest::prelude::*;

fn workloads() -> impl Strategy<Value = Workload> {
    (0..5000_u64, 0..500_u64, 0..20_000_u64, 0..4000_u64, 0..2000_u64, 0..500_u64).prop_map(
        |(
            system_tokens,
            question_tokens,
            passages_tokens,
            answer_tokens,
            tool_schema_tokens,
            tool_call_tokens,
        )| {
            Workload {
                system_tokens,
                question_tokens,
                passages_tokens,
                answer_tokens,
                tool_schema_tokens,
                tool_call_tokens,
            }
        },
    )
}

fn prices() -> impl Strategy<Value = Price> {
    (0..4_usize).prop_map(|at| PriceTable::built_in().unwrap().iter().nth(at).unwrap().clone())
}

proptest! {
    #[test]
    fn the_sum_over_calls_is_the_closed_form(workload in workloads(), searches in 0..200_u32) {
        let summed: Usage = workload.agentic_calls(searches).sum();
        let closed =
            loop_input_tokens(searches + 1, workload.agent_prompt_tokens(), workload.growth_tokens());
        prop_assert_eq!(summed.input_tokens, closed);
        prop_assert_eq!(
            summed.output_tokens,
            u64::from(searches) * workload.tool_call_tokens + workload.answer_tokens
        );
    }

    #[test]
    fn a_cached_loop_reads_the_same_tokens(
        workload in workloads(), searches in 0..50_u32, floor in 0..5000_u64, price in prices(),
    ) {
        let plain: Usage = workload.agentic_calls(searches).sum();
        let cached: Usage = workload.agentic_calls_cached(searches, floor).into_iter().sum();
        prop_assert_eq!(cached.read_tokens(), plain.read_tokens());
        prop_assert_eq!(cached.output_tokens, plain.output_tokens);
        // The last call is not marked, so every token written is read at least once: 1.25 + 0.1 < 2.
        prop_assert!(cost_usd(&cached, &price) <= cost_usd(&plain, &price) + 1e-12);
    }

    #[test]
    fn at_the_break_even_both_ways_cost_the_same(
        workload in workloads(), searches in 1..6_u32, price in prices(), share in 0.0..=1.0_f64,
    ) {
        let costs = RoutingCosts::of(&workload, searches, &price);
        let blended = costs.blended_usd(share).unwrap();
        let slack = 1e-12;
        match costs.break_even().unwrap() {
            BreakEven::At { share: even } => {
                prop_assert!((0.0..=1.0).contains(&even));
                prop_assert!((costs.blended_usd(even).unwrap() - costs.always_usd).abs() < slack);
                let dearer_by = blended - costs.always_usd;
                let is_on_its_side = if share <= even { dearer_by <= slack } else { dearer_by >= -slack };
                prop_assert!(is_on_its_side, "share {} of {}, dearer by {}", share, even, dearer_by);
            }
            BreakEven::ToolIsNeverDearer => prop_assert!(blended <= costs.always_usd + slack),
            BreakEven::ToolIsNeverCheaper => prop_assert!(blended >= costs.always_usd - slack),
        }
    }

    #[test]
    fn at_the_break_even_size_long_context_costs_what_retrieval_does(
        workload in workloads(), price in prices(),
    ) {
        let retrieval_usd = cost_usd(&workload.classic(), &price);
        let rest_usd = cost_usd(&workload.without_retrieval(), &price);
        let tokens = break_even_corpus_tokens(retrieval_usd, rest_usd, price.read_rate()).unwrap();
        let at = LongContext {
            corpus_tokens: tokens.round() as u64,
            uncached_tokens: workload.without_retrieval().input_tokens,
            answer_tokens: workload.answer_tokens,
        };
        let usd = cost_usd(&at.reading(), &price);
        prop_assert!((usd - retrieval_usd).abs() <= price.read_rate() / 1e6, "half a token of rounding");
    }

    #[test]
    fn the_cached_price_lies_between_a_hit_and_a_miss(
        corpus_tokens in 600..500_000_u64, requests_per_day in 0.0..1e5_f64, changes_per_day in 0.0..100.0_f64,
        lifetime_minutes in 0.0..120.0_f64, price in prices(),
    ) {
        let context = LongContext { corpus_tokens, uncached_tokens: 1050, answer_tokens: 400 };
        let traffic = CacheTraffic { requests_per_day, changes_per_day, lifetime_minutes };
        let miss_share = traffic.miss_share().unwrap();
        prop_assert!((0.0..=1.0).contains(&miss_share));
        let usd = context.cached_usd(miss_share, &price).unwrap();
        prop_assert!(usd >= cost_usd(&context.reading(), &price) - 1e-12);
        prop_assert!(usd <= cost_usd(&context.writing(), &price) + 1e-12);
    }

    #[test]
    fn the_closed_form_never_wraps(calls: u32, prompt_tokens: u64, growth_tokens: u64) {
        let sum = loop_input_tokens(calls, prompt_tokens, growth_tokens);
        prop_assert!(calls == 0 || sum >= prompt_tokens);
        prop_assert!(calls < 2 || sum >= growth_tokens);
    }
}
