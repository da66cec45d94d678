/// `SplitMix64` (Steele, Lea and Flood 2014). The draws of a seed are part of what a saved report says, so
/// the generator stands here, where no dependency's new version can change it.
pub(super) struct RandomNumbers {
    state: u64,
}

impl RandomNumbers {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A whole number from 0 up to, but without, `end`; 0 when `end` is 0. The upper half of a long
    /// product is even to within `end` / 2^64.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_published_numbers() {
        let mut random = RandomNumbers::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_below_an_end_are_spread_evenly() {
        let mut random = RandomNumbers::new(7);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7)] += 1;
        }
        // Five standard deviations of a count are 463.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 463), "{counts:?}");
        assert_eq!(random.below(0), 0);
    }
}
