//! Arbitrary sequences of calls on the layers.

mod enhanced;
mod recovery;
#[path = "../../../tests/state/sequences.rs"]
mod sequences;
