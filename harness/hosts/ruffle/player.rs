//! Windowless player for recordings and tests: runs a SWF for some frames, prints its trace output, and saves the last
//! image. `build.sh` uses this player instead of Ruffle's windowless exporter.

use anyhow::{Result, anyhow};
use clap::Parser;
use ruffle_core::backend::log::LogBackend;
use ruffle_core::backend::navigator::{NullExecutor, NullNavigatorBackend};
use ruffle_core::events::{KeyDescriptor, KeyLocation, LogicalKey, MouseButton, NamedKey, PhysicalKey};
use ruffle_core::limits::ExecutionLimit;
use ruffle_core::tag_utils::movie_from_path;
use ruffle_core::{FloatDuration, PlayerBuilder, PlayerEvent};
use ruffle_render_wgpu::backend::{WgpuRenderBackend, create_wgpu_instance, request_adapter_and_device};
use ruffle_render_wgpu::clap::{GraphicsBackend, PowerPreference};
use ruffle_render_wgpu::descriptors::Descriptors;
use ruffle_render_wgpu::target::TextureTarget;
use ruffle_render_wgpu::wgpu::BackendOptions;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs a SWF without a window, with the files beside it. With MOLEHILL_RECORD=FILE, Stage3D's calls are recorded.
/// Uncaught errors of ActionScript and failed loads go to standard error; RUST_LOG shows more of Ruffle's log.
///
/// Frames count from 0, as in recordings.
#[derive(Parser)]
struct Options {
    swf: PathBuf,
    /// Number of frames
    #[arg(long, default_value_t = 60)]
    frames: u32,
    /// The last picture, as PNG
    #[arg(short, long)]
    out: Option<PathBuf>,
    #[arg(long, short, default_value = "default")]
    graphics: GraphicsBackend,
    #[arg(long, short, default_value = "low")]
    power: PowerPreference,
    /// Moves the mouse after a frame, in pixels of the stage; repeatable
    #[arg(long, value_name = "FRAME:X,Y", value_parser = place)]
    mouse: Vec<(u32, [f64; 2])>,
    /// Clicks at a position after a frame; repeatable
    #[arg(long, value_name = "FRAME:X,Y", value_parser = place)]
    click: Vec<(u32, [f64; 2])>,
    /// Holds a key down for a frame: a character, or Enter, Escape, Space, Tab, Shift, Control, Left, Right, Up, Down;
    /// repeatable
    #[arg(long, value_name = "FRAME:KEY", value_parser = key)]
    key: Vec<(u32, LogicalKey)>,
    /// Quality of the display list: low, as most of Ruffle's tests have it, medium, high ...
    #[arg(long, default_value = "high")]
    quality: String,
}

/// Returns the frame number before the colon, and the text after it.
fn in_frame(text: &str) -> Result<(u32, &str), String> {
    let parts = text.split_once(':').and_then(|(frame, rest)| Some((frame.parse().ok()?, rest)));
    parts.ok_or_else(|| format!("expected FRAME:…, such as 10:…, and not {text}"))
}

fn place(text: &str) -> Result<(u32, [f64; 2]), String> {
    let (frame, place) = in_frame(text)?;
    let place = place.split_once(',').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
    Ok((frame, place.ok_or_else(|| format!("expected FRAME:X,Y, such as 10:320,240, and not {text}"))?))
}

fn key(text: &str) -> Result<(u32, LogicalKey), String> {
    let (frame, key) = in_frame(text)?;
    let named = match key {
        "Space" => return Ok((frame, LogicalKey::Character(' '))),
        "Enter" => NamedKey::Enter,
        "Escape" => NamedKey::Escape,
        "Tab" => NamedKey::Tab,
        "Shift" => NamedKey::Shift,
        "Control" => NamedKey::Control,
        "Left" => NamedKey::ArrowLeft,
        "Right" => NamedKey::ArrowRight,
        "Up" => NamedKey::ArrowUp,
        "Down" => NamedKey::ArrowDown,
        _ => {
            let one = key.parse().map_err(|_| format!("{key} is no key; --help lists the names"))?;
            return Ok((frame, LogicalKey::Character(one)));
        }
    };
    Ok((frame, LogicalKey::Named(named)))
}

impl Options {
    /// Returns the input events after a frame, in the order of the options.
    fn input(&self, frame: u32) -> Vec<PlayerEvent> {
        fn of<T: Copy>(values: &[(u32, T)], frame: Option<u32>) -> impl Iterator<Item = T> {
            values.iter().filter(move |(at, _)| Some(*at) == frame).map(|(_, value)| *value)
        }
        let (button, index) = (MouseButton::Left, None);
        let moves = of(&self.mouse, Some(frame)).map(|[x, y]| PlayerEvent::MouseMove { x, y });
        let clicks = of(&self.click, Some(frame)).flat_map(|[x, y]| {
            let down = PlayerEvent::MouseDown { x, y, button, index };
            [PlayerEvent::MouseMove { x, y }, down, PlayerEvent::MouseUp { x, y, button }]
        });
        let described = |logical_key| {
            let (physical_key, key_location) = (PhysicalKey::Unknown, KeyLocation::Standard);
            KeyDescriptor { physical_key, logical_key, key_location }
        };
        let ups = of(&self.key, frame.checked_sub(1)).map(|key| PlayerEvent::KeyUp { key: described(key) });
        let downs = of(&self.key, Some(frame)).map(|key| PlayerEvent::KeyDown { key: described(key) });
        moves.chain(clicks).chain(ups).chain(downs).collect()
    }
}

struct Trace;

impl LogBackend for Trace {
    fn avm_trace(&self, message: &str) {
        println!("{message}");
    }

    fn avm_warning(&self, message: &str) {
        eprintln!("{message}");
    }
}

fn main() -> Result<()> {
    let options = Options::parse();
    let error = |error: Box<dyn std::error::Error>| anyhow!(error.to_string());
    let instance = create_wgpu_instance(options.graphics.into(), BackendOptions::default());
    let backends = options.graphics.into();
    let adapter = request_adapter_and_device(backends, &instance, None, options.power.into());
    let (adapter, device, queue) = futures::executor::block_on(adapter).map_err(error)?;
    let descriptors = Arc::new(Descriptors::new(instance, adapter, device, queue));
    let movie = movie_from_path(&options.swf, None).map_err(|error| anyhow!(error.to_string()))?;
    let size = [movie.width(), movie.height()].map(|side| side.to_pixels().round() as u32);
    let target = TextureTarget::new(&descriptors.device, (size[0], size[1])).map_err(error)?;
    let folder = options.swf.canonicalize()?;
    let mut loads = NullExecutor::new();
    let player = PlayerBuilder::new()
        .with_renderer(WgpuRenderBackend::new(descriptors, target).map_err(error)?)
        .with_navigator(NullNavigatorBackend::with_base_path(folder.parent().unwrap_or(Path::new("/")), &loads)?)
        .with_log(Trace)
        .with_movie(movie)
        .with_viewport_dimensions(size[0], size[1], 1.0)
        .with_quality(options.quality.parse().map_err(|_| anyhow!("an unknown quality"))?)
        .with_autoplay(true)
        .build();
    for frame in 0..options.frames {
        // Finished loads lock the player, so they run first.
        loads.run();
        let mut player = player.lock().map_err(|_| anyhow!("the player panicked"))?;
        let frame_time = FloatDuration::from_secs(1.0 / player.frame_rate());
        player.preload(&mut ExecutionLimit::none());
        player.run_frame();
        player.update_timers(frame_time);
        options.input(frame).into_iter().for_each(|event| _ = player.handle_event(event));
        player.render();
    }
    if let Some(path) = &options.out {
        let mut player = player.lock().map_err(|_| anyhow!("the player panicked"))?;
        let renderer = <dyn Any>::downcast_mut::<WgpuRenderBackend<TextureTarget>>(player.renderer_mut());
        let image = renderer.and_then(|renderer| renderer.capture_frame());
        image.ok_or_else(|| anyhow!("no picture"))?.save(path)?;
    }
    Ok(())
}
