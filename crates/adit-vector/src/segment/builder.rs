use std::path::Path;
use std::sync::atomic::AtomicBool;

use adit_core::ChunkId;
use adit_segment_file::{Section, SegmentWriter};

use super::header::{HEADER_BYTES, Header, SectionKind};
use super::{BuildProgress, SegmentInfo};
use crate::graph::build::{OwnedGraph, build_graph};
use crate::quantise::{append_row, row_stride_bytes};
use crate::rows::Rows;
use crate::{VectorError, VectorSettings};

/// Takes vectors one by one and writes a segment of them.
///
/// float32 vectors go straight to a file with a temporary name; memory holds the int8 rows and, at the
/// end, the graph: about `dimension + 8 * connectivity` bytes a vector. The file gets its name only when
/// it is complete and on the disk. A builder that is dropped before removes it.
#[derive(Debug)]
pub struct SegmentBuilder {
    settings: VectorSettings,
    output: SegmentWriter,
    rows: Vec<u8>,
    steps: Vec<f32>,
    chunk_ids: Vec<u32>,
}

impl SegmentBuilder {
    /// Begins a segment called `name` in an existing folder.
    ///
    /// # Errors
    /// [`VectorError::Settings`], [`VectorError::Io`].
    pub fn create(folder: &Path, name: &str, settings: &VectorSettings) -> Result<Self, VectorError> {
        settings.check()?;
        let output = SegmentWriter::create(folder, format!("{name}.seg"), HEADER_BYTES)?;
        Ok(Self {
            settings: settings.clone(),
            output,
            rows: Vec::new(),
            steps: Vec::new(),
            chunk_ids: Vec::new(),
        })
    }

    /// Adds the vector of a chunk greater than all before.
    ///
    /// # Errors
    /// [`VectorError::Dimension`], [`VectorError::Order`], [`VectorError::NotFinite`], [`VectorError::Io`].
    pub fn push(&mut self, chunk: ChunkId, vector: &[f32]) -> Result<(), VectorError> {
        check_vector(chunk, vector, self.settings.dimension)?;
        if let Some(previous) = self.chunk_ids.last().copied().filter(|previous| *previous >= chunk.0) {
            return Err(VectorError::Order { previous, given: chunk.0 });
        }
        write_numbers(&mut self.output, vector.iter().map(|component| component.to_le_bytes()))?;
        self.steps.push(append_row(vector, &mut self.rows));
        self.chunk_ids.push(chunk.0);
        Ok(())
    }

    /// How many vectors were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunk_ids.len()
    }

    /// Whether none was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunk_ids.is_empty()
    }

    /// Builds the graph, completes the file and gives it its name.
    ///
    /// # Errors
    /// [`VectorError::Cancelled`] soon after `cancel` became true; [`VectorError::Io`].
    pub fn finish(
        mut self,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<SegmentInfo, VectorError> {
        let total = self.chunk_ids.len();
        let rows = Rows {
            bytes: &self.rows,
            steps: &self.steps,
            stride_bytes: row_stride_bytes(self.settings.dimension),
        };
        let graph = if total >= self.settings.graph_from_vectors.max(2) {
            let mut tell = |done| progress(BuildProgress { done, total });
            Some(build_graph(&rows, &self.settings, cancel, &mut tell)?)
        } else {
            None
        };
        if cancel.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(VectorError::Cancelled);
        }
        let mut header = Header {
            dimension: self.settings.dimension as u32,
            count: total as u32,
            connectivity: self.settings.connectivity as u32,
            level_count: graph.as_ref().map_or(0, |graph| graph.levels.len() as u32),
            entry: graph.as_ref().map_or(0, |graph| graph.entry),
            ef_construction: self.settings.ef_construction as u32,
            sections: [Section::default(); 6],
        };
        for (kind, section) in SectionKind::ALL.iter().zip(&mut header.sections) {
            write_section(&mut self.output, *kind, &self.rows, &self.steps, &self.chunk_ids, graph.as_ref())?;
            *section = self.output.end_section()?;
        }
        let (bytes, header_crc32) = header.encode();
        let (file_name, file_bytes) = self.output.finish(&bytes)?;
        Ok(SegmentInfo {
            file_name,
            file_bytes,
            header_crc32,
            dimension: header.dimension,
            count: header.count,
            first: self.chunk_ids.first().copied().map(ChunkId),
            last: self.chunk_ids.last().copied().map(ChunkId),
            has_graph: graph.is_some(),
        })
    }
}

/// Refuses a vector that cannot be stored.
pub(crate) fn check_vector(chunk: ChunkId, vector: &[f32], dimension: usize) -> Result<(), VectorError> {
    if vector.len() != dimension {
        return Err(VectorError::Dimension { expected: dimension, given: vector.len() });
    }
    if !vector.iter().all(|component| component.is_finite()) {
        return Err(VectorError::NotFinite { what: format!("chunk {chunk}") });
    }
    Ok(())
}

fn write_numbers(
    output: &mut SegmentWriter,
    numbers: impl Iterator<Item = [u8; 4]>,
) -> Result<(), VectorError> {
    let mut block = Vec::with_capacity(4 * NUMBERS_A_BLOCK);
    for number in numbers {
        block.extend(number);
        if block.len() == 4 * NUMBERS_A_BLOCK {
            output.write(&block)?;
            block.clear();
        }
    }
    Ok(output.write(&block)?)
}

/// Writes what a section holds.
fn write_section(
    output: &mut SegmentWriter,
    kind: SectionKind,
    rows: &[u8],
    steps: &[f32],
    chunk_ids: &[u32],
    graph: Option<&OwnedGraph>,
) -> Result<(), VectorError> {
    let levels = graph.map(|graph| graph.levels.as_slice()).unwrap_or_default();
    match kind {
        // Written while they came in.
        SectionKind::Vectors => Ok(()),
        SectionKind::Rows => Ok(output.write(rows)?),
        SectionKind::Steps => write_numbers(output, steps.iter().map(|step| step.to_le_bytes())),
        SectionKind::ChunkIds => write_numbers(output, chunk_ids.iter().map(|id| id.to_le_bytes())),
        SectionKind::BaseLinks => {
            let links = levels.iter().take(1).flat_map(|level| &level.links);
            write_numbers(output, links.map(|link| link.to_le_bytes()))
        }
        SectionKind::UpperLevels => {
            for level in levels.iter().skip(1) {
                let count = [level.ordinals.len() as u32];
                let numbers = count.iter().chain(&level.ordinals).chain(&level.links);
                write_numbers(output, numbers.map(|number| number.to_le_bytes()))?;
            }
            Ok(())
        }
    }
}

const NUMBERS_A_BLOCK: usize = 4_096;
