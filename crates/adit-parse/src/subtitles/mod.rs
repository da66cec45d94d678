mod cue;

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::plain_text;
use cue::{Cue, CueLine, Timing, cue_lines};

/// A longer pause begins a new paragraph.
const PAUSE_MS: u64 = 3_000;
/// Rolling captions follow each other at once; a repetition after a pause was spoken twice.
const ROLLING_GAP_MS: u64 = 200;
/// From this size on, a paragraph ends with the next sentence, so that its start time stays of use.
const LONG_PARAGRAPH_BYTES: usize = 800;
const MAX_PARAGRAPH_BYTES: usize = 1_600;

/// Parses WebVTT (W3C WebVTT 1) and SubRip.
///
/// Cues are joined into paragraphs over a speaker's turn, until a pause above three seconds or a
/// sentence's end in a long paragraph; each begins with its start time, `[00:12:05]`. Left out: cue
/// numbers and identifiers, settings, tags, and NOTE, STYLE and REGION blocks. Header lines such as
/// `Language: en` become metadata. A file without cues becomes plain text with a warning.
///
/// # Errors
/// [`ParseError::Empty`] without words.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let mut builder = DocumentBuilder::new();
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let is_web_vtt = lines.first().is_some_and(|first| first.starts_with("WEBVTT"));
    let body_start = if is_web_vtt { write_header(&lines, &mut builder) } else { 0 };
    let (stray, cues) = read_cues(lines.get(body_start..).unwrap_or_default(), is_web_vtt);
    if cues.is_empty() {
        let mut document = plain_text::parse(text);
        document.media_type = MediaType::Subtitles;
        document
            .coverage
            .warnings
            .push("no subtitle with a time was found; the file was kept as plain text".to_owned());
        return Ok(document);
    }
    builder.paragraph(&stray);
    let mut writer = TurnWriter::new(&mut builder);
    for cue in &cues {
        writer.cue(cue);
    }
    writer.end_paragraph();
    Ok(builder.finish(MediaType::Subtitles))
}

/// The words behind `WEBVTT` are the title; gives the number of header lines.
fn write_header(lines: &[&str], builder: &mut DocumentBuilder) -> usize {
    let title = lines.first().and_then(|first| first.strip_prefix("WEBVTT")).unwrap_or_default();
    let title = title.trim().trim_start_matches("- ").trim();
    builder.set_title(title);
    builder.paragraph(title);
    let mut used = 1;
    for line in lines.iter().skip(1).take_while(|line| !line.trim().is_empty() && !line.contains("-->")) {
        match line.split_once([':', '=']) {
            Some((key, value)) if !key.trim().is_empty() => builder
                .metadata()
                .entry(key.trim().to_lowercase())
                .or_default()
                .push(MetadataValue::parse(value)),
            _ => builder.paragraph(line),
        }
        used += 1;
    }
    used
}

/// The words before the first cue, and the cues. A line that is neither a time nor belongs to a block
/// without words continues the cue before it.
fn read_cues(lines: &[&str], is_web_vtt: bool) -> (String, Vec<Cue>) {
    let mut stray = String::new();
    let mut cues: Vec<Cue> = Vec::new();
    let mut after_blank = true;
    let mut skipping = false;
    for (number, line) in lines.iter().enumerate() {
        let words = line.trim();
        if words.is_empty() {
            (after_blank, skipping) = (true, false);
            continue;
        }
        let next_is_time = lines.get(number + 1).is_some_and(|next| Timing::read(next).is_some());
        if let Some(timing) = Timing::read(line) {
            skipping = false;
            cues.push(Cue { timing, payload: String::new() });
        } else if skipping || (is_web_vtt && after_blank && begins_silent_block(words)) {
            skipping = true;
        } else if next_is_time
            && (words.bytes().all(|byte| byte.is_ascii_digit()) || (is_web_vtt && after_blank))
        {
            // A cue's number or identifier.
        } else if let Some(cue) = cues.last_mut() {
            cue.payload.push_str(words);
            cue.payload.push('\n');
        } else {
            stray.push_str(words);
            stray.push('\n');
        }
        after_blank = false;
    }
    (stray, cues)
}

fn begins_silent_block(words: &str) -> bool {
    words == "NOTE" || words.starts_with("NOTE ") || words == "STYLE" || words == "REGION"
}

/// Joins cues into paragraphs.
struct TurnWriter<'a> {
    builder: &'a mut DocumentBuilder,
    paragraph: String,
    speaker: Option<String>,
    last_end_ms: u64,
    last_lines: Vec<CueLine>,
}

impl<'a> TurnWriter<'a> {
    fn new(builder: &'a mut DocumentBuilder) -> Self {
        Self { builder, paragraph: String::new(), speaker: None, last_end_ms: 0, last_lines: Vec::new() }
    }

    fn cue(&mut self, cue: &Cue) {
        let Timing { start_ms, end_ms } = cue.timing;
        let lines = cue_lines(&cue.payload);
        if lines.is_empty() {
            return;
        }
        let is_rolling = start_ms <= self.last_end_ms.saturating_add(ROLLING_GAP_MS);
        let new_lines = if is_rolling { without_repetition(&self.last_lines, &lines) } else { lines.clone() };
        let is_pause = start_ms > self.last_end_ms.saturating_add(PAUSE_MS);
        let is_long = self.paragraph.len() > MAX_PARAGRAPH_BYTES
            || (self.paragraph.len() > LONG_PARAGRAPH_BYTES && ends_sentence(&self.paragraph));
        if is_pause || is_long {
            self.end_paragraph();
        }
        for line in new_lines {
            self.line(line, start_ms);
        }
        self.last_end_ms = end_ms.max(start_ms);
        self.last_lines = lines;
    }

    fn line(&mut self, line: CueLine, start_ms: u64) {
        if line.speaker != self.speaker {
            self.end_paragraph();
            self.speaker = line.speaker;
        }
        if self.paragraph.is_empty() {
            let seconds = start_ms / 1000;
            self.paragraph = format!("[{:02}:{:02}:{:02}]", seconds / 3600, seconds / 60 % 60, seconds % 60);
            if let Some(speaker) = &self.speaker {
                self.paragraph.push_str(&format!(" {speaker}:"));
            }
        }
        self.paragraph.push(' ');
        self.paragraph.push_str(&line.words);
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        self.builder.paragraph(&paragraph);
    }
}

fn ends_sentence(words: &str) -> bool {
    words.trim_end_matches(['"', '\'', '”', '’', ')']).ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// The lines of a cue that were not on the screen already: rolling captions show the last lines again,
/// or the same line with more words.
fn without_repetition(last: &[CueLine], lines: &[CueLine]) -> Vec<CueLine> {
    let most = last.len().min(lines.len());
    let repeated = (1..=most)
        .rev()
        .find(|count| last.get(last.len() - count..).is_some_and(|end| lines.get(..*count) == Some(end)));
    if let Some(repeated) = repeated {
        return lines.get(repeated..).unwrap_or_default().to_vec();
    }
    let ([.., shown], [first, rest @ ..]) = (last, lines) else { return lines.to_vec() };
    match first.words.strip_prefix(&shown.words) {
        Some(more) if more.starts_with(' ') && first.speaker == shown.speaker => {
            let grown = CueLine { speaker: first.speaker.clone(), words: more.trim().to_owned() };
            std::iter::once(grown).chain(rest.iter().cloned()).collect()
        }
        _ => lines.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(text: &str) -> String {
        parse(text, "a.vtt").unwrap().text
    }

    #[test]
    fn web_vtt_is_joined_by_speaker_and_pause() {
        let text = "WEBVTT - The talk\nLanguage: en\n\nNOTE not\nthis\n\nSTYLE\n::cue {color: red}\n\nintro-1\n\
                    00:01.000 --> 00:03.000 align:start\n<v Ann>Good <i>morning</i>\neverybody.\n\n\
                    00:03.500 --> 00:05.000\n<v Ann>Sit down.</v>\n\n00:05.000 --> 00:06.000\n<v.loud Bob>Why &amp; how?\n\n\
                    01:12:05.500 --> 01:12:07.000\n<v Bob>Later.\n";
        let document = parse(text, "a.vtt").unwrap();
        assert_eq!(
            document.text,
            "The talk\n\n[00:00:01] Ann: Good morning everybody. Sit down.\n\n[00:00:05] Bob: Why & how?\n\n[01:12:05] Bob: Later."
        );
        assert_eq!(document.title.as_deref(), Some("The talk"));
        assert_eq!(document.metadata["language"][0].to_text(), "en");
    }

    #[test]
    fn sub_rip_numbers_and_styles_go() {
        let text = "1\n00:00:01,000 --> 00:00:02,000 X1:1\n{\\an8}<font color=\"red\">One</font>\n\n2\n00:00:02,500 --> 00:00:04,000\n1 < 2 <ok then>\n\nstray words\n\n3\n00:00:05,000 --> 00:00:06,000\n42\n";
        assert_eq!(text_of(text), "[00:00:01] One 1 < 2 <ok then> stray words 42");
    }

    #[test]
    fn rolling_captions_are_merged() {
        let text = "WEBVTT\n\n00:00.000 --> 00:02.000\nfirst line\n\n00:02.000 --> 00:02.010\nfirst line\n\n\
                    00:02.010 --> 00:04.000\nfirst line\nsecond<00:00:03.000><c> line</c>\n\n00:04.000 --> 00:06.000\nsecond line more\n\n\
                    00:07.000 --> 00:08.000\nNo.\n\n00:09.000 --> 00:10.000\nNo.\n";
        assert_eq!(text_of(text), "[00:00:00] first line second line more No. No.");
    }

    #[test]
    fn a_file_without_cues_is_plain_text() {
        let document = parse("just words", "a.srt").unwrap();
        assert_eq!(document.text, "just words");
        assert_eq!(document.coverage.warnings.len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_in_cues_are_kept(cues in prop::collection::vec((0u64..9000, prop::collection::vec("[a-zé]{3,8}( <i>[a-z]{3}</i>| <|> |\\{|&)?", 1..4)), 1..8)) {
            let mut text = String::new();
            for (number, (start, lines)) in cues.iter().enumerate() {
                text += &format!("{number}\n00:{:02}:{:02},000 --> 00:59:59,000\n{}\n\n", start / 60 % 60, start % 60, lines.join("\n"));
            }
            let found = text_of(&text);
            for word in cues.iter().flat_map(|(_, lines)| lines).flat_map(|line| line.split(|one: char| !one.is_alphabetic())).filter(|word| word.chars().count() >= 3) {
                prop_assert!(found.contains(word), "{} not in {}", word, found);
            }
        }

        #[test]
        fn any_text_is_no_panic(text in "(WEBVTT|NOTE|\n|\n\n|00:01.000 --> 00:02.000|<v |>|<|&amp;|&|[a-z1]{1,5}| ){0,40}") {
            let _ = parse(&text, "a.vtt");
        }
    }
}
