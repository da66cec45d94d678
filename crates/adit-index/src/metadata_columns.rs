use std::collections::{BTreeMap, BTreeSet, HashMap};

use adit_core::{Condition, Filter, MetadataValue, Test};
use roaring::RoaringBitmap;

use crate::document_table::DocumentTable;

/// Positions of documents in the table, rising.
type Positions = Vec<u32>;

/// The metadata turned round: from a key's value to the documents that have it.
#[derive(Debug, Default)]
pub(crate) struct MetadataColumns {
    columns: BTreeMap<String, Column>,
}

/// The values of one key. Equality is by text without regard to case over all kinds; ranges go over
/// one kind in order, as [`Test::accepts`] has it.
#[derive(Debug, Default)]
struct Column {
    by_text: HashMap<String, Positions>,
    numbers: Vec<(MetadataValue, Positions)>,
    texts: Vec<(MetadataValue, Positions)>,
    bools: Vec<(MetadataValue, Positions)>,
}

impl MetadataColumns {
    pub(crate) fn new(table: &DocumentTable) -> Self {
        let mut builders = BTreeMap::<String, ColumnBuilder>::new();
        for (position, entry) in (0_u32..).zip(table.entries()) {
            for (key, values) in &entry.metadata {
                if !builders.contains_key(key) {
                    builders.insert(key.clone(), ColumnBuilder::default());
                }
                let Some(builder) = builders.get_mut(key) else { continue };
                values.iter().for_each(|value| builder.add(value, position));
            }
        }
        Self { columns: builders.into_iter().map(|(key, builder)| (key, builder.finish())).collect() }
    }

    /// The chunks of documents that satisfy every condition; `None` when nothing is asked.
    pub(crate) fn matching(&self, filter: &Filter, table: &DocumentTable) -> Option<RoaringBitmap> {
        let mut matching: Option<RoaringBitmap> = None;
        for condition in &filter.conditions {
            let chunks = table.chunks_of(&self.positions(condition));
            matching = Some(match matching {
                Some(before) => before & chunks,
                None => chunks,
            });
        }
        matching
    }

    fn positions(&self, condition: &Condition) -> Positions {
        let Some(column) = self.columns.get(&condition.key) else { return Positions::new() };
        let mut found = BTreeSet::new();
        match &condition.test {
            Test::AnyOf(wanted) => {
                for value in wanted {
                    found.extend(column.by_text.get(&folded(value)).into_iter().flatten());
                }
            }
            Test::Range { lower, upper } => {
                for values in [&column.numbers, &column.texts, &column.bools] {
                    // Values below the lower bound form a prefix of the order, those within the upper
                    // bound a prefix of the rest.
                    let test =
                        |value: &MetadataValue, lower, upper| Test::Range { lower, upper }.accepts(value);
                    let first = values.partition_point(|(value, _)| !test(value, lower.clone(), None));
                    let rest = values.iter().skip(first);
                    rest.take_while(|(value, _)| test(value, None, upper.clone()))
                        .for_each(|(_, positions)| found.extend(positions));
                }
            }
        }
        found.into_iter().collect()
    }
}

#[derive(Debug, Default)]
struct ColumnBuilder {
    by_text: HashMap<String, Positions>,
    values: Vec<(MetadataValue, u32)>,
}

impl ColumnBuilder {
    fn add(&mut self, value: &MetadataValue, position: u32) {
        let positions = self.by_text.entry(folded(value)).or_default();
        // One document may have the same value twice; its position then stands at the end.
        if positions.last() != Some(&position) {
            positions.push(position);
        }
        self.values.push((value.clone(), position));
    }

    fn finish(mut self) -> Column {
        // A number that is none has no order and matches no range.
        self.values.retain(|(value, _)| value.compare(value).is_some());
        self.values.sort_by(|(left, first), (right, second)| {
            kind(left)
                .cmp(&kind(right))
                .then(left.compare(right).unwrap_or(std::cmp::Ordering::Equal))
                .then(first.cmp(second))
        });
        let mut column = Column { by_text: self.by_text, ..Column::default() };
        for (value, position) in self.values {
            let values = match value {
                MetadataValue::Bool(_) => &mut column.bools,
                MetadataValue::Number(_) => &mut column.numbers,
                MetadataValue::Text(_) => &mut column.texts,
            };
            match values.last_mut() {
                Some((last, positions)) if *last == value => positions.push(position),
                _ => values.push((value, vec![position])),
            }
        }
        column
    }
}

fn kind(value: &MetadataValue) -> u8 {
    match value {
        MetadataValue::Bool(_) => 0,
        MetadataValue::Number(_) => 1,
        MetadataValue::Text(_) => 2,
    }
}

/// The form in which [`MetadataValue::same_as`] compares.
fn folded(value: &MetadataValue) -> String {
    value.to_text().to_lowercase()
}
