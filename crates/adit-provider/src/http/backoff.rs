use std::time::Duration;

/// The pause before the next try, with full jitter: anything between nothing and a bound that doubles with
/// every try (Brooker 2015, "Exponential Backoff and Jitter"), so that many callers do not come back together.
///
/// `failed` is the number of tries that failed, at least 1; `share` is random in 0 to 1. A pause that the
/// provider named is kept in full, and the jitter of the first step comes on top.
pub(super) fn pause(
    failed: u32,
    first: Duration,
    longest: Duration,
    named: Option<Duration>,
    share: f64,
) -> Duration {
    let share = share.clamp(0.0, 1.0);
    match named {
        Some(named) => named + first.min(longest).mul_f64(share),
        None => {
            let doubled = 2_u32.saturating_pow(failed.saturating_sub(1).min(20));
            first.saturating_mul(doubled).min(longest).mul_f64(share)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_doubles_up_to_the_longest() {
        let at = |failed, share| {
            pause(failed, Duration::from_millis(500), Duration::from_secs(3), None, share).as_millis()
        };
        assert_eq!(
            [at(1, 1.0), at(2, 1.0), at(3, 1.0), at(4, 1.0), at(99, 1.0)],
            [500, 1000, 2000, 3000, 3000]
        );
        assert_eq!([at(1, 0.0), at(3, 0.5)], [0, 1000]);
    }

    #[test]
    fn a_named_pause_is_never_cut_short() {
        let named = Duration::from_secs(20);
        for share in [0.0, 0.4, 1.0] {
            let pause = pause(3, Duration::from_millis(500), Duration::from_secs(60), Some(named), share);
            assert!(pause >= named && pause <= named + Duration::from_millis(500), "{pause:?}");
        }
    }
}
