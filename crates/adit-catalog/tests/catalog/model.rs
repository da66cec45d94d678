use std::collections::{BTreeMap, HashMap};

use adit_catalog::{Catalog, CatalogError, CatalogView, ChunkSpan, NewVersion};
use adit_core::{AccessControl, ChunkId, DocumentId, MetadataValue, ReadScope, SequenceNumber, StateCounts};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::support::{TestCatalog, administrator, failed, test_catalog, version};

#[derive(Debug, Clone)]
enum Step {
    Commit { document: u8, lines: u8 },
    Fail { document: u8 },
    Remove { document: u8 },
    ChangeAccess { document: u8, seed: u64 },
    Purge { behind: u8 },
    OpenView,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let document = 0..6_u8;
    let step = prop_oneof![
        6 => (document.clone(), 0..5_u8).prop_map(|(document, lines)| Step::Commit { document, lines }),
        1 => document.clone().prop_map(|document| Step::Fail { document }),
        2 => document.clone().prop_map(|document| Step::Remove { document }),
        2 => (document, any::<u64>()).prop_map(|(document, seed)| Step::ChangeAccess { document, seed }),
        1 => (0..10_u8).prop_map(|behind| Step::Purge { behind }),
        1 => Just(Step::OpenView),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..60)
}

/// One living document of the model.
#[derive(Debug, Clone, PartialEq)]
struct ModelDocument {
    given: NewVersion,
    sequence: u64,
    number: u32,
    first_chunk: Option<u32>,
}

type State = HashMap<DocumentId, ModelDocument>;

/// The catalog at its plainest: the whole state after every change.
#[derive(Debug, Clone)]
struct Model {
    /// `history[sequence]`.
    history: Vec<State>,
    next_chunk: u32,
    purged_up_to: usize,
}

impl Model {
    fn change(&mut self, change: impl FnOnce(&mut State)) {
        let mut state = self.history.last().unwrap().clone();
        change(&mut state);
        self.history.push(state);
    }

    fn sequence(&self) -> usize {
        self.history.len() - 1
    }

    fn commit(&mut self, given: NewVersion) {
        let sequence = self.history.len() as u64;
        let count = given.chunks.len() as u32;
        let first_chunk = (count > 0).then_some(self.next_chunk);
        self.next_chunk += count;
        self.change(|state| {
            let number = state.get(&given.id).map_or(1, |old| old.number + 1);
            state.insert(given.id.clone(), ModelDocument { given, sequence, number, first_chunk });
        });
    }
}

/// Does one step in both, and compares what it returned.
fn apply(step: &Step, home: &mut TestCatalog, model: &mut Model, views: &mut Vec<(CatalogView, usize)>) {
    let source = |document: &u8| format!("{document}.md");
    let id = |document: &u8| version(&source(document), "").id;
    match step {
        Step::Commit { document, lines } => {
            let text: Vec<_> = (0..*lines).map(|line| format!("{} {line}", model.history.len())).collect();
            let given = version(&source(document), &text.join("\n"));
            let committed = home.commit(given.clone()).unwrap();
            let id = given.id.clone();
            model.commit(given);
            let expected = &model.history.last().unwrap()[&id];
            assert_eq!(committed.sequence.0, expected.sequence);
            assert_eq!(committed.version, expected.number);
            assert_eq!(committed.first_chunk, expected.first_chunk.map(ChunkId));
        }
        Step::Fail { document } => {
            home.commit(failed(&source(document))).unwrap();
            model.commit(failed(&source(document)));
        }
        Step::Remove { document } => {
            let removed = home.remove(&id(document)).unwrap();
            let existed = model.history.last().unwrap().contains_key(&id(document));
            if existed {
                model.change(|state| drop(state.remove(&id(document))));
            }
            assert_eq!(removed, existed.then(|| SequenceNumber(model.sequence() as u64)));
        }
        Step::ChangeAccess { document, seed } => {
            let access = adit_testkit::random_access(&mut StdRng::seed_from_u64(*seed), 3, 0.7);
            let metadata = BTreeMap::from([("seed".to_owned(), vec![MetadataValue::Text(seed.to_string())])]);
            let changed = home.update_access(&id(document), access.clone(), metadata.clone()).unwrap();
            let existed = model.history.last().unwrap().contains_key(&id(document));
            if existed {
                model.change(|state| {
                    let given = &mut state.get_mut(&id(document)).unwrap().given;
                    (given.access, given.metadata) = (access, metadata);
                });
            }
            assert_eq!(changed, existed.then(|| SequenceNumber(model.sequence() as u64)));
        }
        Step::Purge { behind } => {
            let up_to = model.sequence().saturating_sub(usize::from(*behind));
            home.purge_dead(SequenceNumber(up_to as u64)).unwrap();
            model.purged_up_to = model.purged_up_to.max(up_to);
        }
        Step::OpenView => views.push((home.view().unwrap(), model.purged_up_to)),
        Step::Reopen => home.catalog = Catalog::create_or_open(&home.path).unwrap(),
    }
}

/// Compares everything a view shows with the model's history.
fn check(view: &CatalogView, model: &Model, purged_up_to: usize) {
    let last = view.last_sequence().0 as usize;
    for (sequence, state) in model.history.iter().enumerate().take(last + 1) {
        let found = view.documents_at(SequenceNumber(sequence as u64));
        if sequence < purged_up_to {
            assert!(matches!(found, Err(CatalogError::Purged { .. })));
            continue;
        }
        let found = found.unwrap();
        let mut expected: Vec<_> = state.values().filter(|one| one.first_chunk.is_some()).collect();
        expected.sort_by_key(|one| one.first_chunk);
        assert_eq!(found.len(), expected.len(), "at {sequence}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(Some(found.first_chunk.0), expected.first_chunk);
            assert_eq!((&found.id, &found.access), (&expected.given.id, &expected.given.access));
            assert_eq!(found.metadata, expected.given.metadata);
            check_chunks(view, found.span(), &expected.given);
        }
    }
    check_newest(view, &model.history[last]);
    check_replay(view, model, last);
}

fn check_chunks(view: &CatalogView, span: ChunkSpan, given: &NewVersion) {
    let mut indexed = Vec::new();
    view.for_each_indexed_chunk(span, &mut |id, _, text| {
        indexed.push((id, text.to_owned()));
        Ok::<_, CatalogError>(())
    })
    .unwrap();
    let texts = given.chunks.iter().map(|chunk| chunk.indexed.clone());
    assert_eq!(indexed, span.ids().zip(texts).collect::<Vec<_>>());
    let mut vectors = Vec::new();
    view.for_each_vector(span, &mut |id, vector| vectors.push((id, vector.to_vec()))).unwrap();
    assert_eq!(vectors, span.ids().zip(given.vectors.iter().cloned()).collect::<Vec<_>>());
}

fn check_newest(view: &CatalogView, state: &State) {
    let everybody = administrator();
    let scope = ReadScope::Administrator(&everybody);
    let mut counts = StateCounts::default();
    state.values().for_each(|one| counts.add(&one.given.state));
    assert_eq!(view.state_counts(scope).unwrap(), counts);
    let records = view.documents(scope).unwrap();
    assert_eq!(records.len(), state.len());
    assert!(records.is_sorted_by_key(|record| record.source.clone()));
    for record in records {
        let expected = &state[&record.id];
        assert_eq!((record.version, record.sequence.0), (expected.number, expected.sequence));
        assert_eq!((&record.state, &record.access), (&expected.given.state, &expected.given.access));
        assert_eq!(view.document_text(&record.id, scope).unwrap().as_ref(), Some(&expected.given.text));
        let chunks = view.chunks_of(&record.id, scope).unwrap();
        assert_eq!(chunks.into_iter().map(|one| one.chunk).collect::<Vec<_>>(), expected.given.chunks);
    }
}

/// From whatever state an index was left at, the log leads to the chunks that live now, and never asks
/// for a text that is not there.
fn check_replay(view: &CatalogView, model: &Model, last: usize) {
    let living = |state: &State| -> Vec<u32> {
        let mut ids: Vec<_> = state
            .values()
            .filter_map(|one| one.first_chunk.map(|first| first..first + one.given.chunks.len() as u32))
            .flatten()
            .collect();
        ids.sort_unstable();
        ids
    };
    for after in 0..=last {
        let mut ids = living(&model.history[after]);
        let up_to = SequenceNumber(last as u64);
        for change in view.changes(SequenceNumber(after as u64), up_to).unwrap() {
            if let Some(born) = change.born {
                let mut texts = 0;
                view.for_each_vector(born, &mut |_, _| texts += 1).unwrap();
                assert_eq!(texts, born.count);
                ids.extend(born.ids().map(|id| id.0));
            }
            ids.retain(|id| !change.dead.is_some_and(|dead| dead.contains(ChunkId(*id))));
        }
        ids.sort_unstable();
        assert_eq!(ids, living(&model.history[last]), "replayed from {after}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn agrees_with_a_plain_history(steps in steps()) {
        let mut home = test_catalog();
        let mut model = Model { history: vec![State::new()], next_chunk: 1, purged_up_to: 0 };
        let mut views = Vec::new();
        for step in &steps {
            apply(step, &mut home, &mut model, &mut views);
        }
        for (view, purged_up_to) in &views {
            check(view, &model, *purged_up_to);
        }
        check(&home.view().unwrap(), &model, model.purged_up_to);
        home.verify().unwrap();
    }
}

#[test]
fn the_model_itself_tells_states_apart() {
    let mut model = Model { history: vec![State::new()], next_chunk: 1, purged_up_to: 0 };
    model.commit(version("a", "one"));
    let id = version("a", "").id;
    model.change(|state| state.get_mut(&id).unwrap().given.access = AccessControl::Only(vec![]));
    assert_ne!(model.history[1], model.history[2]);
    assert_eq!(model.history[0], State::new());
}
