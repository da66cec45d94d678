use adit_catalog::GrepHit;
use adit_core::ReadScope;
use proptest::prelude::*;

use crate::support::{TestCatalog, administrator, test_catalog, version};

fn grep(catalog: &TestCatalog, words: &str, ignore_case: bool, limit: usize) -> Vec<GrepHit> {
    let everybody = administrator();
    let mut hits = Vec::new();
    let view = catalog.view().unwrap();
    let scope = ReadScope::Administrator(&everybody);
    let summary = view.grep(words, ignore_case, scope, limit, &mut |hit| hits.push(hit)).unwrap();
    assert_eq!(summary.hits, hits.len());
    hits
}

#[test]
fn says_where_it_found_what() {
    let catalog = test_catalog();
    let text = "ÄÖÜ first\nsecond ERR_4021 and ERR_4021\r\nİstanbul ERR_4021";
    let given = version("b.md", text);
    catalog.commit(given.clone()).unwrap();
    catalog.commit(version("a.md", "nothing\nERR_4021")).unwrap();
    catalog.commit(version("c.md", "ERR_4021, replaced")).unwrap();
    catalog.commit(version("c.md", "gone")).unwrap();
    let hits = grep(&catalog, "ERR_4021", false, 100);
    let places: Vec<_> = hits
        .iter()
        .map(|hit| (hit.source.as_str(), hit.line_number, hit.char_start, hit.line.as_str()))
        .collect();
    assert_eq!(
        places,
        [
            ("a.md", 2, 8, "ERR_4021"),
            ("b.md", 2, 17, "second ERR_4021 and ERR_4021"),
            ("b.md", 2, 30, "second ERR_4021 and ERR_4021"),
            ("b.md", 3, 49, "İstanbul ERR_4021"),
        ]
    );
    assert_eq!(hits[3].range.slice(text), Some("ERR_4021"));
    assert_eq!((hits[3].passage.as_ref().unwrap().chunk_index, hits[3].page), (2, Some(3)));
    assert_eq!(hits[3].heading_path, given.chunks[2].heading_path);
    assert_eq!(grep(&catalog, "ERR_4021", false, 2).len(), 2);
    assert!(grep(&catalog, "err_4021", false, 100).is_empty());
    assert!(grep(&catalog, "", true, 100).is_empty());
}

#[test]
fn letters_of_any_script_lose_their_case_and_keep_their_place() {
    let catalog = test_catalog();
    // İ takes two bytes and its lower case three; K (the Kelvin sign) three and its lower case one.
    let text = "İİ ÉCOLE école ΟΔΥΣΣΕΎΣ οδυσσεύς \u{212a}elvin ПРИВЕТ";
    catalog.commit(version("a", text)).unwrap();
    for (words, expected) in [
        ("École", vec!["ÉCOLE", "école"]),
        ("Οδυσσεύς", vec!["ΟΔΥΣΣΕΎΣ", "οδυσσεύς"]),
        ("kelvin", vec!["\u{212a}elvin"]),
        ("привет", vec!["ПРИВЕТ"]),
        ("iİ é", vec!["İİ É"]),
    ] {
        let found: Vec<_> = grep(&catalog, words, true, 9)
            .iter()
            .map(|hit| {
                let by_characters: String =
                    text.chars().skip(hit.char_start).take(hit.char_end - hit.char_start).collect();
                assert_eq!(hit.range.slice(text), Some(by_characters.as_str()));
                by_characters
            })
            .collect();
        assert_eq!(found, expected, "{words}");
    }
}

#[test]
fn a_long_line_is_cut_around_the_hit() {
    let catalog = test_catalog();
    catalog.commit(version("a", &format!("{}needle{}", "é".repeat(5000), "ü".repeat(5000)))).unwrap();
    let hit = grep(&catalog, "needle", true, 9).remove(0);
    assert!(hit.line.contains("éneedleü") && hit.line.chars().count() <= 400);
    assert_eq!(hit.char_start, 5000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// For letters whose case folds one to one, folding both sides first and searching letter by letter
    /// is the same.
    #[test]
    fn agrees_with_folding_first(text in "[aAbBäÄжЖ \n]{1,60}", words in "[aAbBäÄжЖ\n]{1,3}") {
        let catalog = test_catalog();
        catalog.commit(version("a", &text)).unwrap();
        let expected: Vec<_> = text
            .to_lowercase()
            .match_indices(&words.to_lowercase())
            .map(|(at, _)| at)
            .collect();
        let found: Vec<_> = grep(&catalog, &words, true, 1000).iter().map(|hit| hit.range.start).collect();
        prop_assert_eq!(found, expected);
        let exact: Vec<_> = text.match_indices(&words).map(|(at, _)| at).collect();
        let found: Vec<_> = grep(&catalog, &words, false, 1000).iter().map(|hit| hit.range.start).collect();
        prop_assert_eq!(found, exact);
    }
}
