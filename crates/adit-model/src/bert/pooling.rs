use std::path::Path;

use serde::Deserialize;

use super::config::read_bounded;
use crate::ModelError;

/// How token states become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// The mean over all tokens (Reimers and Gurevych, 2019).
    Mean,
    /// The state of the first token.
    Cls,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

impl Pooling {
    /// What `1_Pooling/config.json` of `folder` says; mean when there is no such file.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let bytes = match read_bounded(folder, "1_Pooling/config.json") {
            Ok(bytes) => bytes,
            Err(ModelError::MissingFile { .. }) => return Ok(Self::Mean),
            Err(error) => return Err(error),
        };
        let config: PoolingConfig = serde_json::from_slice(&bytes)
            .map_err(|error| ModelError::unsupported(format!("1_Pooling/config.json: {error}")))?;
        match (config.pooling_mode_mean_tokens, config.pooling_mode_cls_token) {
            (true, false) => Ok(Self::Mean),
            (false, true) => Ok(Self::Cls),
            _ => Err(ModelError::unsupported("pooling is neither `mean` nor `cls` alone")),
        }
    }

    /// `mean` or `cls`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
        }
    }

    /// One vector of length 1 from the token states `[tokens, dimension]` of one text.
    pub(crate) fn pool(self, states: &[f32], dimension: usize) -> Vec<f32> {
        let mut vector = vec![0.0_f32; dimension];
        let rows = states.chunks_exact(dimension.max(1));
        // The scale of the mean does not matter: the vector is normalised next.
        let used_rows = if self == Self::Cls { 1 } else { usize::MAX };
        for row in rows.take(used_rows) {
            for (sum, value) in vector.iter_mut().zip(row) {
                *sum += value;
            }
        }
        normalise(&mut vector);
        vector
    }
}

/// Scales to length 1; zeros stay.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value = (f64::from(*value) / length) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_cls_pool_to_length_one() {
        let states = [3.0, 0.0, 0.0, 4.0];
        let mean = Pooling::Mean.pool(&states, 2);
        assert!((mean[0] - 0.6).abs() < 1e-6 && (mean[1] - 0.8).abs() < 1e-6);
        assert_eq!(Pooling::Cls.pool(&states, 2), [1.0, 0.0]);
    }

    #[test]
    fn a_zero_state_stays_zero() {
        assert_eq!(Pooling::Mean.pool(&[0.0, 0.0], 2), [0.0, 0.0]);
    }
}
