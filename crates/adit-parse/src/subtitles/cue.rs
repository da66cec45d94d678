/// When a cue is shown, in milliseconds from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    pub(crate) start_ms: u64,
    pub(crate) end_ms: u64,
}

/// One subtitle as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cue {
    pub(crate) timing: Timing,
    pub(crate) payload: String,
}

/// One line of a cue without its markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CueLine {
    pub(crate) speaker: Option<String>,
    pub(crate) words: String,
}

/// Tags of WebVTT and those SubRip files use.
const TAGS: [&str; 9] = ["b", "i", "u", "s", "c", "v", "lang", "ruby", "font"];

impl Timing {
    /// Reads `00:01.000 --> 00:02.000 settings` and `00:00:01,000 --> 00:00:02,000`.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (start, rest) = line.split_once("-->")?;
        let end = rest.split_whitespace().next()?;
        Some(Self { start_ms: milliseconds(start.trim())?, end_ms: milliseconds(end)? })
    }
}

fn milliseconds(time: &str) -> Option<u64> {
    let (clock, fraction) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let mut seconds = 0_u64;
    let mut parts = 0;
    for part in clock.split(':') {
        parts += 1;
        seconds = seconds.checked_mul(60)?.checked_add(digits(part)?)?;
    }
    let thousandths = digits(format!("{fraction:0<3}").get(..3)?)?;
    (parts == 2 || parts == 3).then_some(())?;
    seconds.checked_mul(1000)?.checked_add(thousandths)
}

fn digits(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// The lines of a cue with their speakers, tags and styles removed and entities decoded.
pub(crate) fn cue_lines(payload: &str) -> Vec<CueLine> {
    let mut lines = Vec::new();
    let mut speaker = None;
    for line in payload.lines() {
        let mut words = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(['<', '{', '&']) {
            let (before, marked) = rest.split_at_checked(at).unwrap_or((rest, ""));
            words.push_str(before);
            rest = match read_mark(marked) {
                Some((Mark::Nothing, behind)) => behind,
                Some((Mark::Character(character), behind)) => {
                    words.push_str(character);
                    behind
                }
                Some((Mark::Speaker(name), behind)) => {
                    push_line(&mut lines, &speaker, &std::mem::take(&mut words));
                    speaker = name;
                    behind
                }
                None => {
                    let mut characters = marked.chars();
                    words.extend(characters.next());
                    characters.as_str()
                }
            };
        }
        words.push_str(rest);
        push_line(&mut lines, &speaker, &words);
    }
    lines
}

fn push_line(lines: &mut Vec<CueLine>, speaker: &Option<String>, words: &str) {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if !words.is_empty() {
        lines.push(CueLine { speaker: speaker.clone(), words });
    }
}

enum Mark {
    Nothing,
    Character(&'static str),
    Speaker(Option<String>),
}

/// What a `<`, `{` or `&` begins and the text behind it; `None` if it is just that character.
fn read_mark(marked: &str) -> Option<(Mark, &str)> {
    if let Some(style) = marked.strip_prefix("{\\") {
        return style.split_once('}').map(|(_, behind)| (Mark::Nothing, behind));
    }
    if marked.starts_with('&') {
        let entities =
            [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", "")];
        return entities.iter().find_map(|(entity, character)| {
            Some((Mark::Character(character), marked.strip_prefix(entity)?))
        });
    }
    let (tag, behind) = marked.strip_prefix('<')?.split_once('>')?;
    let name = tag.trim_start_matches('/');
    let name_end = name.find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(name.len());
    let (name, annotation) = name.split_at_checked(name_end)?;
    let is_time =
        tag.contains(':') && tag.bytes().all(|byte| byte.is_ascii_digit() || b":.,".contains(&byte));
    let is_known =
        TAGS.iter().any(|known| name.eq_ignore_ascii_case(known)) || name.eq_ignore_ascii_case("rt");
    if name == "v" && !tag.starts_with('/') {
        let speaker =
            annotation.split_once(char::is_whitespace).map(|(_, speaker)| speaker.trim().to_owned());
        return Some((Mark::Speaker(speaker.filter(|speaker| !speaker.is_empty())), behind));
    }
    if name == "v" {
        return Some((Mark::Speaker(None), behind));
    }
    (is_time || is_known).then_some((Mark::Nothing, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        let timing = Timing::read("01:00:01,5 --> 100:00:02.250 line:0").unwrap();
        assert_eq!((timing.start_ms, timing.end_ms), (3_601_500, 360_002_250));
        assert_eq!(Timing::read("a --> b"), None);
        assert_eq!(Timing::read("00:01 -->"), None);
    }

    #[test]
    fn voices_inside_a_cue_are_lines_of_their_own() {
        let lines = cue_lines("<v Ann>Yes</v> <v Bob Smith>No");
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1], CueLine { speaker: Some("Bob Smith".into()), words: "No".into() });
    }
}
