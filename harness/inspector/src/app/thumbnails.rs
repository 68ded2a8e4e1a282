//! Thumbnails of the frames, in one texture. A second replay draws thumbnails while the main replay is idle. The main
//! replay adds thumbnails of the frames that it passes.

use std::sync::Arc;
use std::time::Duration;

use context3d::backend::BackendError;
use eframe::egui::Rect;
use molehill_analysis::Capture;
use molehill_replay::image::RgbaImage;

use crate::gl::{CanvasRegister, CanvasTexture, EguiGl};
use crate::panels::transport::ThumbnailAtlas;
use crate::player::{InspectorPlayer, PlayPosition};

/// Width of a thumbnail in pixels. The height depends on the stage's aspect ratio: 16 to 384 pixels.
const WIDTH: u32 = 192;
/// Number of thumbnails per row of the texture; `ROWS` is the number of rows.
const COLUMNS: usize = 12;
const ROWS: usize = 10;

pub(super) struct Thumbnails {
    /// The replay that draws the thumbnails, which needs as much memory as the main replay. `None` once all thumbnails
    /// are drawn.
    player: Option<InspectorPlayer>,
    cells: Cells,
}

struct Cells {
    canvas: CanvasTexture,
    size: (u32, u32),
    /// Distance between frames with a thumbnail, in frames.
    stride: usize,
    drawn: Vec<bool>,
    /// The last frame that was read back; `changed` counts each frame's changed pixels since the previous frame.
    last: Option<(usize, RgbaImage)>,
    changed: Vec<Option<u64>>,
}

impl Thumbnails {
    pub(super) fn new(
        gl: &EguiGl,
        capture: &Arc<Capture>,
        register: CanvasRegister<'_>,
    ) -> Result<Thumbnails, BackendError> {
        let header = capture.header();
        let height = WIDTH * header.stage_height / header.stage_width.max(1);
        let cell = (WIDTH, height.clamp(16, WIDTH * 2));
        let frames = capture.frames().len();
        let stride = frames.div_ceil(COLUMNS * ROWS).max(1);
        let count = frames.div_ceil(stride);
        let side = |cells: usize, size: u32| u32::try_from(cells).unwrap_or(1).saturating_mul(size);
        let size = (side(COLUMNS, cell.0), side(ROWS, cell.1));
        let mut player = InspectorPlayer::new(gl, Arc::clone(capture), register)?;
        player.seek(PlayPosition::Frame(frames.saturating_sub(1)));
        let canvas = CanvasTexture::new(gl, size, register)?;
        let (drawn, changed) = (vec![false; count], vec![None; frames]);
        let cells = Cells { canvas, size: cell, stride, drawn, last: None, changed };
        Ok(Thumbnails { player: Some(player), cells })
    }

    pub(super) fn is_complete(&self) -> bool {
        // If every frame has a thumbnail, the replay continues to compare all frames.
        let all = self.cells.stride > 1 && self.cells.drawn.iter().all(|drawn| *drawn);
        all || self.player.as_ref().is_none_or(|player| !player.replays())
    }

    /// Draws the thumbnail of the frame that `player` has reached, if it has a thumbnail that isn't drawn yet.
    pub(super) fn take(&mut self, player: &mut InspectorPlayer, frame: usize) {
        let Some(own) = &self.player else { return };
        if self.cells.lacks(frame) && player.compose(Some(&own.stage)).is_ok() {
            self.cells.take(&own.stage, frame);
        }
    }

    /// Draws thumbnails for about `time`. Returns false if all thumbnails were already drawn.
    pub(super) fn advance(&mut self, time: Duration) -> bool {
        if self.is_complete() {
            self.player = None;
        }
        let Thumbnails { cells, player: Some(player) } = self else { return false };
        player.advance(time, false, &mut |player, frame| {
            // If drawing a thumbnail fails, the replay continues.
            if cells.lacks(frame) && player.compose(None).is_ok() {
                cells.take(&player.stage, frame);
            }
            cells.compare(player, frame);
        });
        true
    }

    /// Returns each frame's number of changed pixels, or `None` if it is unknown.
    pub(super) fn changed(&self) -> &[Option<u64>] {
        &self.cells.changed
    }

    pub(super) fn atlas(&self) -> ThumbnailAtlas {
        let Cells { canvas, size, stride, drawn, .. } = &self.cells;
        let (drawn, stride) = (drawn.clone(), *stride);
        let (across, down) = (1.0 / COLUMNS as f32, 1.0 / ROWS as f32);
        let uv = move |frame: usize| {
            let cell = frame / stride;
            let corner = ((cell % COLUMNS) as f32 * across, (cell / COLUMNS) as f32 * down);
            let there = drawn.get(cell).copied().unwrap_or(false);
            there.then(|| Rect::from_min_size(corner.into(), (across, down).into()))
        };
        let aspect = size.0 as f32 / size.1 as f32;
        ThumbnailAtlas { texture: canvas.id, aspect, uv: Box::new(uv) }
    }
}

impl Cells {
    /// Counts the pixels that differ from the previous frame.
    fn compare(&mut self, player: &mut InspectorPlayer, frame: usize) {
        if self.stride > 1 {
            return;
        }
        let Some(image) = player.read_stage() else { return };
        let before = self.last.take().filter(|(last, _)| last + 1 == frame);
        if let (Some((_, before)), Some(changed)) = (before, self.changed.get_mut(frame)) {
            let pixels =
                before.rgba().as_chunks::<4>().0.iter().zip(image.rgba().as_chunks::<4>().0);
            *changed = Some(pixels.filter(|(one, two)| one != two).count() as u64);
        }
        self.last = Some((frame, image));
    }

    fn lacks(&self, frame: usize) -> bool {
        let drawn = self.drawn.get(frame / self.stride);
        frame.is_multiple_of(self.stride) && drawn.is_some_and(|drawn| !drawn)
    }

    /// Draws the thumbnail of a frame. The canvas contains the frame's stage.
    fn take(&mut self, stage: &CanvasTexture, frame: usize) {
        let cell = frame / self.stride;
        let at = |cells: usize, size: u32| {
            i32::try_from(cells).unwrap_or(0).saturating_mul(size.cast_signed())
        };
        let corner = (at(cell % COLUMNS, self.size.0), at(cell / COLUMNS, self.size.1));
        let (canvas, size) = (&self.canvas, self.size);
        if let (Ok(()), Some(drawn)) =
            (canvas.shrink(stage, corner, size), self.drawn.get_mut(cell))
        {
            canvas.finish((corner.0, corner.1, size.0.cast_signed(), size.1.cast_signed()));
            *drawn = true;
        }
    }
}
