//! Random readers at the MCP server: nothing outside their scope may come back from any tool.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use adit_core::{AccessControl, Scope, TenantId};
use adit_testkit::{random_access, random_scope};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::bench::Bench;

const DOCUMENTS: usize = 60;
const SCOPES: usize = 10;
const CALLS_OF_A_SCOPE: usize = 50;
const TENANTS: usize = 2;
const PRINCIPALS: usize = 4;

/// One document whose text has a word that nobody searches for.
struct Guarded {
    tenant: TenantId,
    access: AccessControl,
    secret: String,
}

/// A client that speaks to `adit mcp` line by line.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Client {
    fn start(bench: &Bench, scope: &Scope) -> Self {
        let mut command = bench.command(&["mcp", "--tenant", scope.tenant().as_str()]);
        for principal in scope.principals() {
            command.args(["--as", &principal.0]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("adit starts");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, input, output, calls: 0 };
        let started = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        client.ask("initialize", &started);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> String {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended at {method}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == json!(id) {
                return answer.to_string();
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_documents(bench: &Bench, random: &mut StdRng) -> Vec<Guarded> {
    (0..DOCUMENTS)
        .map(|number| {
            let tenant = format!("tenant-{}", random.random_range(0..TENANTS));
            let access = random_access(random, PRINCIPALS, 0.6);
            let secret = format!("secret{number}x");
            let list = match &access {
                AccessControl::Tenant => String::new(),
                AccessControl::Only(principals) => {
                    let names: Vec<&str> =
                        principals.iter().map(|principal| principal.0.as_str()).collect();
                    format!("acl: [{}]\n", names.join(", "))
                }
            };
            let text = format!(
                "---\ntenant: {tenant}\n{list}---\n# Kiln {number}\n\nThe kiln of hall {number} is glazed with {secret}.\n"
            );
            bench.write(&format!("docs/kiln-{number}.md"), text);
            Guarded { tenant: TenantId::new(&tenant).unwrap(), access, secret }
        })
        .collect()
}

fn random_call(random: &mut StdRng, ids: &[String]) -> Value {
    let id = &ids[random.random_range(0..ids.len())];
    let number = random.random_range(0..DOCUMENTS);
    let query = [format!("kiln {number} glazed"), format!("hall {number}"), "which kilns are there".into()];
    let query = &query[random.random_range(0..query.len())];
    match random.random_range(0..8) {
        0 => json!({"name": "search", "arguments": {"query": query}}),
        1 => json!({"name": "fetch", "arguments": {"id": id}}),
        2 => json!({"name": "read_document", "arguments": {"id": id}}),
        4 => json!({"name": "grep", "arguments": {"words": "glazed", "limit": 50}}),
        5 => json!({"name": "list_documents", "arguments": {}}),
        6 => {
            json!({"name": "ask", "arguments": {"question": format!("What is the kiln of hall {number} glazed with?")}})
        }
        3 => json!({"name": "fetch", "arguments": {"id": format!("{id}#0")}}),
        _ => json!({"name": "search_docs", "arguments": {"query": query, "limit": 50}}),
    }
}

#[test]
fn random_readers_get_nothing_outside_their_scope_from_any_tool() {
    let Some(bench) = Bench::with_model() else { return };
    let mut random = StdRng::seed_from_u64(4021);
    let documents = write_documents(&bench, &mut random);
    bench.run(&["index", "docs"]).expect_code(0);
    let listing = bench.run(&["--json", "status", "--documents", "--all"]).expect_code(0).json();
    let ids: Vec<String> = listing["listed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|document| document["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), DOCUMENTS);
    let (mut seen, mut forbidden) = (0, 0);
    for _ in 0..SCOPES {
        let scope = random_scope(&mut random, TENANTS, PRINCIPALS);
        let mut client = Client::start(&bench, &scope);
        let tools = client.ask("tools/list", &json!({}));
        for _ in 0..CALLS_OF_A_SCOPE {
            let call = random_call(&mut random, &ids);
            let answer = client.ask("tools/call", &call);
            for document in &documents {
                let is_shown = answer.contains(&document.secret) || tools.contains(&document.secret);
                if scope.permits(&document.tenant, &document.access) {
                    seen += usize::from(is_shown);
                } else {
                    forbidden += 1;
                    assert!(!is_shown, "{} leaked to {scope:?} by {call}: {answer}", document.secret);
                }
            }
        }
    }
    assert!(seen > 500 && forbidden > 500, "{seen} permitted texts shown, {forbidden} forbidden");
}
