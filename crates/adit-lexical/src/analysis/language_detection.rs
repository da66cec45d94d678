use std::sync::LazyLock;

use whatlang::{Detector, Lang};

use super::normalisation::truncated;

/// Enough to be sure, little enough to cost nothing beside parsing.
const SAMPLE_BYTES: usize = 4 * 1024;

/// Below this many letters of an alphabet that several languages share, trigrams only guess.
const MIN_LETTERS: usize = 40;

/// Detected language and the code of its analyser. No language that shares its script with another one
/// is here without an analyser, so a text is never pressed into a neighbour's stemmer knowingly.
const DETECTABLE: &[(Lang, &str)] = &[
    (Lang::Ara, "ar"),
    (Lang::Cat, "ca"),
    (Lang::Ces, "cs"),
    (Lang::Dan, "da"),
    (Lang::Deu, "de"),
    (Lang::Ell, "el"),
    (Lang::Eng, "en"),
    (Lang::Spa, "es"),
    (Lang::Est, "et"),
    (Lang::Pes, "fa"),
    (Lang::Fin, "fi"),
    (Lang::Fra, "fr"),
    (Lang::Hin, "hi"),
    (Lang::Hun, "hu"),
    (Lang::Hye, "hy"),
    (Lang::Ind, "id"),
    (Lang::Ita, "it"),
    (Lang::Lit, "lt"),
    (Lang::Nep, "ne"),
    (Lang::Nld, "nl"),
    (Lang::Nob, "no"),
    (Lang::Pol, "pl"),
    (Lang::Por, "pt"),
    (Lang::Ron, "ro"),
    (Lang::Rus, "ru"),
    (Lang::Srp, "sr"),
    (Lang::Swe, "sv"),
    (Lang::Tam, "ta"),
    (Lang::Tur, "tr"),
    (Lang::Ukr, "uk"),
];

static DETECTOR: LazyLock<Detector> =
    LazyLock::new(|| Detector::with_allowlist(DETECTABLE.iter().map(|(language, _)| *language).collect()));

/// The language of `text` as the ISO 639-1 code of an analyser, or `und` when the text is too short or
/// too mixed to tell.
///
/// Scripts of one language decide by themselves; where languages share a script, trigrams decide
/// (whatlang), and only if they are sure.
#[must_use]
pub fn detect_language(text: &str) -> &'static str {
    let sample = truncated(text, SAMPLE_BYTES);
    let scripts = ScriptCounts::of(sample);
    if let Some(code) = scripts.sole_language() {
        return code;
    }
    if scripts.alphabetic < MIN_LETTERS {
        return "und";
    }
    DETECTOR
        .detect(sample)
        .filter(whatlang::Info::is_reliable)
        .and_then(|info| DETECTABLE.iter().find(|(language, _)| *language == info.lang()))
        .map_or("und", |(_, code)| code)
}

/// Letters by script, as far as the script names the language.
#[derive(Default)]
struct ScriptCounts {
    alphabetic: usize,
    han: usize,
    kana: usize,
    hangul: usize,
    thai: usize,
    lao: usize,
    burmese: usize,
    khmer: usize,
}

impl ScriptCounts {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        for character in text.chars().filter(|character| character.is_alphabetic()) {
            let counter = match u32::from(character) {
                0x0E00..=0x0E7F => &mut counts.thai,
                0x0E80..=0x0EFF => &mut counts.lao,
                0x1000..=0x109F => &mut counts.burmese,
                0x1780..=0x17FF => &mut counts.khmer,
                0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F => &mut counts.kana,
                0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7FF => &mut counts.hangul,
                0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => &mut counts.han,
                _ => &mut counts.alphabetic,
            };
            *counter += 1;
        }
        counts
    }

    /// The language whose own script has at least a third of the letters: Latin names and program text
    /// between Thai sentences do not make them English. Japanese is told from Chinese by its kana.
    fn sole_language(&self) -> Option<&'static str> {
        let east = self.han + self.kana;
        let candidates = [
            (self.thai, "th"),
            (self.lao, "lo"),
            (self.burmese, "my"),
            (self.khmer, "km"),
            (self.hangul, "ko"),
            (east, if self.kana * 20 >= east { "ja" } else { "zh" }),
        ];
        let total = self.alphabetic + candidates.iter().map(|(count, _)| count).sum::<usize>();
        candidates
            .into_iter()
            .max_by_key(|(count, _)| *count)
            .filter(|(count, _)| *count > 0 && count * 3 >= total)
            .map(|(_, code)| code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_trigrams() {
        assert_eq!(
            detect_language("The refund is paid within fourteen days after the goods have been returned."),
            "en"
        );
        assert_eq!(
            detect_language(
                "Die Rückerstattung erfolgt innerhalb von vierzehn Tagen nach der Rücksendung der Ware."
            ),
            "de"
        );
        assert_eq!(detect_language("退款将在收到退货后十四天内支付。"), "zh");
        assert_eq!(detect_language("返金は返品の受領後14日以内に行われます。"), "ja");
        assert_eq!(detect_language("การคืนเงินจะดำเนินการภายในสิบสี่วัน"), "th");
        assert_eq!(detect_language("환불은 반품 수령 후 14일 이내에 지급됩니다."), "ko");
        assert_eq!(
            detect_language("Возврат денег производится в течение четырнадцати дней после получения товара."),
            "ru"
        );
    }

    #[test]
    fn too_little_is_undetermined() {
        assert_eq!(detect_language(""), "und");
        assert_eq!(detect_language("ERR_4021"), "und");
        assert_eq!(detect_language("1 2 3 4 5 6 7 8 9"), "und");
    }
}
