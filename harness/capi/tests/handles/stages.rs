//! Tests Stage3Ds whose contexts the library creates: requests, events, host settings, and destroyed contexts.

use std::ffi::CStr;
use std::ptr::null;

use super::support::{context, device, made, message, present, record, texture};
use molehill_c::*;

/// A Stage3D of a program, with its device.
struct Player {
    stage: MolehillStage3D,
    device: MolehillDevice,
}

type Event = Option<MolehillStageEvent>;

impl Player {
    fn new() -> Self {
        let stage = made(|stage| unsafe { molehill_stage3d_create(stage) });
        Player { stage, device: device() }
    }

    fn request(&self, mode: &CStr, profile: &CStr) -> MolehillStatus {
        unsafe { molehill_stage3d_request(self.stage, mode.as_ptr(), profile.as_ptr(), 1) }
    }

    fn next(&self, ends: bool) -> Event {
        let function = if ends { molehill_stage3d_end_frame } else { molehill_stage3d_begin_frame };
        let mut event = MolehillStageEvent::default();
        match unsafe { function(self.stage, self.device, 30, 0, &raw mut event) } {
            MolehillStatus::Ok => Some(event),
            MolehillStatus::Nothing => None,
            status => panic!("{status:?}: {:?}", message()),
        }
    }

    /// Ends a frame, and calls `handler` for each event, up to a hundred times. Returns the number of events.
    fn end_frame(&self, mut handler: impl FnMut(&MolehillStageEvent)) -> usize {
        let events = std::iter::from_fn(|| self.next(true)).take(100);
        events.inspect(|event| handler(event)).count()
    }

    /// Requests a context and ends the frame.
    fn context(&self, profile: &CStr) -> MolehillContext {
        assert_eq!(self.request(c"auto", profile), MolehillStatus::Ok);
        self.created()
    }

    fn created(&self) -> MolehillContext {
        let event = self.next(true).expect("an event");
        assert_eq!(event.kind, MolehillStageEventKind::ContextCreated);
        assert_eq!(self.next(true).map(|event| event.kind), None);
        event.context
    }

    fn info(&self) -> MolehillStage3DInfo {
        let mut info = MolehillStage3DInfo::default();
        let told = unsafe { molehill_stage3d_info(self.stage, &raw mut info) };
        assert_eq!(told, MolehillStatus::Ok);
        info
    }

    fn set_host(&self, host: &MolehillHost) {
        let set = unsafe { molehill_stage3d_set_host(self.stage, host) };
        assert_eq!(set, MolehillStatus::Ok);
    }

    fn end(self) {
        assert_eq!(molehill_stage3d_destroy(self.stage), MolehillStatus::Ok);
        assert_eq!(molehill_device_destroy(self.device), MolehillStatus::Ok);
    }
}

fn info(context: MolehillContext) -> MolehillContextInfo {
    let mut info = MolehillContextInfo::default();
    let told = unsafe { molehill_context_info(context, &raw mut info) };
    assert_eq!(told, MolehillStatus::Ok);
    info
}

fn configure(context: MolehillContext, side: i32) -> MolehillStatus {
    unsafe { molehill_context_configure_back_buffer(context, side, side, 0, 0, 0, 0) }
}

fn dispose(context: MolehillContext, recreate: MolehillBool) {
    let disposed = unsafe { molehill_context_dispose(context, recreate) };
    assert_eq!(disposed, MolehillStatus::Ok);
}

/// Starts an asynchronous upload, which causes an event.
fn upload(texture: MolehillTexture) {
    let bytes = [0u8; 256];
    let data = bytes.as_ptr().cast();
    let started =
        unsafe { molehill_texture_upload_from_byte_array_async(texture, data, 256, 0, -1, 0) };
    assert_eq!(started, MolehillStatus::Ok, "{:?}", message());
}

/// A frame dispatches only the events that are pending at its start, even if the program uploads in each textureReady.
#[test]
fn a_frame_gives_the_events_that_wait_at_its_start() {
    let player = Player::new();
    let context = player.context(c"baseline");
    let textures = [texture(context), texture(context)];
    textures.into_iter().for_each(upload);
    for texture in textures {
        let object = MolehillObject { id: texture.id };
        assert_eq!(molehill_object_set_user_data(object, texture.id), MolehillStatus::Ok);
    }
    for frame in 0..3 {
        let events = player.end_frame(|event| {
            assert_eq!(event.kind, MolehillStageEventKind::TextureReady);
            upload(MolehillTexture { id: event.user_data });
        });
        assert_eq!(events, 2, "frame {frame}");
    }
    // Without frames of the Stage3D, molehill_context_take_texture_event returns two events per frame.
    let take = || {
        let mut event = MolehillTextureEvent::default();
        let taken = unsafe { molehill_context_take_texture_event(context, &raw mut event) };
        (taken == MolehillStatus::Ok).then_some(event.texture)
    };
    for frame in 0..3 {
        let events = std::iter::from_fn(take).take(100);
        assert_eq!(events.inspect(|texture| upload(*texture)).count(), 2, "frame {frame}");
    }
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    player.end();
}

/// If a program requests a context in each context3DCreate, only one is usable at a time [context3d.request.again].
#[test]
fn a_request_ends_the_former_context_once_a_frame() {
    let player = Player::new();
    let mut contexts = vec![player.context(c"baseline")];
    let old = contexts[0];
    texture(old);
    assert_eq!(player.request(c"auto", c"baselineExtended"), MolehillStatus::Ok);
    for _ in 0..3 {
        let events = player.end_frame(|event| {
            contexts.push(event.context);
            assert_eq!(player.request(c"auto", c"baseline"), MolehillStatus::Ok);
        });
        assert_eq!(events, 1);
        let alive = |context: &&MolehillContext| info(**context).ended == MolehillEnded::Alive;
        assert_eq!(contexts.iter().filter(alive).collect::<Vec<_>>(), [contexts.last().unwrap()]);
    }
    assert_eq!(info(old).ended, MolehillEnded::Disposed);
    let mut program = MolehillProgram::default();
    let created = unsafe { molehill_context_create_program(old, &raw mut program) };
    assert_eq!((created, message().0), (MolehillStatus::FlashError, 3694));
    for context in contexts {
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    }
    player.end();
}

/// A context requested in a timer event can be used in the next enterFrame [context3d.request.between].
#[test]
fn a_frame_begins_with_the_answer_to_a_request() {
    let player = Player::new();
    assert_eq!(player.next(false).map(|event| event.kind), None);
    assert_eq!(player.request(c"auto", c"baseline"), MolehillStatus::Ok);
    let first = player.next(false).expect("an event").context;
    assert_eq!((configure(first, 64), player.info().alive), (MolehillStatus::Ok, 1));
    // In one frame, molehill_stage3d_end_frame answers at most one request of the event handlers.
    assert_eq!(player.request(c"auto", c"baselineExtended"), MolehillStatus::Ok);
    assert!(player.next(false).is_none(), "one answer before a frame");
    upload(texture(first));
    let kinds: Vec<_> = std::iter::from_fn(|| player.next(true)).map(|event| event.kind).collect();
    let wanted = [MolehillStageEventKind::TextureReady, MolehillStageEventKind::ContextCreated];
    assert_eq!(kinds, wanted);
    let second = player.info();
    assert_eq!((second.alive, second.requested), (1, 0));
    assert_eq!(info(first).ended, MolehillEnded::Disposed);
    // A rejected context request dispatches an `error` event.
    let none = Player { device: MolehillDevice::default(), ..player };
    assert_eq!(none.request(c"auto", c"baseline"), MolehillStatus::Ok);
    let refused = none.next(false).expect("an event");
    assert_eq!((refused.kind, refused.error_number), (MolehillStageEventKind::Error, 3702));
    assert_eq!(none.end_frame(|_| ()), 0);
    Player { device: player.device, ..none }.end();
}

/// The mode `software` never creates a hardware context [context3d.request.mode].
#[test]
fn mode_and_profiles_of_a_request_reach_the_host() {
    let player = Player::new();
    let mode = || {
        let mode = player.info().render_mode;
        (!mode.is_null()).then(|| unsafe { CStr::from_ptr(mode) })
    };
    let profiles = || {
        let MolehillStage3DInfo { profiles, profile_count, .. } = player.info();
        let names = unsafe { std::slice::from_raw_parts(profiles, profile_count) };
        names.iter().map(|name| unsafe { CStr::from_ptr(*name) }).collect::<Vec<_>>()
    };
    assert_eq!((mode(), profiles()), (None, vec![]));
    let wanted = [c"standard", c"baseline"];
    let names = wanted.map(CStr::as_ptr);
    let asked =
        unsafe { molehill_stage3d_request_matching(player.stage, names.as_ptr(), names.len(), 1) };
    assert_eq!(asked, MolehillStatus::Ok);
    assert_eq!((mode(), profiles()), (Some(c"auto"), wanted.to_vec()));
    let auto = player.created();
    assert_eq!(player.request(c"software", c"baseline"), MolehillStatus::Ok);
    assert_eq!((mode(), profiles()), (Some(c"software"), vec![c"baseline"]));
    let software = player.created();
    assert_eq!((mode(), profiles()), (None, vec![]));
    assert_eq!(info(auto).max_back_buffer_width, 16384);
    assert_eq!(info(software).max_back_buffer_width, 2048, "the limits of software");
    for context in [auto, software] {
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    }
    player.end();
}

/// A program can query video support before it requests a context [context3d.property.video].
#[test]
fn a_stage_tells_whether_there_are_video_textures() {
    let player = Player::new();
    let supports = || {
        let mut value = MolehillValue::default();
        let (class, name) = (c"Context3D".as_ptr(), c"supportsVideoTexture".as_ptr());
        let on = MolehillObject { id: player.stage.id };
        let read = unsafe { molehill_property(on, class, name, &raw mut value) };
        assert_eq!((read, value.kind), (MolehillStatus::Ok, MolehillValueKind::Boolean));
        value.number
    };
    assert_eq!(supports(), 1.0);
    player.set_host(&MolehillHost { no_video_textures: 1, ..MolehillHost::default() });
    assert_eq!(supports(), 0.0);
    player.end();
}

/// After a loss, a new device may be available only after some frames.
#[cfg(feature = "offscreen")]
#[test]
fn a_request_waits_for_a_device() {
    let mut player = Player::new();
    let lost = made(|device| unsafe { molehill_device_offscreen(null(), device) });
    assert_eq!(molehill_device_abandon(lost), MolehillStatus::Ok);
    let working = std::mem::replace(&mut player.device, lost);
    assert_eq!(player.request(c"auto", c"baseline"), MolehillStatus::Ok);
    for _ in 0..3 {
        assert!(player.next(false).is_none());
        assert_eq!(player.end_frame(|_| ()), 0);
    }
    let mut options = MolehillContextOptions::default();
    let answered = unsafe { molehill_stage3d_answer(player.stage, lost, 30, 0, &raw mut options) };
    assert_eq!((answered, player.info().requested), (MolehillStatus::DeviceLost, 1));
    player.device = working;
    assert_eq!(molehill_context_destroy(player.created()), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(lost), MolehillStatus::Ok);
    player.end();
}

/// Every later context has the properties that the host set. A context's position is the position of its Stage3D.
#[test]
fn facts_of_the_host_are_those_of_every_context() {
    let player = Player::new();
    let stage = MolehillRectangle { x: 0.0, y: 0.0, width: 100.0, height: 100.0 };
    player.set_host(&MolehillHost {
        has_placement: 1,
        stage,
        max_back_buffer: 120,
        no_error_texts: 1,
        ..MolehillHost::default()
    });
    let set_x = |x| molehill_stage3d_set_x(player.stage, x);
    let fails = |status, number| {
        assert_eq!((status, message()), (MolehillStatus::FlashError, (number, String::new())));
    };
    fails(set_x(9000.0), 2006);
    assert_eq!(set_x(10.0), MolehillStatus::Ok);
    let mut context = player.context(c"baselineConstrained");
    for round in 0..2 {
        fails(configure(context, 121), 3780);
        fails(configure(context, 95), 3723);
        assert_eq!(configure(context, 50), MolehillStatus::Ok, "{round}");
        assert_eq!(set_x(50.0), MolehillStatus::Ok);
        fails(set_x(51.0), 3723);
        assert_eq!((player.info().x, configure(context, 50)), (50.0, MolehillStatus::Ok));
        fails(configure(context, 51), 3723);
        assert_eq!(set_x(10.0), MolehillStatus::Ok);
        dispose(context, 1);
        context = player.created();
    }
    // The settings may change while a context is in use.
    player.set_host(&MolehillHost::default());
    assert_eq!(configure(context, 500), MolehillStatus::Ok);
    player.end();
}

/// VMs with reference counting free a Context3D before the frame ends.
#[test]
fn a_stage_goes_on_without_its_context() {
    let player = Player::new();
    for recreate in [0, 1] {
        let context = player.context(c"baseline");
        dispose(context, recreate);
        assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
        assert_eq!(player.info().alive, 0);
        assert_eq!(molehill_stage3d_set_x(player.stage, 3.0), MolehillStatus::Ok);
        let events = player.end_frame(|event| {
            assert_eq!(event.kind, MolehillStageEventKind::ContextCreated);
        });
        assert_eq!(events, usize::try_from(recreate).unwrap(), "dispose({recreate})");
    }
    // The second context is usable.
    let context = player.context(c"baseline");
    upload(texture(context));
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!((player.info().alive, player.end_frame(|_| ())), (0, 0));
    let context = player.context(c"baseline");
    assert_eq!((configure(context, 64), player.info().alive), (MolehillStatus::Ok, 1));
    player.end();
}

/// A request still creates a context if the Stage3D's recording has ended.
#[test]
fn a_context_is_made_without_its_recording() {
    let player = Player::new();
    let (path, recording) = record("stage.s3d.jsonl");
    let wrong = MolehillRecording { id: player.device.id };
    let recorded = |recording| molehill_stage3d_record(player.stage, recording, 0);
    assert_eq!(recorded(wrong), MolehillStatus::BadHandle);
    assert_eq!(recorded(recording), MolehillStatus::Ok);
    assert_eq!(molehill_stage3d_set_x(player.stage, 3.0), MolehillStatus::Ok);
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
    let context = player.context(c"baseline");
    assert_eq!(present(context), MolehillStatus::FlashError, "no back buffer");
    assert_eq!(molehill_stage3d_set_x(player.stage, 4.0), MolehillStatus::Ok);
    assert_eq!(message().0, 3698, "the last error is that of a call that failed");
    player.end();
    std::fs::remove_file(path).unwrap();
}

/// Objects of a recorded context can be released after the end of the recording.
#[test]
fn objects_outlive_their_recording() {
    let (path, recording) = record("short.s3d.jsonl");
    let device = device();
    let context = context(device);
    let recorded = unsafe { molehill_context_record(context, recording, 0, null()) };
    assert_eq!(recorded, MolehillStatus::Ok);
    let [released, kept] = [texture(context), texture(context)];
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
    let release =
        |texture: MolehillTexture| molehill_object_release(MolehillObject { id: texture.id });
    assert_eq!(release(released), MolehillStatus::Ok);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(release(kept), MolehillStatus::Nothing);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    std::fs::remove_file(path).unwrap();
}

/// A recording that begins after a context was created doesn't contain that context's calls.
#[test]
fn a_context_has_the_recording_with_which_it_began() {
    let player = Player::new();
    let record = |name| {
        let (path, recording) = record(name);
        assert_eq!(molehill_stage3d_record(player.stage, recording, 0), MolehillStatus::Ok);
        (path, recording)
    };
    let first = record("first.s3d.jsonl");
    let context = player.context(c"baseline");
    assert_eq!(configure(context, 64), MolehillStatus::Ok);
    let second = record("second.s3d.jsonl");
    assert_eq!(configure(context, 50), MolehillStatus::Ok);
    for ((path, recording), calls) in [(first, 1), (second, 0)] {
        assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("configureBackBuffer").count(), calls, "{text}");
        std::fs::remove_file(path).unwrap();
    }
    player.end();
}

#[test]
fn a_refused_request_is_recorded() {
    let player = Player::new();
    let (path, recording) = record("refused.s3d.jsonl");
    assert_eq!(molehill_stage3d_record(player.stage, recording, 0), MolehillStatus::Ok);
    let none = Player { device: MolehillDevice::default(), ..player };
    assert_eq!(none.request(c"auto", c"baselineExtended"), MolehillStatus::Ok);
    assert_eq!(none.end_frame(|event| assert_eq!(event.error_number, 3702)), 1);
    assert_eq!(none.request(c"auto", c"enhanced"), MolehillStatus::Ok);
    let mut options = MolehillContextOptions::default();
    let answered =
        unsafe { molehill_stage3d_answer(none.stage, none.device, 30, 0, &raw mut options) };
    assert_eq!((answered, message().0), (MolehillStatus::FlashError, 3702));
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
    let text = std::fs::read_to_string(&path).unwrap();
    let reason = r#""throws":3702,"reason":"the host has no device for the requested render mode""#;
    for profile in ["baselineExtended", "enhanced"] {
        let refused = |line: &str| line.contains(profile) && line.contains(reason);
        assert!(text.lines().any(refused), "{profile}: {text}");
    }
    Player { device: player.device, ..none }.end();
    std::fs::remove_file(path).unwrap();
}
