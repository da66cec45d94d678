use crate::bench::Bench;

#[test]
fn a_document_with_a_list_is_invisible_without_the_principal_on_every_command() {
    let Some(bench) = Bench::with_examples() else { return };
    bench.run(&["index", "examples"]).expect_code(0);
    let secret = "examples/people/salary-bands.md";
    let question = "salary bands";
    assert!(!bench.found(&[question]).contains(&secret.to_owned()));
    assert!(bench.found(&[question, "--as", "payroll"]).contains(&secret.to_owned()));
    assert!(!bench.found(&[question, "--as", "payroll", "--tenant", "globex"]).contains(&secret.to_owned()));

    let listing = bench.run(&["--json", "status", "--documents"]).expect_code(0);
    assert!(!listing.stdout.contains("salary-bands") && !listing.stdout.contains("globex"), "{listing}");
    let all = bench.run(&["--json", "status", "--documents", "--all"]).expect_code(0);
    assert!(all.stdout.contains("salary-bands") && all.stdout.contains("globex"), "{all}");

    let explained = |path: &str| {
        let call = bench.run(&["--json", "explain", question, "--for", path]).expect_code(0);
        let told = call.json();
        [&told["target"], &told["chunks"], &told["notices"]]
            .map(|part| part.to_string().replace(path, "PATH"))
    };
    assert_eq!(
        explained(secret),
        explained("examples/people/no-such-file.md"),
        "a forbidden document must look exactly like one that does not exist"
    );
}

#[test]
fn sidecars_and_rules_give_rights_and_bad_ones_never_open_a_document() {
    let Some(bench) = Bench::with_model() else { return };
    bench.write("docs/side.txt", "the word sidecarword stands here");
    bench.write("docs/side.txt.adit.yaml", "acl: [hr]\nteam: people\n");
    bench.write("docs/ruled/rule.md", "---\nacl: [everyone]\n---\nthe word ruleword stands here\n");
    bench.write("docs/broken.md", "---\nacl: true\n---\nthe word brokenword stands here\n");
    bench.write("docs/invalid.md", "---\nacl: [hr\n---\nthe word invalidword stands here\n");
    bench.write(".adit/adit.toml", "[[access]]\npath = \"docs/ruled/**\"\nacl = [\"boss\"]\n");
    bench.run(&["index", "docs"]).expect_code(1);
    let cases: [(&str, &[&str], bool); 7] = [
        ("sidecarword", &[], false),
        ("sidecarword", &["--as", "hr"], true),
        ("sidecarword", &["--as", "hr", "--filter", "team=people"], true),
        ("ruleword", &["--as", "everyone"], false),
        ("ruleword", &["--as", "boss"], true),
        ("brokenword", &["--as", "true"], false),
        ("invalidword", &["--as", "hr"], false),
    ];
    for (word, more, seen) in cases {
        let mut arguments = vec![word, "--mode", "lexical"];
        arguments.extend(more);
        assert_eq!(!bench.found(&arguments).is_empty(), seen, "{word} {more:?}");
    }
}
