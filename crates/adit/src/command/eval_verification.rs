use std::collections::BTreeMap;

use adit_answer::{TermSource, VerificationInput, verify};
use adit_core::{Passage, ReadScope, Scope, TenantId};
use adit_eval::BeirSet;
use adit_retrieve::{passage_of, sentence_ranges};
use serde::Serialize;

use super::changed_sentences::{Change, changed};
use crate::arguments::EvalBeirArguments;
use crate::beir_home::{BeirHome, open_beir_home};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Support that a claim needs, as `adit ask` asks for.
const LEAST_SUPPORT: f32 = 0.5;

/// What `eval verification --json` prints: for each change, of how many claims which share was flagged.
#[derive(Debug, Default, Serialize)]
struct Flagged {
    set: String,
    changes: BTreeMap<&'static str, Share>,
}

#[derive(Debug, Default, Serialize)]
struct Share {
    claims: usize,
    flagged: usize,
}

pub(super) fn run(arguments: &EvalBeirArguments, output: Output) -> Result<Exit, Failure> {
    let set = BeirSet::open(&arguments.folder)?;
    let home = open_beir_home(&set, arguments)?;
    let passages = passages(&home)?;
    let mut result = Flagged {
        set: arguments.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        ..Flagged::default()
    };
    let terms = TermSource::of(&home.retriever);
    for (place, passage) in passages.iter().enumerate() {
        // Names and citations for the changes are borrowed from a passage of another document.
        let other =
            passages.iter().cycle().skip(place + 7).find(|other| other.id.document != passage.id.document);
        let Some(other) = other.filter(|_| passages.len() > 1) else { continue };
        // One sentence of each passage, another one each time: neighbours say much the same.
        let ranges = sentence_ranges(&passage.text);
        let at = place % ranges.len().max(1);
        let Some(sentence) = ranges.get(at).and_then(|range| range.slice(&passage.text)) else { continue };
        if sentence.split_whitespace().count() < 6 {
            continue;
        }
        for (change, claim) in changed(sentence, &other.text) {
            let cited = if change == Change::OtherPassage { &other.id } else { &passage.id };
            let shown = [passage.clone(), other.clone()];
            let answer = format!("{} [doc:{cited}]", claim.split_whitespace().collect::<Vec<_>>().join(" "));
            let verification = verify(&VerificationInput {
                answer: &answer,
                shown: &shown,
                terms,
                may_cite: &|_| None,
                exists: &|_| true,
                judge: None,
                least_support: LEAST_SUPPORT,
                is_cut_off: false,
            });
            let share = result.changes.entry(change.name()).or_default();
            share.claims += 1;
            let is_flagged = verification.claims.iter().any(|claim| !claim.is_supported);
            share.flagged += usize::from(is_flagged);
            if is_flagged != change.is_false() {
                tracing::info!(change = change.name(), %answer, ?verification.claims, "missed");
            }
        }
    }
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

fn passages(home: &BeirHome) -> Result<Vec<Passage>, Failure> {
    let scope = Scope::new(TenantId::default_tenant(), []);
    let view = home.retriever.catalog().view()?;
    let mut passages = Vec::new();
    for document in view.documents(ReadScope::Reader(&scope))? {
        passages.extend(view.chunks_of(&document.id, ReadScope::Reader(&scope))?.into_iter().map(passage_of));
    }
    Ok(passages)
}

fn describe(flagged: &Flagged) -> String {
    let mut text = format!("{}\n", flagged.set);
    for (change, share) in &flagged.changes {
        let part = share.flagged as f64 / share.claims.max(1) as f64;
        text += &format!("  {change:<28} {:>5} claims, {part:.3} flagged\n", share.claims);
    }
    text
}
