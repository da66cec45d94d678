use rand::RngExt;
use rand::rngs::StdRng;

/// Words `w0`, `w1` ... with probability 1 / rank, as words of a natural language lie (Zipf 1949).
#[derive(Debug, Clone)]
pub struct ZipfWords {
    cumulative: Vec<f64>,
}

impl ZipfWords {
    /// A vocabulary of `count` words.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let mut sum = 0.0;
        let mut add = |rank: usize| {
            sum += 1.0 / rank as f64;
            sum
        };
        Self { cumulative: (1..=count).map(&mut add).collect() }
    }

    fn draw(&self, random: &mut StdRng) -> usize {
        let at = random.random::<f64>() * self.cumulative.last().copied().unwrap_or(0.0);
        self.cumulative.partition_point(|&sum| sum < at)
    }

    /// `count` words with a space between them.
    pub fn text(&self, count: usize, random: &mut StdRng) -> String {
        let words: Vec<String> = (0..count).map(|_| format!("w{}", self.draw(random))).collect();
        words.join(" ")
    }

    /// `count` different words, none of them among the `skipped` most frequent.
    pub fn query(&self, count: usize, skipped: usize, random: &mut StdRng) -> String {
        let mut ranks: Vec<usize> = Vec::new();
        while ranks.len() < count {
            let rank = self.draw(random);
            if rank >= skipped && !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        ranks.iter().map(|rank| format!("w{rank}")).collect::<Vec<_>>().join(" ")
    }
}
