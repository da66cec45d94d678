use adit_core::{AccessControl, DocumentId, ReadScope};
use adit_testkit::{random_access, random_scope};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::support::{administrator, in_tenant, only, reader, test_catalog, version};

#[test]
fn what_may_not_be_read_looks_as_if_it_did_not_exist() {
    let catalog = test_catalog();
    let mut secret = in_tenant(version("pay.md", "salaries\nbonus"), "acme");
    secret.access = only(&["payroll"]);
    catalog.commit(secret.clone()).unwrap();
    let view = catalog.view().unwrap();
    let missing = DocumentId::from_stored("ffffffffffff");
    for stranger in [reader("acme", &[]), reader("acme", &["board"]), reader("globex", &["payroll"])] {
        let scope = ReadScope::Reader(&stranger);
        assert_eq!(view.document(&secret.id, scope).unwrap(), view.document(&missing, scope).unwrap());
        assert_eq!(
            view.document_text(&secret.id, scope).unwrap(),
            view.document_text(&missing, scope).unwrap()
        );
        assert_eq!(view.chunks_of(&secret.id, scope).unwrap(), view.chunks_of(&missing, scope).unwrap());
        assert_eq!(view.state_counts(scope).unwrap().total(), 0);
        let summary = view.grep("bonus", true, scope, 10, &mut |hit| panic!("{hit:?}")).unwrap();
        assert_eq!(summary.documents_searched, 0);
    }
    let payroll = reader("acme", &["payroll"]);
    let scope = ReadScope::Reader(&payroll);
    assert!(view.document(&secret.id, scope).unwrap().is_some());
    assert_eq!(view.chunks_of(&secret.id, scope).unwrap().len(), 2);
    assert_eq!(view.grep("bonus", true, scope, 10, &mut drop).unwrap().hits, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_read_obeys_every_scope(seed in any::<u64>()) {
        let random = &mut StdRng::seed_from_u64(seed);
        let catalog = test_catalog();
        let mut given = Vec::new();
        for number in 0..20 {
            let mut one = in_tenant(version(&format!("{number}.md"), "same words"), &format!("tenant-{}", number % 3));
            one.access = random_access(random, 4, 0.6);
            catalog.commit(one.clone()).unwrap();
            given.push(one);
        }
        for one in given.iter_mut().take(8) {
            one.access = random_access(random, 4, 0.6);
            catalog.update_access(&one.id, one.access.clone(), one.metadata.clone()).unwrap();
        }
        let view = catalog.view().unwrap();
        for _ in 0..30 {
            let scope = random_scope(random, 4, 4);
            let read = ReadScope::Reader(&scope);
            // The rule again, written the long way.
            let mut expected: Vec<_> = given.iter().filter(|one| {
                one.tenant == *scope.tenant() && match &one.access {
                    AccessControl::Tenant => true,
                    AccessControl::Only(list) => list.iter().any(|name| scope.principals().contains(name)),
                }
            }).map(|one| one.source.clone()).collect();
            expected.sort();
            let sources: Vec<_> = view.documents(read).unwrap().into_iter().map(|one| one.source).collect();
            prop_assert_eq!(&sources, &expected);
            prop_assert_eq!(view.state_counts(read).unwrap().searchable, expected.len() as u64);
            let mut found = Vec::new();
            view.grep("WORDS", true, read, 1000, &mut |hit| found.push(hit.source)).unwrap();
            prop_assert_eq!(&found, &expected);
            for one in &given {
                let may = expected.contains(&one.source);
                prop_assert_eq!(view.document(&one.id, read).unwrap().is_some(), may);
                prop_assert_eq!(view.document_text(&one.id, read).unwrap().is_some(), may);
                prop_assert_eq!(view.chunks_of(&one.id, read).unwrap().len(), usize::from(may));
            }
        }
        let everybody = administrator();
        prop_assert_eq!(view.documents(ReadScope::Administrator(&everybody)).unwrap().len(), given.len());
    }
}
