use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes are looked at to tell UTF-16 from anything else.
const SAMPLE_BYTES: usize = 64 << 10;

/// Unicode encodings that a byte order mark or zero bytes give away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnicodeForm {
    Utf8,
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl UnicodeForm {
    /// The form and the length of its mark.
    pub(crate) fn from_byte_order_mark(bytes: &[u8]) -> Option<(Self, usize)> {
        // UTF-32LE begins like UTF-16LE and must be asked first.
        [
            (&b"\xff\xfe\0\0"[..], Self::Utf32Le),
            (b"\0\0\xfe\xff", Self::Utf32Be),
            (b"\xef\xbb\xbf", Self::Utf8),
            (b"\xff\xfe", Self::Utf16Le),
            (b"\xfe\xff", Self::Utf16Be),
        ]
        .into_iter()
        .find(|(mark, _)| bytes.starts_with(mark))
        .map(|(mark, form)| (form, mark.len()))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
        }
    }

    /// Decodes bytes without their mark; what is invalid becomes U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Utf8 => UTF_8.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Utf16Le => UTF_16LE.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Utf16Be => UTF_16BE.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Utf32Le => decode_utf_32(bytes, u32::from_le_bytes),
            Self::Utf32Be => decode_utf_32(bytes, u32::from_be_bytes),
        }
    }
}

fn decode_utf_32(bytes: &[u8], read: fn([u8; 4]) -> u32) -> String {
    let units = bytes.chunks(4).map(|unit| unit.try_into().ok().map(read));
    units.map(|unit| unit.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// UTF-16 without a mark, where the zero bytes of Latin letters, spaces and line ends all stand on one
/// side.
pub(crate) fn guess_unicode_form(bytes: &[u8]) -> Option<UnicodeForm> {
    let sample = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
    let pairs = sample.len() / 2;
    if pairs < 2 {
        return None;
    }
    let (mut even_zeros, mut odd_zeros) = (0, 0);
    for pair in sample.chunks_exact(2) {
        even_zeros += usize::from(pair.first() == Some(&0));
        odd_zeros += usize::from(pair.last() == Some(&0));
    }
    let (form, zeros, others) = if odd_zeros >= even_zeros {
        (UnicodeForm::Utf16Le, odd_zeros, even_zeros)
    } else {
        (UnicodeForm::Utf16Be, even_zeros, odd_zeros)
    };
    if zeros * 10 < pairs * 3 || others * 20 > zeros {
        return None;
    }
    // Binary records have zeros too; text has nearly no control characters or invalid pairs.
    let text = form.decode(sample);
    let characters = text.chars().count();
    let strange = text.chars().filter(|one| *one == '\u{fffd}' || is_strange_control(*one)).count();
    (strange * 50 <= characters).then_some(form)
}

/// Control characters that text files do not have.
pub(crate) fn is_strange_control(character: char) -> bool {
    character.is_control()
        && !matches!(
            character,
            '\t' | '\n' | '\r' | '\u{c}' | '\u{b}' | '\u{1b}' | '\u{8}' | '\u{80}'..='\u{9f}'
        )
}

/// Whether the bytes are UTF-8 with a few accidents: a legacy encoding does not form valid sequences of
/// several bytes twenty times as often as invalid ones.
pub(crate) fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|one| !one.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid > 0 && valid >= invalid.saturating_mul(20)
}

/// Counts runs that look like UTF-8 read as windows-1252: `Ã` or `Â` before a symbol from U+0080 to
/// U+00BF (or what windows-1252 shows for it), and `â€`.
pub(crate) fn suspected_mojibake(text: &str) -> u64 {
    let mut characters = text.chars().peekable();
    let mut count = 0;
    let mut in_run = false;
    while let Some(one) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let suspected = match one {
            'Ã' | 'Â' => {
                matches!(next, '\u{80}'..='\u{bf}' | 'Ÿ' | '€' | '™' | 'œ' | 'ž' | '„' | '–' | '—')
            }
            'â' => next == '€' || next == '\u{80}',
            _ => false,
        };
        if suspected && !in_run {
            count += 1;
        }
        in_run = suspected || (in_run && !one.is_ascii());
    }
    count
}
