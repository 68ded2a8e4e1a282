//! Tests the exchange of frames with a display thread that has its own GL context.
#![allow(unsafe_code, reason = "the other thread's own GL calls")]

use crate::common::scene::{BLUE, GREEN, RED, Scene, WHITE};
use crate::common::{APIS, open, undebugged};
use crate::egl;
use backend_gl::PictureSource;
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions, Share};
use backend_gl::present::{FrontExchange, FrontReader, GlTexture};
use context3d::Invocation;
use context3d::backend::{FrameSource as _, TakenFrame};
use std::collections::BTreeSet;
use std::ffi::c_void;

/// The GL context that displays the frames. The display context and the VM's context alternate on one thread.
struct Window {
    own: Offscreen,
    egl: egl::Egl,
    exchange: FrontExchange,
    reader: FrontReader,
}

fn address(egl: &egl::Egl, name: &str) -> *const c_void {
    egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const c_void)
}

impl Window {
    fn open(api: Api) -> Self {
        let (own, egl, exchange) = (open(api), egl::load(), FrontExchange::default());
        own.make_current().expect("it can be made current");
        let loader = |name: &str| address(&egl, name);
        // SAFETY: the context is current, now and at all later calls.
        let reader = unsafe { FrontReader::from_loader(&loader, &exchange) }.expect("functions");
        Self { own, egl, exchange, reader }
    }

    fn share(&self) -> Share {
        self.own.make_current().expect("it can be made current");
        let display = self.egl.get_current_display().expect("a display").as_ptr();
        let context = self.egl.get_current_context().expect("a context").as_ptr();
        // SAFETY: the handles come from EGL, and are used only while the window exists.
        unsafe { Share::new(display, context) }
    }

    /// Creates a scene whose context shares objects with the window's context.
    fn vm(&self, api: Api) -> Scene {
        let share = Some(self.share());
        let shared = undebugged(&OffscreenOptions { share, ..OffscreenOptions::new(api) });
        Scene::over(api, shared.backend().expect("a backend"), (64, 64), 0)
    }

    fn acquire(&mut self) -> Option<GlTexture> {
        self.own.make_current().expect("it can be made current");
        self.reader.acquire()
    }

    fn release(&mut self) {
        self.own.make_current().expect("it can be made current");
        self.reader.release();
    }

    /// Returns the last pixel of a frame; `None` if its texture was deleted.
    fn last(&self, front: GlTexture) -> Option<[u8; 4]> {
        self.own.make_current().expect("it can be made current");
        let (gl, texture) = (self.own.functions(), glow::NativeTexture(front.texture));
        let mut pixel = [9; 4];
        let (x, y) = (front.width.cast_signed() - 1, front.height.cast_signed() - 1);
        // SAFETY: the context is current; one pixel is read.
        unsafe {
            if !gl.is_texture(texture) {
                return None;
            }
            let framebuffer = gl.create_framebuffer().expect("a framebuffer");
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let (target, point) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
            gl.framebuffer_texture_2d(target, point, glow::TEXTURE_2D, Some(texture), 0);
            let into = glow::PixelPackData::Slice(Some(&mut pixel));
            gl.read_pixels(x, y, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, into);
            gl.delete_framebuffer(framebuffer);
        }
        Some(pixel)
    }
}

/// Presents a frame, and returns whether a new frame was published.
fn frame(vm: &mut Scene, color: [u8; 4], exchange: &FrontExchange) -> bool {
    vm.clear(color.map(|byte| f64::from(byte) / 255.0));
    vm.call(Invocation::Present {});
    publish(vm, exchange)
}

fn publish(vm: &mut Scene, exchange: &FrontExchange) -> bool {
    vm.context.backend_mut().publish_frame(exchange).expect("it is published")
}

fn configure(vm: &mut Scene, width: i32, height: i32) {
    vm.call(Invocation::ConfigureBackBuffer {
        width,
        height,
        anti_alias: 0,
        enable_depth_and_stencil: false,
        wants_best_resolution: false,
        wants_best_resolution_on_browser_zoom: false,
    });
}

#[test]
fn what_is_shown_stays_while_the_vm_presents() {
    for api in APIS {
        let mut window = Window::open(api);
        let (mut vm, exchange) = (window.vm(api), window.exchange.clone());
        assert_eq!(window.acquire(), None, "{api}");
        assert!(!publish(&mut vm, &exchange), "{api}: before the first present");
        assert!(frame(&mut vm, RED, &exchange), "{api}");
        assert!(!publish(&mut vm, &exchange), "{api}: it is in there already");
        let red = window.acquire().expect("a picture");
        assert_eq!((red.width, red.height), (64, 64), "{api}");
        // Present more frames than the exchange has textures.
        for color in [GREEN, BLUE, GREEN, BLUE, WHITE] {
            assert!(frame(&mut vm, color, &exchange), "{api}");
            assert_eq!(window.last(red), Some(RED), "{api}: it is shown");
        }
        let white = window.acquire().expect("the newest picture");
        assert_eq!(window.last(white), Some(WHITE), "{api}");
        assert_eq!(window.acquire(), Some(white), "{api}: nothing is newer");
        // A `FrontExchange` reuses at most three textures for all frames.
        let mut textures = BTreeSet::new();
        for n in 0..12 {
            frame(&mut vm, [RED, GREEN, BLUE][n % 3], &exchange);
            let shown = window.acquire().expect("a picture");
            assert_eq!(window.last(shown), Some([RED, GREEN, BLUE][n % 3]), "{api}");
            textures.insert(shown.texture);
        }
        assert!(textures.len() <= 3, "{api}: {textures:?}");
        window.release();
        assert_eq!(window.acquire(), None, "{api}: it was given back");
        frame(&mut vm, RED, &exchange);
        assert!(window.acquire().is_some(), "{api}");
    }
}

#[test]
fn what_is_shown_is_opaque() {
    for api in APIS {
        let mut window = Window::open(api);
        let (mut vm, exchange) = (window.vm(api), window.exchange.clone());
        for _ in 0..4 {
            frame(&mut vm, [255, 0, 255, 0], &exchange);
            let shown = window.acquire().expect("a picture");
            assert_eq!(window.last(shown), Some([255, 0, 255, 255]), "{api}");
        }
        vm.clear([0.0, 1.0, 0.0, 0.0]);
        vm.picture().expect((1, 1), [0, 255, 0, 0], "all channels are written again");
    }
}

/// A shared context has the API of the host's context. Without a host context, the context isn't shared.
#[test]
fn a_context_beside_the_hosts_shares_with_it_if_it_can() {
    for api in APIS {
        let window = Window::open(api);
        let beside = Offscreen::open_shared(Some(window.share())).expect("a context");
        let mut vm = Scene::over(api, beside.backend().expect("a backend"), (64, 64), 0);
        let mut source = PictureSource::default();
        let take = |vm: &mut Scene| vm.context.take_frame(&source.exchange).expect("no failure");
        assert_eq!(take(&mut vm), None, "{api}: before the first present");
        frame(&mut vm, RED, &FrontExchange::default());
        assert_eq!((take(&mut vm), take(&mut vm)), (Some(TakenFrame::Handle), None), "{api}");
        window.own.make_current().expect("it can be made current");
        // SAFETY: the window's context is current.
        let red = unsafe { source.texture(&|name| address(&window.egl, name)) };
        assert_eq!(window.last(red.expect("a picture")), Some(RED), "{api}");
    }
}

/// Without a context of the host, frames are passed as pixels.
#[test]
fn without_a_hosts_context_pictures_are_pixels() {
    let [first, second] = [(), ()].map(|()| Offscreen::backend_shared(None).expect("a backend"));
    let driver = first.device().driver().expect("it is not in use");
    assert!(driver.version.starts_with("4"), "{driver:?}");
    drop(first);
    let mut vm = Scene::over(Api::OpenGl, second, (64, 64), 0);
    let exchange = FrontExchange::default();
    frame(&mut vm, RED, &FrontExchange::default());
    let mut take = || vm.context.take_frame(&exchange).expect("no failure");
    assert_eq!(take(), Some(TakenFrame::Pixels(64, 64, RED.repeat(64 * 64))));
    assert_eq!(take(), None);
}

#[test]
fn sizes_and_backends_change_while_a_picture_is_shown() {
    for api in APIS {
        let mut window = Window::open(api);
        let (mut vm, exchange) = (window.vm(api), window.exchange.clone());
        frame(&mut vm, RED, &exchange);
        let red = window.acquire().expect("a picture");
        configure(&mut vm, 96, 50);
        frame(&mut vm, GREEN, &exchange);
        assert_eq!(window.last(red), Some(RED), "{api}: it is shown");
        let green = window.acquire().expect("a picture");
        assert_eq!((green.width, green.height), (96, 50), "{api}");
        assert_eq!(window.last(green), Some(GREEN), "{api}");

        configure(&mut vm, 64, 64);
        assert!(!publish(&mut vm, &exchange), "{api}: there is no front");
        assert_eq!(window.last(green), Some(GREEN), "{api}: it is shown until the next call");
        assert_eq!(window.acquire(), None, "{api}: there is none any more");
        assert_eq!(window.last(green), None, "{api}: who showed it has deleted it");

        // The backend is dropped while one frame is published and another displayed; a new backend replaces it.
        frame(&mut vm, BLUE, &exchange);
        let blue = window.acquire().expect("a picture");
        frame(&mut vm, WHITE, &exchange);
        drop(vm);
        assert_eq!(window.last(blue), Some(BLUE), "{api}: it is shown until the next call");
        let mut vm = window.vm(api);
        frame(&mut vm, RED, &exchange);
        let red = window.acquire().expect("a picture");
        assert_eq!(window.last(red), Some(RED), "{api}");
        assert_eq!((window.last(blue), red == blue), (None, false), "{api}");
        // If the backend publishes to another `FrontExchange`, its frame is removed from the previous `FrontExchange`.
        let other = FrontExchange::default();
        assert!(publish(&mut vm, &other), "{api}");
        assert_eq!(window.acquire(), None, "{api}: the backend has left the exchange");
    }
}
