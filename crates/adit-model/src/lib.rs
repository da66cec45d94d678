//! Running models: local embedders, model registry and download.
