//! How amounts are rounded and printed.
//!
//! Money is an `f64` of US dollars. A double keeps 15 to 17 significant digits, so a sum over a million calls
//! is off by less than a millionth of a cent; amounts are rounded only where they are printed.

/// Rounds half up at `decimals` places, as prices are printed.
///
/// The product of exact decimals such as 7,200 · 5 / 10⁶ lands a hair below or above its decimal
/// value in binary; a relative nudge of 10⁻¹² puts halves back where a person computes them.
#[must_use]
pub fn round_half_up(value: f64, decimals: u32) -> f64 {
    let scale = 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
    let scaled = value * scale;
    let rounded = (scaled.abs() * (1.0 + 1e-12) + 0.5).floor();
    (rounded / scale).copysign(value)
}

/// `$0`, `under $0.00001`, `$0.01665`, `$12.30`, `$4,818`: digits where they mean something.
#[must_use]
pub fn format_usd(usd: f64) -> String {
    let sign = if usd < 0.0 { "-" } else { "" };
    let amount = usd.abs();
    if !amount.is_finite() {
        return format!("${usd}");
    }
    if amount == 0.0 {
        "$0".to_owned()
    } else if amount < 0.000_005 {
        "under $0.00001".to_owned()
    } else if amount < 1.0 {
        format!("{sign}${:.5}", round_half_up(amount, 5))
    } else if amount < 1000.0 {
        format!("{sign}${:.2}", round_half_up(amount, 2))
    } else {
        let whole = format!("{:.0}", round_half_up(amount, 0));
        format!("{sign}${}", with_separators(&whole))
    }
}

/// `1,606,000,000`.
#[must_use]
pub fn format_count(count: u64) -> String {
    with_separators(&count.to_string())
}

/// `28%`, `0.4%`, `under 0.1%`: whole percents, and one decimal below one percent.
#[must_use]
pub fn format_share(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.05 {
        return "under 0.1%".to_owned();
    }
    let decimals = if percent.abs() < 1.0 && percent != 0.0 { 1 } else { 0 };
    format!("{:.*}%", decimals, round_half_up(percent, u32::from(decimals == 1)))
}

fn with_separators(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_well() {
        for (usd, shown) in [
            (0.0, "$0"),
            (0.000_000_3, "under $0.00001"),
            (0.016_65, "$0.01665"),
            (0.999_999, "$1.00000"),
            (1.25, "$1.25"),
            (999.994, "$999.99"),
            (4818.0, "$4,818"),
            (1_234_567.5, "$1,234,568"),
            (-0.5, "-$0.50000"),
        ] {
            assert_eq!(format_usd(usd), shown);
        }
        assert_eq!(format_count(0), "0");
        assert_eq!(format_count(999), "999");
        assert_eq!(format_count(1_606_000_000), "1,606,000,000");
        assert_eq!(format_share(0.2768), "28%");
        assert_eq!(format_share(0.004), "0.4%");
        assert_eq!(format_share(0.000_1), "under 0.1%");
        assert_eq!(format_share(0.0), "0%");
    }

    #[test]
    fn decimal_halves_round_up_though_binary_lands_below_them() {
        assert_eq!(format!("{:.3}", round_half_up(0.0485, 3)), "0.049");
        assert_eq!(format!("{:.2}", round_half_up(1.005, 2)), "1.01");
        assert_eq!(round_half_up(2.4, 0), 2.0);
    }
}
