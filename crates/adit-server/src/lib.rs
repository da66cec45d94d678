//! The agent's door: MCP over stdio.
