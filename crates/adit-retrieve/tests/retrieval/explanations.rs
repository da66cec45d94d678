use adit_core::{CandidateOutcome, Filter};
use adit_retrieve::{ExplainTarget, Mode, SearchRequest};

use crate::setting::{Setting, everybody};

#[test]
fn says_what_it_would_have_taken() {
    let setting = Setting::new(64);
    for number in 0..30 {
        setting.commit(&format!("refund-{number}.md"), "Refunds", &format!("refund case number {number}"));
    }
    let other = setting.add("zebra.md", "Animals", "zebra giraffe");
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest { depth: 10, limit: 3, ..SearchRequest::new("refund case", &scope, &filter) };
    let explain = |request: &SearchRequest<'_>, target: ExplainTarget| {
        setting.retriever.explain(request, &target).unwrap()
    };

    let far = explain(&request, ExplainTarget::Document(other.clone()));
    let verdict = &far.chunks[0].verdict;
    assert!(
        verdict.contains("outside the 10 candidates") && verdict.contains("lexical: no shared term"),
        "{verdict}"
    );

    let best = setting.retriever.search(&request).unwrap().passages[0].id.clone();
    let near = explain(&request, ExplainTarget::Passage(best));
    assert_eq!(near.chunks[0].outcome, Some(CandidateOutcome::Returned));
    let sum: f32 = near.chunks[0].lexical_terms.iter().map(|term| term.score).sum();
    assert!((sum - near.chunks[0].lexical.unwrap().score).abs() < 1e-4);

    let lexical = SearchRequest { mode: Mode::Lexical, ..request };
    let quoted = explain(&lexical, ExplainTarget::Text("Giraffe".to_owned()));
    let verdict = &quoted.chunks[0].verdict;
    assert!(
        verdict.starts_with("no candidate: lexical: no shared term (the last candidate has "),
        "{verdict}"
    );
    let by_path = explain(&lexical, ExplainTarget::Text("zebra.md".to_owned()));
    assert_eq!(by_path.chunks[0].passage.document, other);

    let filtered = Filter::parse(&["source=zebra.md"]).unwrap();
    let request = SearchRequest { filter: &filtered, ..request };
    let excluded = explain(&request, ExplainTarget::Text("refund case number 7".to_owned()));
    assert_eq!(excluded.chunks[0].verdict, "excluded by the filter");
    let unknown = explain(&request, ExplainTarget::Text("nowhere at all".to_owned()));
    assert!(
        unknown.chunks.is_empty()
            && unknown.notices.iter().any(|notice| notice.contains("nothing in this scope"))
    );
}
