use std::path::Path;

use adit_eval::GoldenSet;
use adit_eval::golden::{SplitSettings, split_golden};
use serde::Serialize;

use crate::arguments::GoldenSplitArguments;
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};

/// What `golden split --json` prints.
#[derive(Serialize)]
struct Parts {
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    file: String,
    items: usize,
}

pub(super) fn run(
    home: Option<&Path>,
    arguments: &GoldenSplitArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    if !is_share(arguments.train) || !is_share(arguments.dev) || arguments.train + arguments.dev > 1.0 + 1e-9
    {
        return Err(Failure::usage(
            format!("the shares {} and {} are no parts of a whole", arguments.train, arguments.dev),
            "give shares from 0 to 1 whose sum is at most 1, for example `--train 0.6 --dev 0.2`",
        ));
    }
    let file = super::file(home, &arguments.golden)?;
    let set = GoldenSet::read(&file)?;
    let split = split_golden(
        &set,
        &SplitSettings {
            train_share: arguments.train,
            dev_share: arguments.dev,
            document_disjoint: arguments.document_disjoint,
            seed: arguments.seed,
        },
    );
    let folder = arguments.out.as_deref().or(file.parent()).unwrap_or(Path::new("")).to_path_buf();
    if arguments.out.is_some() {
        fs_err::create_dir_all(&folder).map_err(|error| Failure::world(error.to_string()))?;
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut parts = Vec::new();
    for (name, part) in [("train", &split.train), ("dev", &split.dev), ("test", &split.test)] {
        let path = folder.join(format!("{stem}.{name}.jsonl"));
        part.write(&path)?;
        parts.push(Part { file: path.display().to_string(), items: part.items.len() });
    }
    output.result(&Parts { parts }, |result| {
        let lines =
            result.parts.iter().map(|part| format!("{}: {}", part.file, counted(part.items, "question")));
        lines.collect::<Vec<_>>().join("\n")
    })?;
    Ok(Exit::Done)
}
