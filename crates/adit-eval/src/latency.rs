use std::time::Duration;

/// Wall times of single queries.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    sorted_ms: Vec<f64>,
}

impl Latencies {
    /// Takes the time of every query.
    #[must_use]
    pub fn new(times: &[Duration]) -> Self {
        let mut sorted_ms: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1000.0).collect();
        sorted_ms.sort_by(f64::total_cmp);
        Self { sorted_ms }
    }

    /// The nearest-rank percentile in milliseconds, `percent` from 0 to 100; 0 when there are no times.
    #[must_use]
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * self.sorted_ms.len() as f64).ceil() as usize;
        self.sorted_ms.get(rank.saturating_sub(1)).or(self.sorted_ms.last()).copied().unwrap_or(0.0)
    }

    /// Queries in one second, one after the other.
    #[must_use]
    pub fn queries_per_second(&self) -> f64 {
        let total_ms: f64 = self.sorted_ms.iter().sum();
        if total_ms == 0.0 { 0.0 } else { self.sorted_ms.len() as f64 * 1000.0 / total_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        let latencies = Latencies::new(&times);
        assert_eq!(latencies.percentile_ms(50.0), 50.0);
        assert_eq!(latencies.percentile_ms(99.0), 99.0);
        assert!((latencies.queries_per_second() - 100.0 * 1000.0 / 5050.0).abs() < 1e-9);
        assert_eq!(Latencies::default().percentile_ms(50.0), 0.0);
    }
}
