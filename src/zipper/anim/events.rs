//! The bodies of events (FORMAT.md, "Events"). The keys are those of the reader files.

mod cameras;
mod connectors;
mod effects;
mod flow;
mod objects;
mod puffer;

pub use cameras::*;
pub use connectors::*;
pub use effects::*;
pub use flow::*;
pub use objects::*;
pub use puffer::*;
