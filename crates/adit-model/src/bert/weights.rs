use std::path::Path;

use memmap2::Mmap;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::ModelError;

/// Where checkpoints of the families keep their encoder.
const PREFIXES: [&str; 4] = ["", "bert.", "roberta.", "model."];
/// The tensor that every encoder has, by its names.
const WORD_TABLES: [&str; 2] = ["embeddings.word_embeddings.weight", "embeddings.tok_embeddings.weight"];

/// The memory-mapped `model.safetensors` of a model folder.
pub(crate) struct WeightFile {
    bytes: Mmap,
}

impl WeightFile {
    /// Maps `model.safetensors` of `folder`.
    pub(crate) fn open(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("model.safetensors");
        if !path.is_file() {
            return Err(ModelError::MissingFile {
                folder: folder.to_owned(),
                file: "model.safetensors".to_owned(),
            });
        }
        let file = fs_err::File::open(&path)?;
        // SAFETY: the file lies in the model cache or a folder the user named; nothing in this
        // program writes to a published model file, it is only ever replaced by a rename.
        let bytes = unsafe { Mmap::map(file.file()) }?;
        Ok(Self { bytes })
    }

    /// The tensors in it.
    pub(crate) fn tensors(&self) -> Result<Weights<'_>, ModelError> {
        let tensors = SafeTensors::deserialize(&self.bytes)
            .map_err(|error| ModelError::unsupported(format!("model.safetensors: {error}")))?;
        // Checkpoints of a model with a head keep the encoder under a prefix.
        let is_there = |prefix: &str| {
            WORD_TABLES.iter().any(|table| tensors.tensor(&format!("{prefix}{table}")).is_ok())
        };
        let prefix = PREFIXES.into_iter().find(|prefix| is_there(prefix)).unwrap_or("bert.");
        Ok(Weights { tensors, prefix })
    }
}

/// Named tensors, read as float32.
pub(crate) struct Weights<'a> {
    tensors: SafeTensors<'a>,
    prefix: &'static str,
}

impl Weights<'_> {
    /// Values of the encoder's tensor `name`, which must have `shape`, in row-major order.
    pub(crate) fn read(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        self.read_of_head(&format!("{}{name}", self.prefix), shape)
    }

    /// First dimension of a tensor of the head.
    pub(crate) fn rows_of_head(&self, full_name: &str) -> Result<usize, ModelError> {
        let view = self.view(full_name)?;
        view.shape()
            .first()
            .copied()
            .ok_or_else(|| ModelError::unsupported(format!("tensor `{full_name}` is a scalar")))
    }

    fn view(&self, full_name: &str) -> Result<TensorView<'_>, ModelError> {
        self.tensors
            .tensor(full_name)
            .map_err(|error| ModelError::unsupported(format!("tensor `{full_name}`: {error}")))
    }

    /// As [`Weights::read`] for a tensor of the head, which stands under no prefix.
    pub(crate) fn read_of_head(&self, full_name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let view = self.view(full_name)?;
        if view.shape() != shape {
            return Err(ModelError::unsupported(format!(
                "tensor `{full_name}` has shape {:?}, not {shape:?}",
                view.shape()
            )));
        }
        let data = view.data();
        match view.dtype() {
            Dtype::F32 => {
                Ok(data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
            }
            Dtype::BF16 => Ok(halves(data).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect()),
            Dtype::F16 => Ok(halves(data).map(float_from_half).collect()),
            other => Err(ModelError::unsupported(format!("tensor `{full_name}` has type {other:?}"))),
        }
    }
}

fn halves(data: &[u8]) -> impl Iterator<Item = u16> {
    data.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

/// IEEE 754 binary16 to binary32.
fn float_from_half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_convert_as_ieee_754_says() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(float_from_half(bits), value);
        }
        assert!(float_from_half(0x7e00).is_nan());
    }
}
