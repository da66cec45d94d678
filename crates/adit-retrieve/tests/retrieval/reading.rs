use adit_retrieve::{ReadFrom, RetrieveError};

use crate::setting::{Setting, everybody};

#[test]
fn reading_on_gives_every_character_once() {
    let setting = Setting::new(64);
    let paragraph = |number: usize| format!("paragraph {number} über ") + "word ".repeat(45).trim_end();
    let text = (0..20).map(paragraph).collect::<Vec<_>>().join("\n\n");
    let id = setting.add("long.md", "Long", &text);
    let (mut read, mut from, mut parts) = (String::new(), ReadFrom::default(), 0);
    loop {
        let excerpt = setting.retriever.read_document(&id, &everybody(), from, 250).unwrap();
        read += &excerpt.text;
        parts += 1;
        assert_eq!(excerpt.truncated, excerpt.next_character.is_some());
        assert_eq!(excerpt.truncated, excerpt.continue_with.is_some());
        from = match (excerpt.next_chunk, excerpt.next_character) {
            (Some(first), _) => ReadFrom::Chunk { first, count: None },
            (None, Some(start)) => ReadFrom::Character { start, end: None },
            (None, None) => break,
        };
    }
    assert_eq!(read, text);
    assert!(parts > 4);
}

#[test]
fn ranges_are_obeyed_and_a_start_beyond_the_end_is_an_error() {
    let setting = Setting::new(64);
    let id = setting.add("short.md", "Short", "first part\n\nsecond part\n\nthird part");
    let read = |from| setting.retriever.read_document(&id, &everybody(), from, 4_000);
    assert_eq!(read(ReadFrom::Chunk { first: 1, count: Some(1) }).unwrap().text, "second part");
    assert_eq!(read(ReadFrom::Chunk { first: 1, count: None }).unwrap().text, "second part\n\nthird part");
    assert_eq!(read(ReadFrom::Character { start: 6, end: Some(10) }).unwrap().text, "part");
    assert!(matches!(read(ReadFrom::Chunk { first: 3, count: None }), Err(RetrieveError::BeyondEnd { .. })));
    assert!(matches!(
        read(ReadFrom::Character { start: 900, end: None }),
        Err(RetrieveError::BeyondEnd { .. })
    ));
}
