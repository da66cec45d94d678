use super::LabelledScore;

/// Points of the isotonic regression of relevance on the score: the rising function with the least squared
/// error, found by pooling adjacent violators (Ayer et al. 1955; Zadrozny and Elkan 2002 for calibration).
/// Between the points it is linear. Scores rise; values do not fall.
pub fn isotonic_regression(data: &[LabelledScore]) -> Vec<(f64, f64)> {
    let blocks = pooled(&means_by_score(data));
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(blocks.len() * 2);
    for block in blocks {
        points.push((block.first, block.mean));
        if block.last > block.first {
            points.push((block.last, block.mean));
        }
    }
    points
}

/// Neighbouring scores with one value.
#[derive(Debug, Clone, Copy)]
struct Block {
    first: f64,
    last: f64,
    mean: f64,
    weight: f64,
}

/// One block for each score, rising: equal scores cannot have two values.
fn means_by_score(data: &[LabelledScore]) -> Vec<Block> {
    let mut sorted: Vec<(f64, f64)> = data.iter().map(|one| (one.score, one.value())).collect();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let blocks = sorted.chunk_by(|left, right| left.0 == right.0).filter_map(|equal| {
        let (score, _) = equal.first()?;
        let weight = equal.len() as f64;
        let mean = equal.iter().map(|(_, value)| value).sum::<f64>() / weight;
        Some(Block { first: *score, last: *score, mean, weight })
    });
    blocks.collect()
}

fn pooled(blocks: &[Block]) -> Vec<Block> {
    let mut result: Vec<Block> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let mut block = *block;
        // Equal values are one block as well: the line between them is flat anyway.
        while let Some(before) = result.pop_if(|before| before.mean >= block.mean) {
            let weight = before.weight + block.weight;
            let mean = (before.mean * before.weight + block.mean * block.weight) / weight;
            block = Block { first: before.first, last: block.last, mean, weight };
        }
        result.push(block);
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(pairs: &[(f64, bool)]) -> Vec<LabelledScore> {
        pairs
            .iter()
            .map(|(score, is_relevant)| LabelledScore {
                question: 0,
                score: *score,
                is_relevant: *is_relevant,
            })
            .collect()
    }

    #[test]
    fn violators_are_pooled() {
        let points =
            isotonic_regression(&data(&[(1.0, false), (2.0, true), (3.0, false), (4.0, true), (4.0, true)]));
        assert_eq!(points, [(1.0, 0.0), (2.0, 0.5), (3.0, 0.5), (4.0, 1.0)]);
        assert!(isotonic_regression(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn values_never_fall_and_keep_the_mean(pairs in prop::collection::vec((0_u8..20, any::<bool>()), 1..60)) {
            let pairs: Vec<(f64, bool)> = pairs.into_iter().map(|(score, is)| (f64::from(score), is)).collect();
            let points = isotonic_regression(&data(&pairs));
            prop_assert!(points.is_sorted_by(|left, right| left.0 < right.0 && left.1 <= right.1));
            // Least squares with free blocks: what is predicted adds up to what was seen.
            let value = |score: f64| {
                points.iter().rfind(|point| point.0 <= score).unwrap().1
            };
            let predicted: f64 = pairs.iter().map(|(score, _)| value(*score)).sum();
            let seen = pairs.iter().filter(|(_, is)| *is).count() as f64;
            prop_assert!((predicted - seen).abs() < 1e-9, "{} {}", predicted, seen);
        }
    }
}
