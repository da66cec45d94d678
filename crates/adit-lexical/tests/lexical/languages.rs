use adit_core::ChunkId;
use adit_lexical::{Bm25Parameters, analysed_languages, detect_language};

use crate::{found, index_of};

#[test]
fn inflected_words_meet_in_their_language() {
    let (_folder, searcher) = index_of(&[
        ("en", "Refunds are paid after returning the goods."),
        ("de", "Die Häuser wurden gekauft."),
        ("fr", "L'entreprise rembourse les clients."),
    ]);
    let all = ["de", "en", "fr"];
    assert_eq!(found(&searcher, "refund", &all), [1]);
    assert_eq!(found(&searcher, "haus", &all), [2]);
    assert_eq!(found(&searcher, "entreprises", &all), [3]);
    assert_eq!(found(&searcher, "the", &["en"]), [0_u32; 0]);
}

#[test]
fn scripts_without_spaces_are_searched_by_words() {
    let (_folder, searcher) = index_of(&[
        ("zh", "北京大学成立于1898年，是中国著名的大学。"),
        ("ja", "東京都庁は新宿区にあります。カタカナも使います。"),
        ("th", "ประเทศไทยมีเมืองหลวงคือกรุงเทพมหานคร"),
        ("ko", "서울특별시는 대한민국의 수도이다."),
        ("lo", "ນະຄອນຫຼວງວຽງຈັນ ແມ່ນ ເມືອງຫຼວງ"),
    ]);
    let all = ["ja", "ko", "lo", "th", "zh"];
    assert_eq!(found(&searcher, "大学", &all), [1]);
    assert_eq!(found(&searcher, "新宿", &all), [2]);
    assert_eq!(found(&searcher, "カタカナ", &all), [2]);
    assert_eq!(found(&searcher, "เมืองหลวง", &all), [3]);
    assert_eq!(found(&searcher, "대한민국", &all), [4]);
    assert_eq!(found(&searcher, "ເມືອງຫຼວງ", &all), [5]);
}

#[test]
fn identifiers_are_found_whole_first_and_in_parts_after() {
    let (_folder, searcher) = index_of(&[
        ("en", "Errors 4021 and 4022 come from the ERR module."),
        ("en", "When the gateway answers ERR_4021 the token has run out."),
        ("en", "See src/main.rs and /etc/hosts for SKU-99-A, version v3.2."),
        ("en", "The version is 3.1 and the list holds 99 items."),
    ]);
    assert_eq!(found(&searcher, "ERR_4021", &["en"]), [2, 1]);
    assert_eq!(found(&searcher, "what is err_4021?", &["en"])[0], 2);
    assert_eq!(found(&searcher, "4021", &["en"]).len(), 2);
    assert_eq!(found(&searcher, "/etc/hosts", &["en"])[0], 3);
    assert_eq!(found(&searcher, "main.rs", &["en"]), [3]);
    assert_eq!(found(&searcher, "SKU-99-A", &["en"])[0], 3);
    assert_eq!(found(&searcher, "v3.2", &["en"]), [3]);
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let (_folder, searcher) = index_of(&[
        ("en", "Refunds for ERR_4021 are paid in refunds of refunds."),
        ("de", "Die Rückerstattung und das Refunds Programm."),
        ("en", "Nothing here."),
    ]);
    let languages = ["de".to_owned(), "en".to_owned()];
    let allowed = (0..10).collect();
    let parameters = Bm25Parameters { k1: 1.2, b: 0.75 };
    let hits = searcher.search("refunds ERR_4021", &languages, &allowed, parameters, 10).unwrap();
    assert_eq!(hits.len(), 2);
    for hit in hits {
        let explained =
            searcher.explain("refunds ERR_4021", &languages, hit.chunk, parameters).unwrap().unwrap();
        assert_eq!(explained.scored, hit);
        let sum: f32 = explained.terms.iter().map(|term| term.score).sum();
        assert!((sum - hit.score).abs() < 1e-6);
    }
    assert!(searcher.explain("refunds", &languages, ChunkId(3), parameters).unwrap().is_none());
    assert!(searcher.explain("refunds", &languages, ChunkId(99), parameters).unwrap().is_none());
}

#[test]
fn every_detected_language_has_an_analyser() {
    let known: Vec<&str> = analysed_languages().collect();
    for text in
        ["Ceci est un texte français assez long pour être reconnu sans aucune hésitation.", "สวัสดี", "?!"]
    {
        assert!(known.contains(&detect_language(text)));
    }
}
