use adit_core::{ChunkId, Filter, Passage, PassageScores, Trace};
use adit_retrieve::{
    Evidence, ExplainTarget, Mode, QueryPlan, ReadFrom, SearchRequest, SearchResponse, render_excerpt,
    render_explanation, render_passages,
};

use crate::setting::{Setting, everybody};

#[test]
fn passages_carry_citation_score_place_and_table_header() {
    let passage = Passage {
        id: "3f9a1c20b7d4#2".parse().unwrap(),
        chunk: ChunkId(7),
        source: "handbook/fees.pdf".to_owned(),
        title: "Fees".to_owned(),
        heading_path: vec!["Fees".to_owned(), "Cards".to_owned()],
        page_start: Some(3),
        page_end: Some(4),
        char_start: 0,
        char_end: 10,
        table_header: Some("Country | Fee".to_owned()),
        text: "Norway | 2.50".to_owned(),
        scores: PassageScores { rank: 1, score: 0.839, lexical: Some((1, 3.0)), ..PassageScores::default() },
        also_in: Vec::new(),
        warnings: Vec::new(),
        token_count: 12,
    };
    let response = SearchResponse {
        passages: vec![
            passage.clone(),
            Passage { table_header: None, page_end: None, heading_path: Vec::new(), ..passage },
        ],
        omitted: 2,
        notices: vec!["searched by words only: no embedding model is loaded".to_owned()],
        evidence: Evidence::default(),
        plan: QueryPlan::default(),
        trace: Trace::default(),
    };
    insta::assert_snapshot!("passages", render_passages(&response));
    let empty = SearchResponse { passages: Vec::new(), omitted: 0, notices: Vec::new(), ..response };
    insta::assert_snapshot!("no_passages", render_passages(&empty));
}

#[test]
fn explanations_and_excerpts_are_readable() {
    let setting = Setting::new(64);
    let id = setting.add("refunds.md", "Refunds", "A customer may ask for a refund within thirty days.");
    setting.add("travel.md", "Travel", "Trains are booked in second class.");
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest { mode: Mode::Lexical, ..SearchRequest::new("refund days", &scope, &filter) };
    let explanation = setting.retriever.explain(&request, &ExplainTarget::Document(id.clone())).unwrap();
    insta::assert_snapshot!("explanation", render_explanation(&explanation));
    let excerpt = setting.retriever.read_document(&id, &scope, ReadFrom::default(), 500).unwrap();
    insta::assert_snapshot!("excerpt", render_excerpt(&excerpt));
}
