//! From files to the catalog: sources, pipeline, incremental update, resume.
