/// Most bins of a feature, so that a bin's number fits a byte.
const MOST_BINS: usize = 255;

/// One feature cut into bins: bin `b` holds the values up to and with `upper[b]` that are in no lower bin.
/// The last bin has no upper end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureBins {
    upper: Vec<f32>,
}

impl FeatureBins {
    /// One bin a distinct value where there are few enough, else bins of about equally many rows. Borders lie
    /// halfway between neighbouring values.
    pub(crate) fn new(mut values: Vec<f32>) -> Self {
        values.sort_unstable_by(f32::total_cmp);
        let rows = values.len();
        let mut distinct: Vec<(f32, usize)> = Vec::new();
        for value in values {
            match distinct.last_mut() {
                Some((last, count)) if *last == value => *count += 1,
                _ => distinct.push((value, 1)),
            }
        }
        let rows_a_bin = if distinct.len() <= MOST_BINS { 1 } else { rows.div_ceil(MOST_BINS) };
        let mut upper = Vec::new();
        let mut in_bin = 0;
        for (left, right) in distinct.iter().zip(distinct.iter().skip(1)) {
            in_bin += left.1;
            if in_bin >= rows_a_bin && upper.len() + 1 < MOST_BINS {
                upper.push(left.0 + (right.0 - left.0) / 2.0);
                in_bin = 0;
            }
        }
        Self { upper }
    }

    pub(crate) fn count(&self) -> usize {
        self.upper.len() + 1
    }

    pub(crate) fn bin_of(&self, value: f32) -> u8 {
        u8::try_from(self.upper.partition_point(|upper| *upper < value)).unwrap_or(u8::MAX)
    }

    /// The value that parts bins up to `bin` from those after it.
    pub(crate) fn threshold(&self, bin: usize) -> Option<f32> {
        self.upper.get(bin).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let bins = FeatureBins::new(vec![3.0, 1.0, 1.0, 2.0]);
        assert_eq!(bins.count(), 3);
        assert_eq!([1.0, 1.4, 1.6, 2.0, 3.0, 9.0].map(|value| bins.bin_of(value)), [0, 0, 1, 1, 2, 2]);
        assert_eq!(bins.threshold(0), Some(1.5));
        assert_eq!(bins.threshold(2), None);
        assert_eq!(FeatureBins::new(vec![5.0; 4]).count(), 1);
        assert_eq!(FeatureBins::new(Vec::new()).count(), 1);
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let bins = FeatureBins::new((0..10_000).map(|value| value as f32).collect());
        assert!(bins.count() <= MOST_BINS && bins.count() > 200);
        let mut counts = vec![0; bins.count()];
        (0..10_000).for_each(|value| counts[usize::from(bins.bin_of(value as f32))] += 1);
        assert!(counts.iter().all(|count| (1..=80).contains(count)), "{counts:?}");
    }
}
