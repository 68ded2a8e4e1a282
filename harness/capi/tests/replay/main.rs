//! Replays every capture through the C functions: results, errors, events and images must be the same as in Rust.
#![allow(unsafe_code, reason = "the functions are C's")]

mod arguments;
#[rustfmt::skip]
mod calls;
#[path = "../host/mod.rs"]
mod host;
#[path = "../../../../agal/tests/common/needs.rs"]
mod needs;

use std::collections::HashMap;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use backend_gl::offscreen::{Api, Offscreen};
use context3d::arguments::PixelLayout;
use context3d::backend::{AnyBackend, Backend as _, ReadSurface};
use context3d::{Context3D, ContextOptions, Error, Profile, Reply, TextureEvent};
use libtest_mimic::{Arguments, Trial};
use molehill_c::*;
use molehill_capture::commands::{Ids, ReplayObject, Resolver, command};
use molehill_capture::{Call, CallLine, CaptureReader, CaptureRecord};
use molehill_reference::ReferenceBackend;

use arguments::C;
use host::{Host, Loader};

/// Number of frames to replay per capture.
const MAX_FRAMES: u32 = 10;
/// Environment variable: if set, all frames are replayed.
const ALL_FRAMES: &str = "MOLEHILL_ALL_FRAMES";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = needs::shared("captures", |folder| {
        let captures = captures(folder).into_iter();
        captures.map(|path| trial(&path, gl)).collect()
    });
    let knot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../captures/knot.s3d.jsonl");
    trials.push(trial(&knot, gl));
    trials.push(needs::trial("knot in software", &knot, software));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(path: &Path, test: fn(&Path)) -> Trial {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    needs::trial(folder.to_string_lossy(), path, test)
}

fn captures(shared: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(shared).into_iter().flatten().flatten();
    let paths = folders.flat_map(|folder| {
        ["", ".zst"].map(|end| folder.path().join(format!("capture.s3d.jsonl{end}")))
    });
    paths.filter(|path| path.is_file()).collect()
}

fn gl(path: &Path) {
    let opened = || Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let offscreen = opened();
    let open = || Box::new(offscreen.backend().unwrap()) as AnyBackend;
    let host = Host::new(opened());
    let current = host.make_current();
    let (status, device) = Loader::new().device(&raw const current);
    assert_eq!(status, MolehillStatus::Ok);
    play(path, device, MAX_FRAMES, &open);
}

/// Replays only two frames, because the reference renderer is slow.
fn software(path: &Path) {
    let open = || Box::new(ReferenceBackend::new(Default::default())) as AnyBackend;
    let device = made(|device| unsafe { molehill_device_software(std::ptr::null(), device) });
    play(path, device, 2, &open);
}

/// Returns the handle that a function writes through its last pointer.
fn made<T: Default>(make: impl FnOnce(&mut T) -> MolehillStatus) -> T {
    let mut handle = T::default();
    assert_eq!(make(&mut handle), MolehillStatus::Ok, "{:?}", last_error());
    handle
}

/// Returns the last error: number, class, message, and ActionScript's message.
fn last_error() -> (u32, String, String, String) {
    let mut error = MolehillError::default();
    // SAFETY: the strings are valid until the next error.
    unsafe {
        assert_eq!(molehill_last_error(&raw mut error), MolehillStatus::Ok);
        let text = |text| CStr::from_ptr(text).to_str().unwrap().to_owned();
        let texts = (text(error.class_name), text(error.message));
        (error.number, texts.0, texts.1, text(error.as3_message))
    }
}

/// Two equal contexts, one used from Rust and one from C.
struct Pair {
    rust: Context3D<AnyBackend>,
    c: C,
}

struct Player<'a> {
    pairs: Vec<Pair>,
    ids: Ids,
    device: MolehillDevice,
    open: &'a dyn Fn() -> AnyBackend,
    swf_version: u32,
}

/// The result of a call in Rust.
type Played = Option<Result<Reply, Error>>;

/// Replays frame by frame: all calls of a frame in Rust, then in C. Alternating after each call would be slow, because
/// GL contexts are switched.
fn play(path: &Path, device: MolehillDevice, most: u32, open: &dyn Fn() -> AnyBackend) {
    let reader = CaptureReader::open(path).unwrap();
    let mut player = Player {
        pairs: Vec::new(),
        ids: Ids::default(),
        device,
        open,
        swf_version: reader.header().swf_version,
    };
    let mut calls: Vec<(CallLine, Played)> = Vec::new();
    let mut pictures = 0;
    let most = match std::env::var_os(ALL_FRAMES) {
        Some(_) => u32::MAX,
        None => most,
    };
    for item in reader {
        match item.unwrap().1 {
            CaptureRecord::Call(line) => {
                let played = player.in_rust(&line);
                calls.push((line, played));
            }
            // The player dispatches events; events are not calls.
            CaptureRecord::Event(_) | CaptureRecord::Note(_) => {}
            CaptureRecord::Frame(frame) => {
                let shown = player.shown_in_rust();
                let place = format!("{}, frame {frame}", path.display());
                calls.drain(..).for_each(|(line, played)| {
                    player.in_c(&line, played, &place);
                });
                pictures += player.compare_shown(&shown, &place);
                if frame >= most {
                    break;
                }
            }
        }
    }
    let bitmaps: usize = player.pairs.iter().map(|pair| pair.c.bitmaps).sum();
    // One capture presents its first frame after the replayed frames.
    let late = path.parent().is_some_and(|folder| folder.ends_with("errors"));
    assert!(pictures + bitmaps > 0 || late, "no picture");
    for pair in player.pairs {
        assert_eq!(molehill_context_destroy(pair.c.context), MolehillStatus::Ok);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// A presented image, and the events of a frame.
type Shown = (Option<(u32, u32, Vec<u8>)>, Vec<TextureEvent>);

impl Player<'_> {
    fn in_rust(&mut self, line: &CallLine) -> Played {
        if let Call::RequestContext3D { profile, .. } = &line.call {
            let name = profile.0.clone().flatten()?;
            let options = ContextOptions {
                profile: Profile::from_name(&name)?,
                swf_version: self.swf_version,
            };
            let number = self.pairs.len();
            self.ids.insert(line.result?, ReplayObject::Context(number));
            self.pairs.push(self.pair(options));
            return None;
        }
        let receiver = self.ids.get(line.on)?;
        let index = receiver.context()?;
        let resolver = Resolver::new(&self.ids);
        let command = command(&line.call, &receiver, &resolver)?;
        let result = self.pairs[index].rust.execute(&command);
        let created = result.as_ref().ok();
        let created = created.and_then(|reply| ReplayObject::created(index, reply));
        if let Some(id) = line.result {
            self.ids.insert(id, created.unwrap_or(ReplayObject::Null));
        }
        Some(result)
    }

    fn pair(&self, options: ContextOptions) -> Pair {
        let name = arguments::c_string(options.profile.name());
        let c_options = MolehillContextOptions {
            profile: name.as_ptr(),
            swf_version: options.swf_version,
            ..Default::default()
        };
        let context = made(|context| unsafe {
            molehill_context_create(self.device, &raw const c_options, context)
        });
        Pair {
            rust: Context3D::new((self.open)(), options),
            c: C {
                context,
                created: 0,
                handles: HashMap::new(),
                pixels: Vec::new(),
                width: 0,
                bitmaps: 0,
            },
        }
    }

    fn in_c(&mut self, line: &CallLine, played: Played, place: &str) {
        let Some(expected) = played else { return };
        let receiver = self.ids.get(line.on).unwrap();
        let resolver = Resolver::new(&self.ids);
        let command = command(&line.call, &receiver, &resolver).unwrap();
        let c = &mut self.pairs[receiver.context().unwrap()].c;
        c.created = 0;
        let status = calls::call(c, &command);
        let place = format!("{place}, {}", line.call.name());
        compare(c, status, expected, &place);
    }

    fn shown_in_rust(&mut self) -> Vec<Shown> {
        let shown = |pair: &mut Pair| {
            let mut events = Vec::new();
            while let Some(event) = pair.rust.take_texture_event() {
                events.push(event);
            }
            let mut rgba = Vec::new();
            let alive = !pair.rust.is_disposed();
            let read =
                alive.then(|| pair.rust.backend_mut().read_pixels(ReadSurface::Front, &mut rgba));
            let size = read.transpose().unwrap().filter(|(width, _)| *width > 0);
            (size.map(|(width, height)| (width, height, rgba)), events)
        };
        self.pairs.iter_mut().map(shown).collect()
    }

    /// Compares images and events; returns the number of images.
    fn compare_shown(&mut self, shown: &[Shown], place: &str) -> usize {
        let mut pictures = 0;
        for (pair, (picture, events)) in self.pairs.iter_mut().zip(shown) {
            let c = &mut pair.c;
            for expected in events {
                let mut event = MolehillTextureEvent::default();
                // SAFETY: the pointer refers to the variable above; the string is valid until the next event.
                let (taken, text) = unsafe {
                    let taken = molehill_context_take_texture_event(c.context, &raw mut event);
                    (taken, CStr::from_ptr(event.message).to_str().unwrap())
                };
                assert_eq!(taken, MolehillStatus::Ok, "{place}");
                let error = expected.error.as_ref();
                assert_eq!(text, error.map(|error| error.as3_message()).unwrap_or_default());
                assert_eq!(event.texture.id, c.handle(Some(expected.texture)), "{place}");
                assert_eq!(event.failed != 0, expected.error.is_some(), "{place}");
            }
            if let Some((width, height, rgba)) = picture {
                pictures += 1;
                assert!(
                    read_front(c.context, *width, *height) == *rgba,
                    "{place}: another picture"
                );
            }
        }
        pictures
    }
}

fn read_front(context: MolehillContext, width: u32, height: u32) -> Vec<u8> {
    let mut rgba = vec![0; width as usize * height as usize * 4];
    let pixels = MolehillPixels {
        pixels: rgba.as_mut_ptr(),
        length: rgba.len(),
        rgba: 1,
        ..Default::default()
    };
    let mut size = MolehillSize { width: 0, height: 0 };
    // SAFETY: the pointers refer to the variables above, or are null.
    let status = unsafe {
        molehill_context_read_front(context, std::ptr::null(), &raw const pixels, &raw mut size)
    };
    assert_eq!(status, MolehillStatus::Ok, "{:?}", last_error());
    assert_eq!((size.width, size.height), (width, height));
    rgba
}

fn compare(c: &mut C, status: MolehillStatus, expected: Result<Reply, Error>, place: &str) {
    let object = match expected {
        Ok(Reply::Done | Reply::Null) => None,
        Ok(Reply::VertexBuffer(handle)) => Some(handle.into()),
        Ok(Reply::IndexBuffer(handle)) => Some(handle.into()),
        Ok(Reply::Program(handle)) => Some(handle.into()),
        Ok(Reply::Texture(handle)) => Some(handle.into()),
        Ok(Reply::Skipped(code)) => {
            assert_eq!(status, MolehillStatus::Skipped, "{place}: {:?}", last_error());
            assert_eq!(last_error().0, u32::from(code.number()), "{place}");
            return;
        }
        Ok(Reply::Bitmap(patch)) => {
            assert_eq!(status, MolehillStatus::Ok, "{place}: {:?}", last_error());
            let mut pixels = vec![0; c.pixels.len()];
            patch.write_to(&mut pixels, c.width, PixelLayout::default());
            assert!(pixels == c.pixels, "{place}: other pixels");
            c.bitmaps += 1;
            return;
        }
        Err(Error::Flash(error)) => {
            assert_eq!(status, MolehillStatus::FlashError, "{place}: {:?}", last_error());
            let expected = (
                u32::from(error.number()),
                error.class().name().to_owned(),
                error.message().to_owned(),
                error.as3_message(),
            );
            assert_eq!(last_error(), expected, "{place}");
            return;
        }
        Err(error) => panic!("{place}: {error}"),
    };
    assert_eq!(status, MolehillStatus::Ok, "{place}: {:?}", last_error());
    assert_eq!(c.created != 0, object.is_some(), "{place}");
    if let Some(object) = object {
        c.handles.insert(object, c.created);
    }
}
