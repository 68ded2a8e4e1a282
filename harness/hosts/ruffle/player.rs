//! A player without a window, for recordings and tests: runs a SWF for some frames, prints what it traces, saves the last
//! picture. `build.sh` puts it in the place of Ruffle's exporter, which renders without a window too.

use anyhow::{Result, anyhow};
use clap::Parser;
use ruffle_core::backend::log::LogBackend;
use ruffle_core::events::MouseButton;
use ruffle_core::limits::ExecutionLimit;
use ruffle_core::tag_utils::movie_from_path;
use ruffle_core::{FloatDuration, PlayerBuilder, PlayerEvent};
use ruffle_render_wgpu::backend::{WgpuRenderBackend, create_wgpu_instance, request_adapter_and_device};
use ruffle_render_wgpu::clap::{GraphicsBackend, PowerPreference};
use ruffle_render_wgpu::descriptors::Descriptors;
use ruffle_render_wgpu::target::TextureTarget;
use ruffle_render_wgpu::wgpu::BackendOptions;
use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs a SWF without a window. With MOLEHILL_RECORD=FILE, Stage3D's calls are recorded.
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
    /// Where the mouse moves after the first frame, in pixels of the stage: X,Y
    #[arg(long, value_delimiter = ',')]
    mouse: Vec<f64>,
    /// The mouse clicks there
    #[arg(long, requires = "mouse")]
    click: bool,
    /// Quality of the display list: low, as most of Ruffle's tests have it, medium, high ...
    #[arg(long, default_value = "high")]
    quality: String,
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
    let player = PlayerBuilder::new()
        .with_renderer(WgpuRenderBackend::new(descriptors, target).map_err(error)?)
        .with_log(Trace)
        .with_movie(movie)
        .with_viewport_dimensions(size[0], size[1], 1.0)
        .with_quality(options.quality.parse().map_err(|_| anyhow!("an unknown quality"))?)
        .with_autoplay(true)
        .build();
    let mut player = player.lock().map_err(|_| anyhow!("the player panicked"))?;
    let frame_time = FloatDuration::from_secs(1.0 / player.frame_rate());
    for frame in 0..options.frames {
        player.preload(&mut ExecutionLimit::none());
        player.run_frame();
        player.update_timers(frame_time);
        if let (0, &[x, y]) = (frame, &*options.mouse) {
            let (button, index) = (MouseButton::Left, None);
            player.handle_event(PlayerEvent::MouseMove { x, y });
            if options.click {
                player.handle_event(PlayerEvent::MouseDown { x, y, button, index });
                player.handle_event(PlayerEvent::MouseUp { x, y, button });
            }
        }
        player.render();
    }
    if let Some(path) = options.out {
        let renderer = <dyn Any>::downcast_mut::<WgpuRenderBackend<TextureTarget>>(player.renderer_mut());
        let image = renderer.and_then(|renderer| renderer.capture_frame());
        image.ok_or_else(|| anyhow!("no picture"))?.save(path)?;
    }
    Ok(())
}
