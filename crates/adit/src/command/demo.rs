use std::path::{Path, PathBuf};

use adit_core::{Filter, Scope, TenantId};
use adit_ingest::{Home, Settings};
use adit_retrieve::render_passages;

use crate::arguments::{DemoArguments, IndexArguments, ModeArgument};
use crate::failure::{Exit, Failure};
use crate::interrupt::cancel_on_interrupt;
use crate::output::{Output, note, print};
use crate::read_session::ReadSession;

/// The demo's own home, so that it never mixes with a reader's documents.
const DEMO_HOME: &str = ".adit-demo";

/// Passages shown for each question.
const SHOWN: usize = 2;

struct Question {
    what: &'static str,
    text: &'static str,
}

const QUESTIONS: [Question; 4] = [
    Question {
        what: "Only meaning finds this one: no word of the question is in the answer",
        text: "sick employee",
    },
    Question {
        what: "Only an identifier finds this one: a vector does not know what R-17 is",
        text: "What is R-17?",
    },
    Question {
        what: "This answer is one row of a table, useless without its header",
        text: "What does it cost to send 10 kg to Norway?",
    },
    Question {
        what: "The documents do not answer this one, and the notes say so",
        text: "Which dental insurance does the company offer?",
    },
];

pub(super) fn run(home: Option<&Path>, arguments: &DemoArguments, output: Output) -> Result<Exit, Failure> {
    if !arguments.examples.is_dir() {
        return Err(Failure::usage(
            format!("there is no folder {}", arguments.examples.display()),
            "run it in adit's own checkout, or name the folder: `adit demo --examples DIR`",
        ));
    }
    let folder = home.map_or_else(|| PathBuf::from(DEMO_HOME), Path::to_path_buf);
    let home = Home::find_or_create(Some(&folder), Path::new("."))?;
    let settings = Settings::load(&home.settings_file())?;
    let cancel = cancel_on_interrupt()?;
    let index = IndexArguments { paths: vec![arguments.examples.clone()], reindex: false };
    let result = super::index::index(&home, &settings, &index, &cancel)?;
    if result.is_interrupted() {
        return Ok(Exit::Interrupted);
    }
    note(&result.describe());
    let session = ReadSession::open(&home, &settings, ModeArgument::Hybrid)?;
    let scope = Scope::new(TenantId::default_tenant(), []);
    let mut answers = Vec::with_capacity(QUESTIONS.len());
    for question in &QUESTIONS {
        let filter = Filter::default();
        let mut request = session.request(question.text, &scope, &filter, ModeArgument::Hybrid);
        request.limit = SHOWN;
        let response = session.retriever.search(&request)?;
        if !output.json {
            print(&format!(
                "\n== {}\n   {}\n\n{}",
                question.text,
                question.what,
                render_passages(&response)
            ))?;
        }
        answers.push(serde_json::json!({ "question": question.text, "response": response }));
    }
    if output.json {
        output.result(&answers, |_| String::new())?;
    } else {
        note(&next_steps(home.folder()));
    }
    Ok(Exit::Done)
}

fn next_steps(home: &Path) -> String {
    let program = "cargo run --release -- --home";
    let home = home.display();
    format!(
        "\nNext:\n  {program} {home} search \"how do I return a broken sensor\"\n  \
         {program} {home} search --as payroll \"salary bands\"     (without --as, nobody sees that document)\n  \
         {program} {home} explain \"travel by train\" --for examples/policies/travel-policy-2025.md\n  \
         {program} {home} mcp                                  (the same index as an agent's tool)\n  \
         cargo run --release -- index YOUR/DOCUMENTS           (makes an index of your own in ./.adit)"
    )
}
