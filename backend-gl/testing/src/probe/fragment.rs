//! Fragment programs, run into float render targets.

use backend_gl::glow;
use context3d::agal::Interface;

use super::dialect::SIDE;
use super::gl::DriverSize;
use super::grid::{FragmentResults, GridArea, RunExtras};
use super::program::Interpolation;
use super::texture::SamplerBinding;
use super::{FragmentProgram, MAX_INVOCATIONS, ShaderRunError, ShaderRunner, dialect};

/// A varying that is linear over the grid: `origin + x * dx + y * dy`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearVarying {
    /// The value at the centre of the top left pixel.
    pub origin: [f32; 4],
    pub dx: [f32; 4],
    /// The increment of the value from one pixel to the pixel below.
    pub dy: [f32; 4],
}

impl LinearVarying {
    /// Returns the value at the centre of pixel (`x`, `y`). Drivers interpolate differently: the result is bit-exact
    /// only if all numbers have few significant bits.
    pub fn at(&self, x: u16, y: u16) -> [f32; 4] {
        self.add(f32::from(x), f32::from(y))
    }

    fn add(&self, x: f32, y: f32) -> [f32; 4] {
        let mut sum = self.origin;
        for ((sum, dx), dy) in sum.iter_mut().zip(self.dx).zip(self.dy) {
            *sum += x * dx + y * dy;
        }
        sum
    }
}

/// The varyings of a run, by register number; registers that the program doesn't read may be empty or missing.
#[derive(Clone, Copy, Debug)]
pub enum Varyings<'a> {
    /// Independent pixels. Derivatives are 0, and texture reads with implicit level of detail use level 0.
    Flat {
        pixels: usize,
        /// One value per pixel, for each register.
        registers: &'a [&'a [[f32; 4]]],
    },
    /// A grid of pixels, top row first. The 2×2 quads of the grid are pixels (0, 0) to (1, 1), (2, 0) to (3, 1), …
    Linear {
        /// Width in pixels: even, 2 to 256.
        width: u16,
        /// Height in pixels: even, 2 to 256.
        height: u16,
        /// One linear function of the pixel position for each register.
        registers: &'a [LinearVarying],
    },
}

#[derive(Clone, Copy, Debug)]
pub struct FragmentRun<'a> {
    /// The values of the varyings, and the number of pixels.
    pub varyings: Varyings<'a>,
    /// `fc0`, `fc1`, …; missing registers are 0.
    pub constants: &'a [[f32; 4]],
    pub textures: &'a [Option<SamplerBinding<'a>>],
}

impl ShaderRunner {
    pub fn run_fragment(
        &mut self,
        program: &FragmentProgram,
        run: &FragmentRun<'_>,
    ) -> Result<FragmentResults, ShaderRunError> {
        self.ready()?;
        let interface = &program.common.interface;
        let (area, flat) = match run.varyings {
            Varyings::Flat { pixels, .. } => (flat_area(pixels)?, true),
            Varyings::Linear { width, height, .. } => (linear_area(width, height)?, false),
        };
        if flat != (program.interpolation == Interpolation::Flat) {
            return Err(ShaderRunError::Input(
                "the program was compiled for the other mode".to_owned(),
            ));
        }
        let extra = RunExtras { depth: interface.depth_output, coverage: program.kills };
        if area.pixels == 0 {
            return Ok(FragmentResults::default());
        }
        self.set_program(&program.common, run.constants)?;
        self.bind_textures(&interface.samplers, run.textures)?;
        match run.varyings {
            Varyings::Flat { registers, .. } => {
                self.stage_flat(interface, area.pixels, registers, program.fetches)?;
            }
            Varyings::Linear { registers, .. } => {
                self.stage_linear(interface, &area, registers)?;
            }
        }
        // Attribute locations as in `dialect`: the position is attribute 0, varying n is n + 1.
        let values = if program.fetches { 0 } else { interface.varyings };
        self.set_attributes(values << 1 | 1);
        self.draw_grid(&area, interface.color_outputs, extra)?;
        self.read_grid(&area, interface.color_outputs, extra)
    }

    fn stage_flat(
        &mut self,
        interface: &Interface,
        pixels: usize,
        registers: &[&[[f32; 4]]],
        fetches: bool,
    ) -> Result<(), ShaderRunError> {
        let mut columns = Vec::new();
        for n in dialect::bits(interface.varyings) {
            let values = registers.get(usize::from(n)).copied().unwrap_or(&[]);
            if values.len() < pixels {
                return Err(ShaderRunError::Input(format!(
                    "varying {n} has {} values for {pixels} pixels",
                    values.len()
                )));
            }
            if fetches {
                self.upload_values(n, values.get(..pixels).unwrap_or(values))?;
            } else {
                columns.push(values);
            }
        }
        self.staging.clear();
        let rows = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
        for (pixel, (x, y)) in (0..pixels).zip(rows) {
            let clip = |n: u16| (f32::from(n) + 0.5) / f32::from(SIDE) * 2.0 - 1.0;
            self.staging.push([clip(x), clip(y), 0.0, 1.0]);
            let values = columns.iter().filter_map(|values| values.get(pixel));
            self.staging.extend(values);
        }
        Ok(())
    }

    /// Writes a triangle that covers the grid into `staging`.
    fn stage_linear(
        &mut self,
        interface: &Interface,
        area: &GridArea,
        registers: &[LinearVarying],
    ) -> Result<(), ShaderRunError> {
        #[expect(clippy::cast_precision_loss, reason = "an area's sides are at most 256")]
        let (width, height) = (area.viewport.width as f32, area.viewport.height as f32);
        let mut planes = Vec::new();
        for n in dialect::bits(interface.varyings) {
            planes.push(
                registers
                    .get(usize::from(n))
                    .ok_or_else(|| ShaderRunError::Input(format!("varying {n} has no values")))?,
            );
        }
        self.staging.clear();
        for (x, y) in [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)] {
            self.staging.push([x * 2.0 - 1.0, y * 2.0 - 1.0, 0.0, 1.0]);
            let values = planes.iter().map(|plane| plane.add(x * width - 0.5, y * height - 0.5));
            self.staging.extend(values);
        }
        Ok(())
    }
}

fn flat_area(pixels: usize) -> Result<GridArea, ShaderRunError> {
    if pixels > MAX_INVOCATIONS {
        return Err(ShaderRunError::Input(format!(
            "{pixels} pixels are more than {MAX_INVOCATIONS}"
        )));
    }
    let side = usize::from(SIDE);
    let size = |width: usize, height: usize| {
        let side = |side| u32::try_from(side).unwrap_or(u32::MAX);
        DriverSize::new(side(width), side(height))
    };
    Ok(GridArea {
        viewport: size(side, side),
        read: size(pixels.min(side), pixels.div_ceil(side)),
        pixels,
        mode: glow::POINTS,
        vertices: i32::try_from(pixels).unwrap_or(i32::MAX),
    })
}

fn linear_area(width: u16, height: u16) -> Result<GridArea, ShaderRunError> {
    for side in [width, height] {
        if !(2..=SIDE).contains(&side) || side % 2 != 0 {
            return Err(ShaderRunError::Input(format!(
                "a grid of {width} times {height} pixels: sides must be even, from 2 to {SIDE}"
            )));
        }
    }
    let size = DriverSize::new(width.into(), height.into());
    Ok(GridArea {
        viewport: size,
        read: size,
        pixels: usize::from(width).saturating_mul(usize::from(height)),
        mode: glow::TRIANGLES,
        vertices: 3,
    })
}
