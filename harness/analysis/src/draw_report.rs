//! Counts of a draw's triangles, fragments and pixels.

use molehill_reference::watch::{FragmentOutcome, WatchRecord};
use serde::Serialize;

use crate::habits::Habit;
use crate::notes::CallSite;
use crate::wrong::WrongDraw;

/// Counts of a draw's triangles and fragments by result. A fragment is a pixel that a triangle covers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawReport {
    pub call: usize,
    pub program: String,
    /// Width and height of the render target, in pixels.
    pub target: (u32, u32),
    /// Number of triangles in all instances of the draw.
    pub triangles: u64,
    /// Triangles outside the clip volume, or with a position that is NaN or infinite.
    pub off_screen_triangles: u64,
    /// Off-screen triangles with a position that is NaN or infinite.
    pub invalid_triangles: u64,
    /// Off-screen triangles behind the camera: w ≤ 0.
    pub behind_triangles: u64,
    pub culled_triangles: u64,
    /// Triangles without area, or that cover no pixel centre.
    pub empty_triangles: u64,
    /// Vertex shader invocations. A vertex shared by triangles is shaded once per batch of some thousand triangles.
    pub vertex_runs: u64,
    /// Fragment shader invocations.
    pub shaded: u64,
    /// Fragments that changed the colour buffer.
    pub colored: u64,
    pub kept: u64,
    pub scissor: u64,
    pub stencil: u64,
    pub depth: u64,
    pub kil: u64,
    pub culled: u64,
    /// Pixels whose colour, depth or stencil changed.
    pub changed: u64,
    /// Bounds of the changed pixels: left, top, right, bottom (exclusive). `None` if no pixel changed.
    pub bounds: Option<[u32; 4]>,
    /// A hash of the draw's state that seldom changes between frames: all state except objects and constants.
    #[serde(skip)]
    pub(crate) setup: u64,
    #[serde(skip)]
    pub(crate) habits: Vec<Habit>,
    /// The wrong pixels that the draw wrote, if there is an expected image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<WrongDraw>,
    #[serde(flatten)]
    pub call_site: CallSite,
}

impl DrawReport {
    /// Creates a report with a draw's counts of triangles, fragments and pixels. The call, program and state fields are
    /// empty.
    pub(crate) fn counts(watched: &WatchRecord) -> DrawReport {
        let (counts, triangles) = (&watched.counts, &watched.triangles);
        let (changed, bounds) = watched.changed();
        DrawReport {
            target: watched.size,
            triangles: triangles.all,
            off_screen_triangles: triangles.off_screen,
            invalid_triangles: triangles.invalid,
            behind_triangles: triangles.behind,
            culled_triangles: triangles.culled,
            empty_triangles: triangles.empty,
            vertex_runs: watched.vertex_runs,
            shaded: counts.shaded,
            colored: counts.colored,
            kept: counts.of(FragmentOutcome::Kept),
            scissor: counts.of(FragmentOutcome::Scissor),
            stencil: counts.of(FragmentOutcome::Stencil),
            depth: counts.of(FragmentOutcome::Depth),
            kil: counts.of(FragmentOutcome::Killed),
            culled: counts.of(FragmentOutcome::Culled),
            changed,
            bounds,
            ..DrawReport::default()
        }
    }

    /// Returns the numbers of rejected fragments, by reason.
    pub fn rejected(&self) -> [(u64, FragmentOutcome); 5] {
        [
            (self.scissor, FragmentOutcome::Scissor),
            (self.stencil, FragmentOutcome::Stencil),
            (self.depth, FragmentOutcome::Depth),
            (self.kil, FragmentOutcome::Killed),
            (self.culled, FragmentOutcome::Culled),
        ]
    }
}
