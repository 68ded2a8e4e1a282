//! The passes and draws of a frame: what each did, with pictures.

use std::sync::Arc;

use context3d::backend::Surface;
use molehill_capture::CallLine;
use molehill_reference::watch::{DepthStencil, Outcome, Watch, Watched};
use molehill_replay::image::{Image, heat};
use serde::Serialize;

use crate::capture::Capture;
use crate::error::InspectError;
use crate::inspector::{Inspector, Key, Player, step};
use crate::marks::{Pass, is_draw};
use crate::warnings::{Warning, WarningKind, Watchdog};

/// The passes of a frame, and what it does in vain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameReport {
    /// The frame.
    pub frame: u32,
    /// Its passes.
    pub passes: Vec<PassReport>,
    /// In the order of the calls.
    pub warnings: Vec<Warning>,
}

/// A pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassReport {
    /// From 1 in the frame.
    pub pass: u32,
    /// The context.
    pub context: String,
    /// The textures that it draws into, or the back buffer.
    pub targets: Vec<String>,
    /// Its first and last call.
    pub calls: (usize, usize),
    /// The draws that were carried out.
    pub draws: Vec<DrawReport>,
}

/// What became of a draw's triangles and fragments. A fragment is a pixel that a triangle covers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawReport {
    /// The call.
    pub call: usize,
    /// The program.
    pub program: String,
    /// Pixels of the target.
    pub target: (u32, u32),
    /// Triangles of all instances.
    pub triangles: u64,
    /// Of those, outside the screen or not a number.
    pub off_screen_triangles: u64,
    /// Culled.
    pub culled_triangles: u64,
    /// Without an area, or between pixels.
    pub empty_triangles: u64,
    /// Fragments whose program ran.
    pub shaded: u64,
    /// Fragments that passed all tests.
    pub kept: u64,
    /// Rejected by the scissor rectangle.
    pub scissor: u64,
    /// Rejected by the stencil test.
    pub stencil: u64,
    /// Rejected by the depth test.
    pub depth: u64,
    /// Discarded by the program.
    pub kil: u64,
    /// Of culled faces.
    pub culled: u64,
    /// Pixels whose colour, depth or stencil changed.
    pub changed: u64,
    /// Their bounds: left, top, and one past the last, right and bottom.
    pub bounds: Option<[u32; 4]>,
}

impl DrawReport {
    fn new(call: usize, program: String, watched: &Watched) -> DrawReport {
        let (counts, triangles) = (&watched.counts, &watched.triangles);
        let (changed, bounds) = watched.changed();
        DrawReport {
            call,
            program,
            target: watched.size,
            triangles: triangles.all,
            off_screen_triangles: triangles.off_screen,
            culled_triangles: triangles.culled,
            empty_triangles: triangles.empty,
            shaded: counts.shaded,
            kept: counts.of(Outcome::Kept),
            scissor: counts.of(Outcome::Scissor),
            stencil: counts.of(Outcome::Stencil),
            depth: counts.of(Outcome::Depth),
            kil: counts.of(Outcome::Killed),
            culled: counts.of(Outcome::Culled),
            changed,
            bounds,
        }
    }

    /// Rejected fragments by reason.
    pub fn rejected(&self) -> [(u64, &'static str); 5] {
        [
            (self.scissor, "scissor"),
            (self.stencil, "stencil"),
            (self.depth, "depth"),
            (self.kil, "kil"),
            (self.culled, "culled"),
        ]
    }

    /// Why it changed nothing.
    pub(crate) fn why_nothing(&self) -> String {
        let most = self.rejected().into_iter().max_by_key(|(count, _)| *count);
        let why = match most {
            _ if self.triangles == 0 => "it has no triangles".to_owned(),
            _ if self.kept > 0 => "what it drew was there already, or is masked".to_owned(),
            Some((count, why)) if count > 0 => format!("{count} fragments rejected by {why}"),
            _ if self.off_screen_triangles == self.triangles => "off-screen".to_owned(),
            _ => "its triangles cover no pixel".to_owned(),
        };
        format!("changes nothing: {why}")
    }
}

/// The target of a draw before and after it.
#[derive(Clone, Debug)]
pub struct DrawPictures {
    /// By colour output, before.
    pub before: Vec<Image>,
    /// After.
    pub after: Vec<Image>,
    /// Depth of the target after the draw.
    pub depth: Option<Image>,
    /// Its stencil.
    pub stencil: Option<Image>,
    /// How often the draw's fragment program ran on each pixel.
    pub overdraw: Image,
}

impl DrawPictures {
    /// What changed in the first output: bright on a dim picture.
    pub fn changed(&self) -> Option<Image> {
        Some(heat(self.after.first()?, self.before.first()?, 0))
    }
}

/// Sees the draws of a frame.
type See<'s> = &'s mut dyn FnMut(&DrawReport, DrawPictures) -> Result<(), InspectError>;

impl Inspector {
    /// What each draw of a frame did.
    ///
    /// # Errors
    /// [`InspectError::NoFrame`], and those of the replay.
    pub fn draws(&mut self, frame: u32) -> Result<FrameReport, InspectError> {
        self.draws_with(frame, None)
    }

    /// As [`Inspector::draws`], with the pictures of each draw.
    ///
    /// # Errors
    /// As [`Inspector::draws`], and those of `see`.
    pub fn draws_seen(
        &mut self,
        frame: u32,
        see: &mut dyn FnMut(&DrawReport, DrawPictures) -> Result<(), InspectError>,
    ) -> Result<FrameReport, InspectError> {
        self.draws_with(frame, Some(see))
    }

    /// One draw with its pictures.
    ///
    /// # Errors
    /// [`InspectError::NotADraw`], and those of the replay.
    pub fn draw_pictures(
        &mut self,
        call: usize,
    ) -> Result<(DrawReport, DrawPictures), InspectError> {
        let capture = Arc::clone(self.capture());
        let mut player = self.before(call)?;
        let (_, line) = capture.call(call)?;
        let drawn = draw(&capture, &mut player, (call, line), true)?;
        match drawn {
            Some((report, Some(pictures))) => Ok((report, pictures)),
            _ => Err(InspectError::NotADraw(call)),
        }
    }

    fn draws_with(
        &mut self,
        frame: u32,
        mut see: Option<See<'_>>,
    ) -> Result<FrameReport, InspectError> {
        let capture = Arc::clone(self.capture());
        let span = capture.frame(frame)?.clone();
        let mut passes: Vec<PassReport> = self
            .passes(frame)?
            .iter()
            .map(|pass| report(&capture, pass))
            .collect();
        let mut player = self.at(span.records.start)?;
        let mut dog = Watchdog::default();
        for call in span.calls {
            let (_, line) = capture.call(call)?;
            let mark = self.mark(call)?;
            if let Some(trouble) = mark.trouble() {
                dog.warn(call, WarningKind::Trouble, trouble);
            }
            let pass = usize::try_from(mark.pass).unwrap_or(0).wrapping_sub(1);
            let context = player.context_of(line.on);
            if is_draw(&line.call) {
                let Some((report, pictures)) =
                    draw(&capture, &mut player, (call, line), see.is_some())?
                else {
                    continue;
                };
                if let (Some(see), Some(pictures)) = (&mut see, pictures) {
                    see(&report, pictures)?;
                }
                if let Some((context, bound)) =
                    context.and_then(|context| Some((context, player.bound(context)?)))
                {
                    let backend = player.backend_mut(context);
                    let pair = backend.and_then(|backend| backend.program(bound.program?));
                    dog.drawn(line.on, &report, &bound, pair);
                }
                dog.set(call, line, None);
                if let Some(pass) = passes.get_mut(pass) {
                    pass.draws.push(report);
                }
                continue;
            }
            let sets = crate::warnings::slot(&line.call).is_some() && mark.done();
            let bound = |player: &Player| player.bound(context.filter(|_| sets)?);
            let before = bound(&player);
            step(&mut player, &capture, capture.place(call)?)?;
            dog.set(call, line, before.as_ref().zip(bound(&player).as_ref()));
        }
        let warnings = dog.finish(|on, texture| {
            let context = player.context_of(on).unwrap_or(usize::MAX);
            Key::Texture(texture).title(&capture, &player, context)
        });
        Ok(FrameReport {
            frame,
            passes,
            warnings,
        })
    }
}

/// A pass without its draws.
fn report(capture: &Capture, pass: &Pass) -> PassReport {
    let textures = pass.targets.iter().map(|id| capture.title(*id));
    let mut targets: Vec<String> = textures.collect();
    if targets.is_empty() {
        targets.push("back buffer".to_owned());
    }
    PassReport {
        pass: pass.number,
        context: capture.title(pass.context),
        targets,
        calls: (pass.calls.start, pass.calls.end.saturating_sub(1)),
        draws: Vec::new(),
    }
}

/// Carries out a draw and reports on it; `None` if it never reached the renderer.
fn draw(
    capture: &Capture,
    player: &mut Player,
    (call, line): (usize, &CallLine),
    pictures: bool,
) -> Result<Option<(DrawReport, Option<DrawPictures>)>, InspectError> {
    let number = capture.call(call)?.0;
    let place = capture.place(call)?;
    let Some(context) = player.context_of(line.on) else {
        step(player, capture, place)?;
        return Ok(None);
    };
    let before = match pictures {
        true => targets(player, number, context)?,
        false => Vec::new(),
    };
    if let Some(backend) = player.backend_mut(context) {
        backend.watch(Some(Watch::default()));
    }
    step(player, capture, place)?;
    let Some(backend) = player.backend_mut(context) else {
        return Ok(None);
    };
    let watched = backend.take_watched();
    backend.watch(None);
    let Some(watched) = watched else {
        return Ok(None);
    };
    let program = player.bound(context).and_then(|bound| bound.program);
    let program = program.map(|key| Key::Program(key).title(capture, player, context));
    let report = DrawReport::new(call, program.unwrap_or_default(), &watched);
    if !pictures {
        return Ok(Some((report, None)));
    }
    let depth_stencil = player
        .backend_mut(context)
        .and_then(|backend| backend.depth_stencil());
    let pictures = DrawPictures {
        before,
        after: targets(player, number, context)?,
        depth: depth_stencil.as_ref().and_then(depth_picture),
        stencil: depth_stencil.as_ref().and_then(stencil_picture),
        overdraw: overdraw_picture(&watched),
    };
    Ok(Some((report, Some(pictures))))
}

/// The pictures of what a context draws into.
fn targets(player: &mut Player, number: u64, context: usize) -> Result<Vec<Image>, InspectError> {
    let surfaces: Vec<Surface> = player.targets(context);
    let mut images = Vec::new();
    for surface in surfaces {
        images.extend(player.surface(number, context, surface)?);
    }
    Ok(images)
}

/// Width, height and pixels.
type Depths = (u32, u32, Vec<DepthStencil>);

/// White is nearest, and dark grey the farthest that was drawn; where nothing was drawn it is black.
fn depth_picture((width, height, pixels): &Depths) -> Option<Image> {
    let drawn = pixels
        .iter()
        .map(|pixel| pixel.depth)
        .filter(|depth| *depth < 1.0);
    let (near, far) = drawn.fold((1.0f64, 0.0f64), |(near, far), depth| {
        (near.min(depth), far.max(depth))
    });
    let grey = |pixel: &DepthStencil| match pixel.depth < 1.0 {
        true => byte(255.0 - 200.0 * (pixel.depth - near) / (far - near).max(1e-9)),
        false => 0,
    };
    grey_picture((*width, *height), pixels.iter().map(grey))
}

/// White is the largest value; zero is black.
fn stencil_picture((width, height, pixels): &Depths) -> Option<Image> {
    let most = pixels.iter().map(|pixel| pixel.stencil).max().unwrap_or(0);
    let grey =
        |pixel: &DepthStencil| byte(255.0 * f64::from(pixel.stencil) / f64::from(most.max(1)));
    grey_picture((*width, *height), pixels.iter().map(grey))
}

/// Each run adds some light: from dark blue for one to white.
fn overdraw_picture(watched: &Watched) -> Image {
    let (width, height) = watched.size;
    let mut image = Image::filled(width, height, [0, 0, 0, 255]);
    for rows in &watched.rows {
        let place = rows.top as usize * width as usize;
        let shades = rows.shaded.iter().map(|count| {
            let times = |step: u16| u8::try_from(count.saturating_mul(step)).unwrap_or(u8::MAX);
            [times(16), times(32), times(96), 255]
        });
        let shades: Vec<u8> = shades.flatten().collect();
        image.overwrite(place, &shades);
    }
    image
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to a byte's range")]
fn byte(value: f64) -> u8 {
    value.clamp(0.0, 255.0) as u8
}

fn grey_picture((width, height): (u32, u32), greys: impl Iterator<Item = u8>) -> Option<Image> {
    let rgba = greys.flat_map(|grey| [grey, grey, grey, 255]).collect();
    Image::from_rgba(width, height, rgba)
}
