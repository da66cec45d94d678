use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use adit_core::ChunkId;
use fs_err::File;

use super::header::{HEADER_BYTES, Header, SECTION_ALIGNMENT_BYTES, Section, SectionKind};
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
    folder: PathBuf,
    file_name: String,
    settings: VectorSettings,
    output: SectionWriter,
    partial: PartialFile,
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
        let file_name = format!("{name}.seg");
        let partial = PartialFile { path: folder.join(format!("{file_name}.partial")), is_kept: false };
        let output = SectionWriter::create(&partial.path)?;
        Ok(Self {
            folder: folder.to_owned(),
            file_name,
            settings: settings.clone(),
            output,
            partial,
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
        self.output.write_numbers(vector.iter().map(|component| component.to_le_bytes()))?;
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
            self.output.write_section(*kind, &self.rows, &self.steps, &self.chunk_ids, graph.as_ref())?;
            *section = self.output.end_section()?;
        }
        let (header_crc32, file_bytes) = self.output.complete(&header)?;
        let path = self.folder.join(&self.file_name);
        fs_err::rename(&self.partial.path, &path).map_err(VectorError::io(&path))?;
        self.partial.is_kept = true;
        sync_folder(&self.folder)?;
        Ok(SegmentInfo {
            file_name: self.file_name,
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

/// Makes a renamed file's name durable.
fn sync_folder(folder: &Path) -> Result<(), VectorError> {
    // Only Unix lets a folder be opened and synced.
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(VectorError::io(folder))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Removes the file unless it was kept.
#[derive(Debug)]
struct PartialFile {
    path: PathBuf,
    is_kept: bool,
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_kept
            && let Err(error) = fs_err::remove_file(&self.path)
        {
            tracing::warn!(%error, "an unfinished vector segment stays");
        }
    }
}

/// Writes sections one after the other, counting and checksumming.
#[derive(Debug)]
struct SectionWriter {
    path: PathBuf,
    file: BufWriter<File>,
    section_start: u64,
    position: u64,
    checksum: crc32fast::Hasher,
}

impl SectionWriter {
    fn create(path: &Path) -> Result<Self, VectorError> {
        let file = File::create(path).map_err(VectorError::io(path))?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(&[0; HEADER_BYTES]).map_err(VectorError::io(path))?;
        let position = HEADER_BYTES as u64;
        Ok(Self {
            path: path.to_owned(),
            file,
            section_start: position,
            position,
            checksum: crc32fast::Hasher::new(),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), VectorError> {
        self.checksum.update(bytes);
        self.position += bytes.len() as u64;
        self.file.write_all(bytes).map_err(VectorError::io(&self.path))
    }

    fn write_numbers(&mut self, numbers: impl Iterator<Item = [u8; 4]>) -> Result<(), VectorError> {
        let mut block = Vec::with_capacity(4 * NUMBERS_A_BLOCK);
        for number in numbers {
            block.extend(number);
            if block.len() == 4 * NUMBERS_A_BLOCK {
                self.write(&block)?;
                block.clear();
            }
        }
        self.write(&block)
    }

    fn write_section(
        &mut self,
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
            SectionKind::Rows => self.write(rows),
            SectionKind::Steps => self.write_numbers(steps.iter().map(|step| step.to_le_bytes())),
            SectionKind::ChunkIds => self.write_numbers(chunk_ids.iter().map(|id| id.to_le_bytes())),
            SectionKind::BaseLinks => {
                let links = levels.iter().take(1).flat_map(|level| &level.links);
                self.write_numbers(links.map(|link| link.to_le_bytes()))
            }
            SectionKind::UpperLevels => {
                for level in levels.iter().skip(1) {
                    let count = [level.ordinals.len() as u32];
                    let numbers = count.iter().chain(&level.ordinals).chain(&level.links);
                    self.write_numbers(numbers.map(|number| number.to_le_bytes()))?;
                }
                Ok(())
            }
        }
    }

    fn end_section(&mut self) -> Result<Section, VectorError> {
        let length = self.position - self.section_start;
        let padding = length.next_multiple_of(SECTION_ALIGNMENT_BYTES) - length;
        self.write(ZEROS.get(..padding as usize).unwrap_or(&ZEROS))?;
        let checksum = std::mem::take(&mut self.checksum);
        let section = Section { offset: self.section_start, length, crc32: checksum.finalize() };
        self.section_start = self.position;
        Ok(section)
    }

    /// Writes the header and waits until everything is on the disk; returns the header's CRC-32 and the
    /// file's size.
    fn complete(&mut self, header: &Header) -> Result<(u32, u64), VectorError> {
        let (bytes, crc32) = header.encode();
        let path = &self.path;
        self.file.seek(SeekFrom::Start(0)).map_err(VectorError::io(path))?;
        self.file.write_all(&bytes).map_err(VectorError::io(path))?;
        self.file.flush().map_err(VectorError::io(path))?;
        self.file.get_ref().sync_all().map_err(VectorError::io(path))?;
        Ok((crc32, self.position))
    }
}

const NUMBERS_A_BLOCK: usize = 4_096;
const ZEROS: [u8; SECTION_ALIGNMENT_BYTES as usize] = [0; SECTION_ALIGNMENT_BYTES as usize];
