use adit_model::{ModelStatus, ModelStore};

use crate::arguments::ModelsCommand;
use crate::engine::fetch_model;
use crate::failure::{Exit, Failure};
use crate::output::{Output, human_bytes};

pub(super) fn run(command: &ModelsCommand, output: Output) -> Result<Exit, Failure> {
    let store = ModelStore::open(None)?;
    match command {
        ModelsCommand::List => list(&store, output),
        ModelsCommand::Pull { name } => pull(&store, name, output),
    }?;
    Ok(Exit::Done)
}

fn list(store: &ModelStore, output: Output) -> Result<(), Failure> {
    output.result(&store.list(), |models| models.iter().map(describe).collect())
}

fn describe(model: &ModelStatus) -> String {
    let place = if model.is_cached {
        model.folder.display().to_string()
    } else {
        format!("not fetched yet: adit models pull {}", model.name)
    };
    format!("{}  {}  {}  {place}\n", model.name, human_bytes(model.size_bytes), model.licence)
}

fn pull(store: &ModelStore, name: &str, output: Output) -> Result<(), Failure> {
    let folder = fetch_model(store, name)?;
    let shown = folder.path.display().to_string();
    output.result(&serde_json::json!({ "name": folder.name, "folder": shown }), |_| {
        format!("{} is in {shown}", folder.name)
    })
}
