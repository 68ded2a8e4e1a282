//! Tests the queries on a small scene with known results, and on the demo.

mod checking;
mod dump;
mod expect;
mod explain;
#[allow(dead_code, reason = "the tests of molehill-analysis use the rest")]
#[path = "../../../analysis/tests/questions/room.rs"]
mod room;
#[allow(dead_code, reason = "the tests of molehill-analysis use the rest")]
#[path = "../../../analysis/tests/questions/scene.rs"]
mod scene;
mod selection;
mod server;
