/// How words are found in a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WritingSystem {
    /// Words with spaces between them: UAX 29.
    Spaced,
    /// Han, Hiragana and Katakana.
    Ideographic,
    /// Korean: spaced, but with particles glued to the words.
    Hangul,
    /// Thai, Lao, Khmer and Burmese: no spaces, dictionary needed.
    SoutheastAsian,
}

/// The writing system of one character, or `None` for one that follows its neighbours (marks, digits,
/// punctuation are [`WritingSystem::Spaced`], combining marks and joiners follow).
pub(crate) fn writing_system(character: char) -> Option<WritingSystem> {
    let system = match u32::from(character) {
        0x0300..=0x036F | 0x200C | 0x200D | 0xFE00..=0xFE0F => return None,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x19E0..=0x19FF | 0xAA60..=0xAA7F => {
            WritingSystem::SoutheastAsian
        }
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF => WritingSystem::Hangul,
        0x3005..=0x3007
        | 0x3041..=0x309F
        | 0x30A1..=0x30FA
        | 0x30FC..=0x30FF
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F
        | 0x20000..=0x3FFFF => WritingSystem::Ideographic,
        _ => WritingSystem::Spaced,
    };
    Some(system)
}

/// Cuts `text` into the longest pieces of one writing system, in order; together they are the text.
pub(crate) fn for_each_run<'t>(text: &'t str, visit: &mut dyn FnMut(WritingSystem, &'t str)) {
    let mut start = 0;
    let mut current = WritingSystem::Spaced;
    for (position, character) in text.char_indices() {
        let Some(system) = writing_system(character) else { continue };
        if system != current {
            if let Some(run) = text.get(start..position).filter(|run| !run.is_empty()) {
                visit(current, run);
            }
            start = position;
            current = system;
        }
    }
    if let Some(run) = text.get(start..).filter(|run| !run.is_empty()) {
        visit(current, run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_text() {
        let text = "Hello 世界、カタカナ 안녕 สวัสดี!";
        let mut runs = Vec::new();
        for_each_run(text, &mut |system, run| runs.push((system, run)));
        assert_eq!(runs.iter().map(|(_, run)| *run).collect::<String>(), text);
        assert!(runs.contains(&(WritingSystem::Ideographic, "世界")));
        assert!(runs.contains(&(WritingSystem::Ideographic, "カタカナ")));
        assert!(runs.contains(&(WritingSystem::Hangul, "안녕")));
        assert!(runs.contains(&(WritingSystem::SoutheastAsian, "สวัสดี")));
    }
}
