/// The greatest quantised weight. x86 without VNNI adds two products of an unsigned and a signed
/// byte in 16 bits: 2 * 255 * 64 still fits, 2 * 255 * 127 saturates. Seven bits everywhere give
/// every machine the same vectors.
const GREATEST_WEIGHT: f32 = 64.0;

/// A weight matrix `[inputs, outputs]` in bytes, symmetric, one scale for each output channel:
/// `weight = value * scale[output]`.
pub(crate) struct QuantisedMatrix {
    /// Row-major `[inputs, outputs]`.
    pub(crate) values: Vec<i8>,
    /// `[outputs]`.
    pub(crate) scales: Vec<f32>,
    /// Sum of every output's dequantised weights, `[outputs]`.
    pub(crate) sums: Vec<f32>,
}

/// Quantises a row-major `[outputs, inputs]` matrix (the layout of PyTorch's `Linear`) and transposes it.
///
/// Per-channel symmetric weights of a reduced range are what ONNX Runtime's
/// `quantize_dynamic(per_channel=True, reduce_range=True)` makes.
pub(crate) fn quantise_linear(weight: &[f32], outputs: usize, inputs: usize) -> QuantisedMatrix {
    let mut values = vec![0_i8; outputs * inputs];
    let mut scales = Vec::with_capacity(outputs);
    let mut sums = Vec::with_capacity(outputs);
    for (output, row) in weight.chunks_exact(inputs.max(1)).take(outputs).enumerate() {
        let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / GREATEST_WEIGHT } else { 1.0 };
        scales.push(scale);
        let mut sum = 0_i32;
        for (value, target) in row.iter().zip(values.iter_mut().skip(output).step_by(outputs.max(1))) {
            *target = (value / scale).round().clamp(-GREATEST_WEIGHT, GREATEST_WEIGHT) as i8;
            sum += i32::from(*target);
        }
        sums.push(sum as f32 * scale);
    }
    QuantisedMatrix { values, scales, sums }
}

/// A row-major `[outputs, inputs]` matrix as `[inputs, outputs]`.
pub(crate) fn transpose(weight: &[f32], outputs: usize, inputs: usize) -> Vec<f32> {
    let mut values = vec![0.0_f32; outputs * inputs];
    for (output, row) in weight.chunks_exact(inputs.max(1)).take(outputs).enumerate() {
        for (value, target) in row.iter().zip(values.iter_mut().skip(output).step_by(outputs.max(1))) {
            *target = *value;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantised_values_are_within_half_a_step() {
        let weight = [0.5, -1.0, 0.25, 0.0, 0.0, 0.0, 3.0, 2.0, -0.1];
        let quantised = quantise_linear(&weight, 3, 3);
        for output in 0..3 {
            for input in 0..3 {
                let value = f32::from(quantised.values[input * 3 + output]) * quantised.scales[output];
                assert!((value - weight[output * 3 + input]).abs() <= quantised.scales[output] / 2.0 + 1e-7);
            }
            let sum: f32 = (0..3).map(|input| f32::from(quantised.values[input * 3 + output])).sum();
            assert_eq!(quantised.sums[output], sum * quantised.scales[output]);
        }
    }

    #[test]
    fn transposing_moves_rows_to_columns() {
        assert_eq!(transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
