use crate::compound::{size_at, u32_at};

/// What the dictionary holds at the start ([MS-OXRTFCP] 2.1.2.1): words that are in every such text.
const FIRST_WORDS: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \
\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const DICTIONARY_BYTES: usize = 4096;
const COMPRESSED: u32 = 0x7546_5a4c;
const UNCOMPRESSED: u32 = 0x414c_454d;
/// Two bytes of a reference give at most 17.
const MAX_RATIO: usize = 17;

/// Unpacks rich text as messages hold it ([MS-OXRTFCP]); `None` if it is broken. A text that is cut off
/// gives what is there.
pub(crate) fn decompress(bytes: &[u8]) -> Option<Vec<u8>> {
    let content = bytes.get(16..)?;
    match u32_at(bytes, 8)? {
        UNCOMPRESSED => Some(content.to_vec()),
        COMPRESSED => Some(unpack(content, size_at(bytes, 4)?)),
        _ => None,
    }
}

fn unpack(mut content: &[u8], size_bytes: usize) -> Vec<u8> {
    let most = size_bytes.min(content.len().saturating_mul(MAX_RATIO));
    let mut output = Vec::new();
    let mut dictionary = [b' '; DICTIONARY_BYTES];
    for (place, byte) in dictionary.iter_mut().zip(FIRST_WORDS) {
        *place = *byte;
    }
    let mut at = FIRST_WORDS.len();
    let mut put = |byte: u8, output: &mut Vec<u8>, dictionary: &mut [u8; DICTIONARY_BYTES]| {
        output.push(byte);
        if let Some(place) = dictionary.get_mut(at) {
            *place = byte;
        }
        at = (at + 1) % DICTIONARY_BYTES;
        at
    };
    let mut end = FIRST_WORDS.len();
    while let [control, rest @ ..] = content {
        content = rest;
        for bit in 0..8 {
            if output.len() >= most {
                return output;
            }
            if control & (1 << bit) == 0 {
                let [byte, rest @ ..] = content else { return output };
                content = rest;
                end = put(*byte, &mut output, &mut dictionary);
                continue;
            }
            let [high, low, rest @ ..] = content else { return output };
            content = rest;
            let reference = usize::from(u16::from_be_bytes([*high, *low]));
            let (offset, length) = (reference >> 4, (reference & 0xf) + 2);
            // A reference to the place that is written next ends the text.
            if offset == end {
                return output;
            }
            for step in 0..length {
                let byte = dictionary.get((offset + step) % DICTIONARY_BYTES).copied().unwrap_or(b' ');
                end = put(byte, &mut output, &mut dictionary);
            }
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_specification_unpack() {
        // [MS-OXRTFCP] 4.1.1 and 4.1.2.
        let example = [
            0x2d, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7,
            0x03, 0x00, 0x0a, 0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20,
            0x68, 0x65, 0x6c, 0x09, 0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f,
            0xa0,
        ];
        assert_eq!(decompress(&example).unwrap(), b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        let repeated = [
            0x1a, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51,
            0x41, 0x00, 0x04, 0x20, 0x57, 0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 0x01, 0x0e, 0xb0,
        ];
        assert_eq!(decompress(&repeated).unwrap(), b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
    }

    #[test]
    fn broken_texts_end() {
        assert_eq!(decompress(b"short"), None);
        let mut endless = vec![0xff; 5000];
        endless[4..12].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f, 0x4c, 0x5a, 0x46, 0x75]);
        assert!(decompress(&endless).unwrap().len() <= 5000 * MAX_RATIO);
    }
}
