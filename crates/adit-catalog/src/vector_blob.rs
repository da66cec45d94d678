use crate::CatalogError;

/// Little-endian float32 values, one after the other.
pub(crate) fn encode(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Decodes into `vector`, reusing its memory.
pub(crate) fn decode_into(blob: &[u8], vector: &mut Vec<f32>) -> Result<(), CatalogError> {
    let (values, rest) = blob.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(CatalogError::unreadable("vector", format!("{} bytes", blob.len())));
    }
    vector.clear();
    vector.extend(values.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    Ok(())
}

/// Checks a vector that is to be stored: its length, and that every value is a number.
pub(crate) fn check(index: usize, vector: &[f32], dimension: usize) -> Result<(), CatalogError> {
    if vector.len() != dimension {
        let detail = format!("it has {} dimensions, the fingerprint says {dimension}", vector.len());
        return Err(CatalogError::Vector { index, detail });
    }
    if let Some(at) = vector.iter().position(|value| !value.is_finite()) {
        return Err(CatalogError::Vector { index, detail: format!("value {at} is not a finite number") });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_encoding_bit_by_bit() {
        let vector = [0.0, -0.0, 1.5, f32::MIN_POSITIVE, f32::MAX, -1e-30];
        let mut decoded = vec![9.0];
        decode_into(&encode(&vector), &mut decoded).unwrap();
        assert_eq!(
            vector.map(f32::to_bits).as_slice(),
            decoded.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        );
        assert_eq!(encode(&[1.0]), [0, 0, 0x80, 0x3f]);
    }

    #[test]
    fn refuses_what_is_no_vector_of_the_index() {
        assert!(decode_into(&[1, 2, 3], &mut Vec::new()).is_err());
        assert!(check(0, &[1.0, 2.0], 3).is_err());
        assert!(check(0, &[1.0, f32::NAN], 2).is_err());
        assert!(check(0, &[1.0, 2.0], 2).is_ok());
    }
}
