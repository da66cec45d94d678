//! Immutable vector segments: an int8 graph, memory-mapped vectors for rescoring, exact scans, and the planner between them.
