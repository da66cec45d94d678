use std::ops::Range;
use std::path::{Path, PathBuf};

use adit_core::ChunkId;
use adit_segment_file::{map_segment, section_bytes, verify_sections};
use memmap2::Mmap;
use parking_lot::Mutex;
use roaring::RoaringBitmap;

use super::header::{Header, SectionKind};
use super::{SearchDepth, SegmentCandidates, SegmentInfo, VectorSegment};
use crate::VectorError;
use crate::graph::walk::WalkMemory;
use crate::graph::{Graph, Level};
use crate::plan::{SegmentView, search_segment};
use crate::quantise::{PreparedQuery, row_stride_bytes};
use crate::rows::Rows;

#[cfg(target_endian = "big")]
compile_error!("segment files are mapped as they are, in little-endian order");

/// Walks at the same time whose memory is kept for the next; more run, but allocate.
const KEPT_WALK_MEMORIES: usize = 16;

/// A segment in a memory-mapped file.
pub(crate) struct SegmentFile {
    path: PathBuf,
    map: Mmap,
    header: Header,
    chunk_ids: RoaringBitmap,
    upper_levels: Vec<UpperLevel>,
    walk_memories: Mutex<Vec<WalkMemory>>,
}

/// Where an upper level lies in its section, in numbers of four bytes.
#[derive(Debug)]
struct UpperLevel {
    ordinals: Range<usize>,
    links: Range<usize>,
}

impl std::fmt::Debug for SegmentFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SegmentFile").field("path", &self.path).field("header", &self.header).finish()
    }
}

impl SegmentFile {
    pub(crate) fn open(folder: &Path, info: &SegmentInfo) -> Result<Self, VectorError> {
        let path = folder.join(&info.file_name);
        let map = map_segment(&path, info.file_bytes)?;
        let (header, crc32) = Header::decode(&path, &map)?;
        if (crc32, header.count, header.dimension) != (info.header_crc32, info.count, info.dimension) {
            return Err(VectorError::damaged(&path, "it is another segment than the manifest names"));
        }
        let mut segment = Self {
            path,
            map,
            header,
            chunk_ids: RoaringBitmap::new(),
            upper_levels: Vec::new(),
            walk_memories: Mutex::new(Vec::new()),
        };
        segment.chunk_ids = RoaringBitmap::from_sorted_iter(segment.ids().iter().copied())
            .ok()
            .filter(|ids| ids.len() == u64::from(header.count))
            .ok_or_else(|| VectorError::damaged(&segment.path, "its chunk ids do not rise"))?;
        segment.upper_levels = segment.read_upper_levels()?;
        Ok(segment)
    }

    /// Finds the upper levels and checks that their nodes exist. Links are checked when they are
    /// followed: one that names no node is passed over.
    fn read_upper_levels(&self) -> Result<Vec<UpperLevel>, VectorError> {
        let damaged = |detail: &str| VectorError::damaged(&self.path, detail);
        let numbers = self.numbers(SectionKind::UpperLevels);
        let mut levels = Vec::new();
        let mut position = 0;
        for _ in 1..self.header.level_count {
            let nodes = *numbers.get(position).ok_or_else(|| damaged("an upper level is missing"))? as usize;
            let ordinals = position + 1..position + 1 + nodes;
            let links = ordinals.end..ordinals.end + nodes * self.header.connectivity as usize;
            position = links.end;
            let all = numbers.get(ordinals.clone()).ok_or_else(|| damaged("an upper level is cut short"))?;
            let is_sound = all.is_sorted_by(|left, right| left < right)
                && all.last().is_none_or(|last| *last < self.header.count);
            if !is_sound || position > numbers.len() {
                return Err(damaged("an upper level has nodes that do not exist"));
            }
            levels.push(UpperLevel { ordinals, links });
        }
        if position != numbers.len() {
            return Err(damaged("its upper levels are longer than they say"));
        }
        Ok(levels)
    }

    /// Reads every byte.
    pub(crate) fn verify(&self) -> Result<(), VectorError> {
        let sections = SectionKind::ALL.into_iter().zip(self.header.sections);
        Ok(verify_sections(&self.path, &self.map, sections)?)
    }

    fn bytes(&self, kind: SectionKind) -> &[u8] {
        section_bytes(&self.map, self.header.section(kind))
    }

    fn numbers(&self, kind: SectionKind) -> &[u32] {
        // SAFETY: any four bytes are a u32.
        unsafe { reinterpret(self.bytes(kind)) }
    }

    fn floats(&self, kind: SectionKind) -> &[f32] {
        // SAFETY: any four bytes are an f32.
        unsafe { reinterpret(self.bytes(kind)) }
    }

    fn ids(&self) -> &[u32] {
        self.numbers(SectionKind::ChunkIds)
    }

    fn rows(&self) -> Rows<'_> {
        Rows {
            bytes: self.bytes(SectionKind::Rows),
            steps: self.floats(SectionKind::Steps),
            stride_bytes: row_stride_bytes(self.header.dimension as usize),
        }
    }

    fn graph(&self) -> Option<Graph<'_>> {
        if self.header.level_count == 0 {
            return None;
        }
        let connectivity = self.header.connectivity as usize;
        let base =
            Level { links: self.numbers(SectionKind::BaseLinks), width: 2 * connectivity, ordinals: None };
        let numbers = self.numbers(SectionKind::UpperLevels);
        let mut levels = vec![base];
        for level in &self.upper_levels {
            levels.push(Level {
                links: numbers.get(level.links.clone()).unwrap_or(&[]),
                width: connectivity,
                ordinals: Some(numbers.get(level.ordinals.clone()).unwrap_or(&[])),
            });
        }
        Some(Graph { levels, entry: self.header.entry })
    }
}

/// Reads bytes as numbers of four bytes.
///
/// # Safety
/// Every pattern of four bytes must be a valid `T`.
unsafe fn reinterpret<T>(bytes: &[u8]) -> &[T] {
    // SAFETY: the caller vouches for the patterns; `align_to` takes care of alignment and length.
    let (before, numbers, after) = unsafe { bytes.align_to::<T>() };
    // Sections begin at multiples of 64 in a page-aligned map, so nothing is ever left over.
    if before.is_empty() && after.is_empty() { numbers } else { &[] }
}

impl VectorSegment for SegmentFile {
    fn chunk_ids(&self) -> &RoaringBitmap {
        &self.chunk_ids
    }

    fn len(&self) -> usize {
        self.header.count as usize
    }

    fn dimension(&self) -> usize {
        self.header.dimension as usize
    }

    fn has_graph(&self) -> bool {
        self.header.level_count > 0
    }

    fn file_bytes(&self) -> u64 {
        self.map.len() as u64
    }

    fn chunk_id(&self, ordinal: u32) -> Option<ChunkId> {
        self.ids().get(ordinal as usize).copied().map(ChunkId)
    }

    fn vector(&self, ordinal: u32) -> Option<&[f32]> {
        let dimension = self.header.dimension as usize;
        let start = ordinal as usize * dimension;
        self.floats(SectionKind::Vectors).get(start..start + dimension)
    }

    fn ordinal(&self, chunk: ChunkId) -> Option<u32> {
        self.ids().binary_search(&chunk.0).ok().map(|ordinal| ordinal as u32)
    }

    fn search(
        &self,
        query: &PreparedQuery,
        allowed: &RoaringBitmap,
        depth: SearchDepth,
    ) -> SegmentCandidates {
        let view = SegmentView {
            rows: self.rows(),
            ids: self.ids(),
            chunk_ids: &self.chunk_ids,
            graph: self.graph(),
        };
        let mut memory = self.walk_memories.lock().pop().unwrap_or_default();
        let found = search_segment(&view, query, allowed, depth, &mut memory);
        let mut kept = self.walk_memories.lock();
        if kept.len() < KEPT_WALK_MEMORIES {
            kept.push(memory);
        }
        found
    }
}
