//! Thumbnails of the frames, in one texture. A second replay draws them while the main one stands still; the main one
//! contributes those of the frames that it passes.

use std::sync::Arc;
use std::time::Duration;

use context3d::backend::BackendError;
use eframe::egui::{Pos2, Rect};
use molehill_inspect::Capture;

use crate::gl::{Canvas, Gl, Register};
use crate::panels::transport::ThumbnailAtlas;
use crate::player::{Player, Position};

/// Width of a thumbnail in pixels. The height follows from the stage's aspect ratio, from 16 to twice the width.
const WIDTH: u32 = 128;
/// Thumbnails per row of the texture, and number of rows.
const COLUMNS: usize = 12;
const ROWS: usize = 10;

pub(super) struct Thumbnails {
    canvas: Canvas,
    player: Player,
    cell: (u32, u32),
    /// Distance between thumbnails, in frames.
    stride: usize,
    drawn: Vec<bool>,
}

impl Thumbnails {
    pub(super) fn new(
        gl: &Gl,
        capture: &Arc<Capture>,
        register: Register<'_>,
    ) -> Result<Thumbnails, BackendError> {
        let header = capture.header();
        let height = WIDTH * header.stage_height / header.stage_width.max(1);
        let cell = (WIDTH, height.clamp(16, WIDTH * 2));
        let frames = capture.frames().len();
        let stride = frames.div_ceil(COLUMNS * ROWS).max(1);
        let count = frames.div_ceil(stride);
        let side = |cells: usize, size: u32| u32::try_from(cells).unwrap_or(1).saturating_mul(size);
        let size = (side(COLUMNS, cell.0), side(ROWS, cell.1));
        let mut player = Player::new(gl, Arc::clone(capture), register)?;
        player.seek(Position::Frame(frames.saturating_sub(1)));
        Ok(Thumbnails {
            canvas: Canvas::new(gl, size, register)?,
            player,
            cell,
            stride,
            drawn: vec![false; count],
        })
    }

    /// Whether no more thumbnails will be drawn.
    pub(super) fn is_complete(&self) -> bool {
        self.drawn.iter().all(|drawn| *drawn)
            || self.player.arrived()
            || self.player.failure().is_some()
    }

    /// Draws the thumbnail of the frame that `player` stands at, if the frame has one and it is missing.
    pub(super) fn take(&mut self, player: &mut Player, frame: usize) {
        let (cell, stride) = (self.cell, self.stride);
        take(player, frame, &self.canvas, cell, stride, &mut self.drawn);
    }

    /// Draws thumbnails for about `time`. Returns false if none was left to draw.
    pub(super) fn advance(&mut self, time: Duration) -> bool {
        if self.is_complete() {
            return false;
        }
        let Thumbnails { canvas, player, cell, stride, drawn } = self;
        player.advance(time, false, &mut |player, frame| {
            take(player, frame, canvas, *cell, *stride, drawn)
        });
        true
    }

    /// The thumbnails for the timeline.
    pub(super) fn atlas(&self) -> ThumbnailAtlas {
        let (drawn, stride) = (self.drawn.clone(), self.stride);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (across, down) = (1.0 / COLUMNS as f32, 1.0 / ROWS as f32);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let uv = move |frame: usize| {
            let place = frame / stride;
            let there = drawn.get(place).copied().unwrap_or(false);
            let corner =
                Pos2::new((place % COLUMNS) as f32 * across, (place / COLUMNS) as f32 * down);
            there.then(|| Rect::from_min_size(corner, (across, down).into()))
        };
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let aspect = self.cell.0 as f32 / self.cell.1 as f32;
        ThumbnailAtlas { texture: self.canvas.id(), aspect, uv: Box::new(uv) }
    }
}

fn take(
    player: &mut Player,
    frame: usize,
    canvas: &Canvas,
    cell: (u32, u32),
    stride: usize,
    drawn: &mut [bool],
) {
    let place = frame / stride;
    let Some(slot) = drawn.get_mut(place).filter(|drawn| frame.is_multiple_of(stride) && !**drawn)
    else {
        return;
    };
    let at = |cells: usize, size: u32| {
        i32::try_from(cells).unwrap_or(0).saturating_mul(size.cast_signed())
    };
    let corner = (at(place % COLUMNS, cell.0), at(place / COLUMNS, cell.1));
    // A failed thumbnail doesn't end the replay.
    *slot = player.thumbnail(canvas, corner, cell).is_ok();
}
