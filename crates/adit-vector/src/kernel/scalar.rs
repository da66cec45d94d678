//! The plain definitions, for processors without the instructions and as the measure of the others.

pub(super) fn dot_int8(row: &[u8], query: &[i8]) -> i32 {
    row.iter().zip(query).map(|(row, query)| i32::from(*row) * i32::from(*query)).sum()
}

pub(super) fn dot_float32(left: &[f32], right: &[f32]) -> f32 {
    // Eight running sums: the compiler may vectorise these, one alone it must not.
    let mut sums = [0.0_f32; 8];
    let (left_blocks, left_rest) = left.as_chunks::<8>();
    let (right_blocks, right_rest) = right.as_chunks::<8>();
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    let shared_blocks = left_blocks.len().min(right_blocks.len());
    let rest: f32 = if left_blocks.len() == right_blocks.len() {
        left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum()
    } else {
        let skip = shared_blocks * 8;
        left.iter().zip(right).skip(skip).map(|(left, right)| left * right).sum()
    };
    sums.iter().sum::<f32>() + rest
}
