//! `drawToBitmapData` [context3d.bitmap.copy].

use agal::Profile;

use crate::backend::{Backend, BackendError, ReadSurface, Region};
use crate::command::Rectangle;
use crate::context::Context3D;
use crate::entry::fixed_function::whole;
use crate::entry::non_null;
use crate::error::{Error, ErrorCode};
use crate::pixels::{BitmapPatch, BitmapTarget, PixelLayout, opaque};

/// Clips `length` pixels starting at `start` to `0..size`. Returns the first pixel and the pixel count.
fn cut(start: i64, length: i64, size: u32) -> (u32, u32) {
    let clip = |edge: i64| u32::try_from(edge.clamp(0, i64::from(size))).unwrap_or(0);
    let (first, last) = (clip(start), clip(start.saturating_add(length)));
    (first, last.saturating_sub(first))
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn draw_to_bitmap_data_impl(
        &mut self,
        destination: Option<BitmapTarget>,
        source: Option<Rectangle>,
        point: Option<[f64; 2]>,
    ) -> Result<BitmapPatch, Error> {
        let destination = non_null(destination, &"destination")?;
        if destination.width == 0 || destination.height == 0 {
            return Err(ErrorCode::InvalidBitmapData.into());
        }
        let (width, height) = self.back_buffer_pixels();
        if width == 0 {
            return Err(ErrorCode::NoBackBuffer.into());
        }
        // The content of an uncleared back buffer is undefined [context3d.error.3692].
        if self.state.error_checking && !self.state.frame.cleared {
            return Err(ErrorCode::NotCleared.into());
        }
        let numbers = source
            .iter()
            .flat_map(|r| [r.x, r.y, r.width, r.height])
            .chain(point.into_iter().flatten());
        if numbers.into_iter().any(f64::is_nan) {
            return Err(ErrorCode::OutsideStage.into());
        }
        let source = source.map_or([0, 0, i64::from(width), i64::from(height)], |r| {
            [whole(r.x), whole(r.y), whole(r.width), whole(r.height)]
        });
        let point = point.map_or([0, 0], |point| point.map(whole));
        let inside = |x: i64, y: i64, width: u32, height: u32| {
            (0..=i64::from(width)).contains(&x) && (0..=i64::from(height)).contains(&y)
        };
        if !inside(source[0], source[1], width, height)
            || !inside(point[0], point[1], destination.width, destination.height)
        {
            return Err(ErrorCode::OutsideStage.into());
        }
        let (x, columns) = cut(source[0], source[2], width);
        let (y, rows) = cut(source[1], source[3], height);
        let (to_x, columns) = cut(point[0], i64::from(columns), destination.width);
        let (to_y, rows) = cut(point[1], i64::from(rows), destination.height);
        let region = Region { x, y, width: columns, height: rows };
        let is_opaque =
            !destination.transparent || self.options.profile == Profile::BaselineConstrained;
        let bgra = self.read_back_buffer(region, is_opaque)?;
        Ok(BitmapPatch { x: to_x, y: to_y, width: columns, height: rows, bgra })
    }

    /// Reads a region of the back buffer as B, G, R, A bytes.
    fn read_back_buffer(&mut self, region: Region, is_opaque: bool) -> Result<Vec<u8>, Error> {
        let mut pixels = Vec::new();
        let surface = ReadSurface::BackBuffer;
        if self.backend.read_region(surface, region, &mut pixels)? != (region.width, region.height)
        {
            let text = "the back buffer that was read is smaller than the one that was configured";
            return Err(Error::Backend(BackendError::Driver(text.to_owned())));
        }
        PixelLayout::RGBA.import(&mut pixels);
        if is_opaque {
            opaque(&mut pixels);
        }
        Ok(pixels)
    }
}
