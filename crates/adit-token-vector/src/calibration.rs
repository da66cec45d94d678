//! The mean token vector of a model, from a fixed text.

use adit_core::{Embedder, TokenEmbedder};

use crate::TokenVectorError;
use crate::make::{CodeBits, TokenCodeMake};

/// Our own sentences on many subjects, as questions and as statements. Their words hardly matter: what all
/// token vectors of a model share is what the mean takes off. Changed texts make another mean, so these must
/// stay as they are.
const TEXTS: &[&str] = &[
    "The contract ends on the last day of the quarter unless either side gives notice four weeks before.",
    "How many days of leave does a new employee have in the first year?",
    "Restart the service after the configuration has changed; the log then shows the number of workers.",
    "The river rose two metres overnight and flooded the lower town, so the bridge was closed to traffic.",
    "Patients who received the vaccine had fewer infections than those in the control group.",
    "fn parse(input: &str) -> Result<Vec<Token>, Error> { let mut tokens = Vec::new(); }",
    "Which city was the capital before the war, and who moved the government?",
    "Revenue grew by 12.5 percent to 3.4 million, while the cost of energy fell for the third year.",
    "She wrote her first novel in a kitchen in Lisbon, by hand, between two jobs.",
    "Error 4021: the certificate has expired. Renew it and upload the new file under Settings, Security.",
    "The protein binds to the receptor on the surface of the cell and blocks the signal.",
    "What is the difference between the standard plan and the business plan?",
    "The committee voted seven to two in favour of the new building, but the mayor refused to sign.",
    "Press the green button for three seconds until the light blinks, then pair the device again.",
    "The band released its second album in 1994; the lead singer left soon after the tour.",
    "A table with three columns lists the parts, their weight in grams and their price.",
];

/// A make for `embedder`, whose description `name` stands for, with the mean over the fixed text.
///
/// # Errors
/// [`TokenVectorError::Make`] when the model gives no token vectors or cannot read the texts.
pub fn calibrated_make(
    embedder: &dyn Embedder,
    name: &str,
    bits: CodeBits,
    pooling: u32,
) -> Result<TokenCodeMake, TokenVectorError> {
    let refused = |detail: String| TokenVectorError::Make { detail };
    let tokens: &dyn TokenEmbedder = embedder
        .token_embedder()
        .ok_or_else(|| refused(format!("{} gives no token vectors", embedder.description().model)))?;
    let dimension = embedder.description().dimension;
    let embedded = tokens.embed_documents_with_tokens(TEXTS).map_err(|error| refused(error.to_string()))?;
    let mut sums = vec![0.0_f64; dimension];
    let mut count = 0_u32;
    for text in &embedded {
        for row in text.token_vectors.chunks_exact(dimension.max(1)) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
            count += 1;
        }
    }
    let mean = sums.iter().map(|sum| (sum / f64::from(count.max(1))) as f32).collect();
    let make = TokenCodeMake { embedder: name.to_owned(), bits, pooling, mean };
    make.check()?;
    Ok(make)
}
