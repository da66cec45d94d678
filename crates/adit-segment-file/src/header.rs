const SEAL_BYTES: usize = 4;

/// Fills a header's `bytes` with zeros up to `header_bytes` less four, and ends it with its CRC-32, which is
/// returned as well.
#[must_use]
pub fn seal(mut bytes: Vec<u8>, header_bytes: usize) -> (Vec<u8>, u32) {
    bytes.resize(header_bytes.saturating_sub(SEAL_BYTES), 0);
    let crc32 = crc32fast::hash(&bytes);
    bytes.extend(crc32.to_le_bytes());
    (bytes, crc32)
}

/// The CRC-32 at the end of a header, if it fits what stands before it.
#[must_use]
pub fn sealed(header: &[u8]) -> Option<u32> {
    let (checked, stored) = header.split_last_chunk::<SEAL_BYTES>()?;
    let stored = u32::from_le_bytes(*stored);
    (crc32fast::hash(checked) == stored).then_some(stored)
}

/// Reads numbers one after the other; behind the end it reads zeros.
#[derive(Debug)]
pub struct NumberReader<'a> {
    rest: &'a [u8],
}

impl<'a> NumberReader<'a> {
    /// Begins at the first of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next `N` bytes as they are.
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.rest.split_first_chunk::<N>() {
            Some((bytes, rest)) => {
                self.rest = rest;
                *bytes
            }
            None => [0; N],
        }
    }

    /// The next four bytes as a number.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// The next eight bytes as a number.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_header_shows_every_change() {
        let (mut header, crc32) = seal(b"magic and numbers".to_vec(), 64);
        assert_eq!((header.len(), sealed(&header)), (64, Some(crc32)));
        for at in 0..header.len() {
            header[at] ^= 1;
            assert_eq!(sealed(&header), None, "byte {at}");
            header[at] ^= 1;
        }
        assert_eq!(sealed(&[1, 2, 3]), None);
    }

    #[test]
    fn numbers_are_read_in_order_and_behind_the_end_as_zeros() {
        let mut reader = NumberReader::new(&[1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9]);
        assert_eq!((reader.u32(), reader.u64(), reader.u32()), (1, 2, 0));
    }
}
