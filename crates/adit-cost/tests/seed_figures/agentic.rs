//! The agentic retrieval chapter: one call against a loop of calls.

use adit_cost::{
    BreakEven, CHARACTERS_PER_TOKEN, CacheFloor, RoutingCosts, Usage, Workload, attention_share, cost_usd,
    loop_input_tokens, tokens_usd,
};

use crate::{price, printed};

fn agentic_usd(searches: u32) -> f64 {
    cost_usd(&Workload::default().agentic_calls(searches).sum(), &price("claude-sonnet-5"))
}

fn classic_usd() -> f64 {
    cost_usd(&Workload::default().classic(), &price("claude-sonnet-5"))
}

#[test]
fn one_classic_call() {
    assert_eq!(Workload::default().classic(), Usage::plain(3550, 400));
    assert_eq!(printed(classic_usd(), 5), "0.01665");
}

#[test]
fn one_search_itemised() {
    let calls: Vec<Usage> = Workload::default().agentic_calls(1).collect();
    assert_eq!(calls, [Usage::plain(1200, 60), Usage::plain(3760, 400)]);
    let sonnet = price("claude-sonnet-5");
    assert_eq!(printed(cost_usd(&calls[0], &sonnet), 5), "0.00450");
    assert_eq!(printed(cost_usd(&calls[1], &sonnet), 5), "0.01728");
    assert_eq!(printed(agentic_usd(1), 5), "0.02178");
}

#[test]
fn zero_to_four_searches() {
    for (searches, final_prompt_tokens, total_usd, multiple) in [
        (0, 1200, "0.00960", "0.58"),
        (1, 3760, "0.02178", "1.31"),
        (2, 6320, "0.04164", "2.50"),
        (3, 8880, "0.06918", "4.15"),
        (4, 11440, "0.10440", "6.27"),
    ] {
        assert_eq!(Workload::default().final_prompt_tokens(searches), final_prompt_tokens);
        assert_eq!(printed(agentic_usd(searches), 5), total_usd);
        assert_eq!(printed(agentic_usd(searches) / classic_usd(), 2), multiple);
    }
    // From one search to two the prompt grows 1.7 times, the bill "roughly doubles".
    assert_eq!(printed(6320.0 / 3760.0, 1), "1.7");
    assert_eq!(printed(agentic_usd(2) / agentic_usd(1), 1), "1.9");
    // "2-6 times" is two to four searches.
    assert_eq!(printed(agentic_usd(2) / classic_usd(), 0), "3", "2.50 itself; the text rounds it down to 2");
    assert_eq!(printed(agentic_usd(4) / classic_usd(), 0), "6");
    // Three searches pay the generation line "about four times over".
    assert_eq!(printed(agentic_usd(3) / classic_usd(), 0), "4");
}

#[test]
fn five_calls_in_closed_form_and_by_hand() {
    assert_eq!(loop_input_tokens(5, 1200, 2560), 31_600);
    let summed: Usage = Workload::default().agentic_calls(4).sum();
    assert_eq!(summed.input_tokens, 1200 + 3760 + 6320 + 8880 + 11_440);
    assert_eq!(summed.input_tokens, 31_600);
}

#[test]
fn searching_once_against_skipping() {
    assert_eq!(printed(agentic_usd(1) / agentic_usd(0), 1), "2.3");
}

#[test]
fn five_useless_passages() {
    let sonnet = price("claude-sonnet-5");
    let bare = Workload::default().without_retrieval();
    assert_eq!(bare.input_tokens, 1050);
    assert_eq!(printed(tokens_usd(1050, 3.0), 5), "0.00315");
    assert_eq!(printed(tokens_usd(3550, 3.0), 5), "0.01065");
    assert_eq!(printed(tokens_usd(400, 15.0), 5), "0.00600");
    assert_eq!(printed(cost_usd(&bare, &sonnet), 5), "0.00915");
    assert_eq!(printed(classic_usd() / cost_usd(&bare, &sonnet), 2), "1.82");

    assert_eq!(printed(attention_share(50, 1050) * 100.0, 2), "4.76");
    assert_eq!(printed(attention_share(50, 3550) * 100.0, 2), "1.41");
    assert_eq!(printed(attention_share(50, 1050) / attention_share(50, 3550), 1), "3.4");
}

#[test]
fn the_tool_schema_is_the_gap_between_the_two_ways_to_skip() {
    let bare_usd = cost_usd(&Workload::default().without_retrieval(), &price("claude-sonnet-5"));
    assert_eq!(printed(tokens_usd(150, 3.0), 5), "0.00045");
    assert_eq!(printed(bare_usd + tokens_usd(150, 3.0), 5), "0.00960");
}

#[test]
fn break_even_share_with_one_search() {
    let costs = RoutingCosts::of(&Workload::default(), 1, &price("claude-sonnet-5"));
    assert_eq!(printed(costs.search_usd - costs.skip_usd, 5), "0.01218");
    assert_eq!(printed(costs.always_usd - costs.skip_usd, 5), "0.00705");
    let BreakEven::At { share } = costs.break_even().unwrap() else { panic!("no break-even") };
    assert_eq!(printed(share, 3), "0.579");
    assert_eq!(printed(costs.blended_usd(share).unwrap(), 5), "0.01665");
    for (share, usd, percent) in [(0.20, "0.01204", "28"), (0.35, "0.01386", "17"), (0.80, "0.01934", "16")] {
        let blended = costs.blended_usd(share).unwrap();
        assert_eq!(printed(blended, 5), usd);
        assert_eq!(printed((blended / costs.always_usd - 1.0).abs() * 100.0, 0), percent);
        assert_eq!(blended > costs.always_usd, share > 0.579, "cheaper below the break-even, dearer above");
    }
}

#[test]
fn break_even_share_with_two_searches() {
    let costs = RoutingCosts::of(&Workload::default(), 2, &price("claude-sonnet-5"));
    assert_eq!(printed(costs.search_usd - costs.skip_usd, 5), "0.03204");
    let BreakEven::At { share } = costs.break_even().unwrap() else { panic!("no break-even") };
    assert_eq!(printed(share, 2), "0.22");
}

#[test]
fn two_passages_fewer_against_two_denominators() {
    let five = Workload::default();
    let three = Workload { passages_tokens: 1500, ..five };
    let sonnet = price("claude-sonnet-5");
    let saved_usd = cost_usd(&five.classic(), &sonnet) - cost_usd(&three.classic(), &sonnet);
    assert_eq!(printed(saved_usd, 3), "0.003");
    assert_eq!(printed(saved_usd / 0.0187 * 100.0, 0), "16");
    assert_eq!(printed(saved_usd / classic_usd() * 100.0, 0), "18");
    // "calls generation 89% of it"
    assert_eq!(printed(classic_usd() / 0.0187 * 100.0, 0), "89");
}

#[test]
fn the_prefix_that_misses_the_cache_floor() {
    let characters: u32 = 867 + 287;
    assert_eq!(characters, 1154);
    let tokens = f64::from(characters) / CHARACTERS_PER_TOKEN;
    // The article prints 290, which is 288.5 rounded to tens, and goes on with it: 57% of the floor.
    // Unrounded it would be 56%.
    assert_eq!(printed(tokens / 10.0, 0), "29");
    let opus = price("claude-opus-5");
    let floor = CacheFloor::of(290, &opus);
    assert_eq!(floor, CacheFloor::Below { prefix_tokens: 290, minimum_tokens: 512 });
    assert_eq!(printed(290.0 / 512.0 * 100.0, 0), "57");
    assert_eq!(printed(tokens / 512.0 * 100.0, 0), "56");
    // So marking it changes nothing in the first call, whatever follows.
    let small =
        Workload { system_tokens: 72, question_tokens: 0, tool_schema_tokens: 218, ..Workload::default() };
    assert_eq!(small.agent_prompt_tokens(), 290);
    let calls = small.agentic_calls_cached(2, 512);
    assert_eq!((calls[0].input_tokens, calls[0].cache_write_tokens), (290, 0));
    assert_eq!((calls[1].cached_input_tokens, calls[1].cache_write_tokens), (0, 290 + 2560));
    assert_eq!((calls[2].cached_input_tokens, calls[2].input_tokens), (290 + 2560, 2560));
}

#[test]
fn the_loop_of_the_listing_at_its_own_models_rates() {
    // The footnote: the listing calls claude-opus-5 at 5 and 25, "swap those rates in".
    let opus = price("claude-opus-5");
    assert_eq!((opus.input_usd_per_million, opus.output_usd_per_million), (5.0, 25.0));
    // Both rates are 5/3 of the table's, so every multiple stays.
    let usd = cost_usd(&Workload::default().agentic_calls(1).sum(), &opus);
    assert_eq!(printed(usd, 5), "0.03630");
    assert_eq!(printed(usd / cost_usd(&Workload::default().classic(), &opus), 2), "1.31");
}
