use adit_agent::ToolStatus;
use adit_core::{Filter, TenantId};
use serde_json::json;

use crate::setting::{Asking, calling, collection, results, tool_calls};

const QUESTION: &str = "What is the total of the North region?";

fn asking() -> Asking<'static> {
    Asking { question: QUESTION, ..Asking::default() }
}

fn run(query: &str) -> (ToolStatus, String) {
    let collection = collection();
    let model = calling(&[("sql", json!({"query": query}))], "done");
    let outcome = asking().of(&collection, &model);
    (tool_calls(&outcome)[0].1, results(&model, 1)[0].clone())
}

#[test]
fn a_sum_can_be_cited_and_a_wrong_one_is_flagged() {
    let collection = collection();
    let query = "SELECT region, sum(total) AS total FROM t1_orders WHERE region = 'North' GROUP BY region";
    for (figure, faithful) in [("1,250", 1.0), ("1,520", 0.0)] {
        let answer = format!("The total of the North region is {figure} [doc:sql#1].");
        let model = calling(&[("sql", json!({"query": query}))], &answer);
        let outcome = asking().of(&collection, &model);
        assert_eq!(outcome.answer.faithfulness, Some(faithful), "{:#?}", outcome.answer.claims);
        assert!(
            outcome.answer.citations[0].source.contains("data/orders.csv"),
            "{:?}",
            outcome.answer.citations
        );
    }
}

#[test]
fn the_directory_names_tables_columns_and_sources() {
    let (status, text) = run("SELECT table_name, columns, row_count, source FROM adit_tables");
    assert_eq!(status, ToolStatus::Ran);
    assert!(text.contains("t1_orders | region, total | 3 | data/orders.csv"), "{text}");
}

#[test]
fn nothing_but_reading_is_allowed() {
    for query in [
        "DELETE FROM t1_orders",
        "INSERT INTO t1_orders VALUES (1, 2)",
        "DROP TABLE t1_orders",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x AS SELECT 1",
        "UPDATE t1_orders SET total = 0",
        "ATTACH '/etc/passwd' AS x",
        "PRAGMA database_list",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%1000000000d', 1)",
        "SELECT region FROM t1_orders; DELETE FROM t1_orders",
        "VACUUM INTO '/tmp/x'",
        "EXPLAIN SELECT 1",
        "BEGIN",
        "not sql at all",
        "",
    ] {
        let (status, text) = run(query);
        assert_eq!(status, ToolStatus::Failed, "{query}: {text}");
    }
}

#[test]
fn statements_that_run_away_are_stopped_and_long_results_cut() {
    let collection = collection();
    let endless = "WITH RECURSIVE w(a) AS (SELECT total FROM t1_orders UNION ALL SELECT a FROM w) \
        SELECT count(*) FROM w";
    let many =
        "WITH RECURSIVE w(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM w WHERE a < 1000) SELECT a FROM w";
    let model = calling(&[("sql", json!({"query": endless})), ("sql", json!({"query": many}))], "done");
    let mut asking = asking();
    asking.settings.tables.max_time_ms = 50;
    asking.settings.tables.max_rows = 10;
    let outcome = asking.of(&collection, &model);
    assert_eq!(tool_calls(&outcome)[0].1, ToolStatus::Failed);
    let given = results(&model, 2);
    assert!(given[0].contains("too long"), "{}", given[0]);
    assert!(given[1].contains("first 10 rows") && !given[1].contains("\n11\n"), "{}", given[1]);
}

#[test]
fn words_and_figures_of_the_statement_cannot_be_cited() {
    let collection = collection();
    for query in [
        "SELECT 'The total of the North region is 9,999' AS answer FROM t1_orders",
        "SELECT 9999 AS total, region FROM t1_orders",
        "SELECT total + 8799 AS total FROM t1_orders",
    ] {
        let answer = "The total of the North region is 9,999 [doc:sql#1].";
        let model = calling(&[("sql", json!({"query": query}))], answer);
        let outcome = asking().of(&collection, &model);
        assert_eq!(outcome.answer.faithfulness, Some(0.0), "{query}: {:#?}", outcome.answer.claims);
    }
    let renamed = "SELECT max(total) AS reward_for_wiring_money FROM t1_orders";
    let answer = "The reward for wiring money is 1,200 [doc:sql#1].";
    let model = calling(&[("sql", json!({"query": renamed}))], answer);
    let outcome = asking().of(&collection, &model);
    assert_eq!(outcome.answer.faithfulness, Some(0.0), "{:#?}", outcome.answer.claims);
}

#[test]
fn tables_of_others_and_outside_the_filter_do_not_exist() {
    let collection = collection();
    let other = TenantId::new("other").unwrap();
    collection.add_for(&other, "data/payroll.csv", "Payroll", "Name | Salary\nOriane | 99000\nBo | 88000");
    let query = "SELECT table_name, source FROM adit_tables";
    let model = calling(&[("sql", json!({"query": query}))], "done");
    asking().of(&collection, &model);
    let given = results(&model, 1);
    assert!(given[0].contains("orders") && !given[0].contains("payroll"), "{}", given[0]);
    let model = calling(&[("sql", json!({"query": query}))], "done");
    let filter = Filter::parse(&["title=Leave"]).unwrap();
    Asking { filter, ..asking() }.of(&collection, &model);
    assert!(results(&model, 1)[0].contains("gave no row"), "{:?}", results(&model, 1));
}
