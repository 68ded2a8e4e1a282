//! The native parts of a VM's `Stage3D`s and of all objects that come from them: calls and properties by name, events,
//! garbage and recordings, which every host would write again.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use agal::Profile;

use crate::backend::{Backend, BackendError};
use crate::calls::{Arguments, Call, MemberKind, Property, StageMember, Value};
use crate::command::{Command, Reply};
use crate::context::Context3D;
use crate::error::{Error, ErrorCode};
use crate::handle::{AnyHandle, ReleaseQueue};
use crate::pixels::BitmapPatch;
use crate::resource::TextureEvent;
use crate::stage::{Answer, Request, Stage3D, StageCommand};

pub use crate::calls::{Argument, HeldBitmap, Member, Values, Vm};
pub use crate::error::FlashError;
pub use agal::Endian;

/// Number of `Stage3D`s of a stage [context3d.stage3d.count].
pub const STAGE3DS: u32 = 4;

/// Records the calls of a program. `stage` is an index of `stage.stage3Ds`.
pub trait Record {
    /// A granted request; the result stands for the new context.
    fn context(&mut self, stage: u32, request: &Request, granted: Profile) -> u64;
    /// A refused request.
    fn refused(&mut self, stage: u32, request: &Request, error: &FlashError);
    /// A setter of a `Stage3D`.
    fn stage3d(&mut self, stage: u32, command: &StageCommand);
    /// A call on a context or one of its objects.
    fn call(&mut self, context: u64, command: &Command<'_>, result: &Result<Reply, Error>);
    /// An event that is dispatched.
    fn event(&mut self, event: &TextureEvent);
    /// The program has no reference to an object any more.
    fn forget(&mut self, object: AnyHandle);
    /// The end of an SWF frame.
    fn end_frame(&mut self);
}

/// An event to dispatch.
#[derive(Debug)]
pub struct Event<B: Backend> {
    /// `context3DCreate`, `textureReady` or `error`.
    pub name: &'static str,
    /// The [`Native::number`] of the object that dispatches it; `None`: the `Stage3D`.
    pub target: Option<u64>,
    /// Of `error`, which is an `ErrorEvent`: its number and text.
    pub error: Option<FlashError>,
    /// Of `context3DCreate`: the native part of the `Stage3D`'s `context3D`.
    pub context3d: Option<Native<B>>,
}

/// The result of a call or property.
#[derive(Debug)]
pub enum Returned<B: Backend> {
    /// Nothing.
    Undefined,
    /// Null.
    Null,
    /// `Boolean`
    Boolean(bool),
    /// `int`, `uint` or `Number`
    Number(f64),
    /// `String`
    Text(String),
    /// A new object of [`Native::class`].
    Created(Native<B>),
    /// The VM's object of [`Event::context3d`].
    Context3D,
    /// Nothing, and the pixels for the `BitmapData` of the first argument.
    Bitmap(Box<BitmapPatch>),
    /// Nothing, but an event for the object will follow: the VM must not collect it until then.
    Pending,
}

/// All `Stage3D`s of a player.
struct Stages<B: Backend> {
    slots: [Slot<B>; STAGE3DS as usize],
    recorder: RefCell<Option<Box<dyn Record>>>,
    objects: std::cell::Cell<u64>,
}

struct Slot<B: Backend> {
    stage3d: RefCell<Stage3D>,
    context: RefCell<Option<Rc<Hosted<B>>>>,
}

/// A context, which lives as long as the VM has an object of it: calls on an ended one raise 3694.
struct Hosted<B: Backend> {
    api: RefCell<Context3D<B>>,
    queue: ReleaseQueue,
    recorded: Option<u64>,
}

/// The native part of a VM's object: a `Stage3D`, a `Context3D` or an object that one created. Dropping it releases the
/// object, as the garbage collector does; an object that is bound lives on.
///
/// Calls from within [`Arguments`] are allowed. A failure that is no error of Flash's is logged, and the call returns
/// nothing: programs continue as in Flash.
pub struct Native<B: Backend> {
    stages: Rc<Stages<B>>,
    stage: u32,
    context: Option<Rc<Hosted<B>>>,
    object: Option<AnyHandle>,
    class: &'static str,
    number: u64,
}

impl<B: Backend> std::fmt::Debug for Native<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} of stage3Ds[{}]", self.class, self.number, self.stage)
    }
}

impl<B: Backend> Drop for Native<B> {
    fn drop(&mut self) {
        let Some((context, object)) = self.context.as_ref().zip(self.object) else { return };
        context.queue.push(object);
        if let Ok(mut recorder) = self.stages.recorder.try_borrow_mut()
            && let Some(recorder) = &mut *recorder
        {
            recorder.forget(object);
        }
    }
}

impl<B: Backend> Native<B> {
    /// The `Stage3D`s of a player.
    pub fn stage3ds() -> [Native<B>; STAGE3DS as usize] {
        let slot = |_| Slot { stage3d: RefCell::default(), context: RefCell::default() };
        let slots = std::array::from_fn(slot);
        let stages = Rc::new(Stages { slots, recorder: RefCell::default(), objects: 0.into() });
        [0, 1, 2, 3].map(|stage| Native {
            stages: Rc::clone(&stages),
            stage,
            context: None,
            object: None,
            class: "Stage3D",
            number: 0,
        })
    }

    /// The native part of something else of the same `Stage3D`.
    fn other(
        &self,
        context: &Rc<Hosted<B>>,
        object: Option<AnyHandle>,
        class: &'static str,
    ) -> Native<B> {
        let number = self.stages.objects.get() + 1;
        self.stages.objects.set(number);
        let (stages, context) = (Rc::clone(&self.stages), Some(Rc::clone(context)));
        Native { stages, stage: self.stage, context, object, class, number }
    }

    fn slot(&self) -> &Slot<B> {
        &self.stages.slots[self.stage as usize]
    }

    /// The index of the `Stage3D`.
    pub fn index(&self) -> u32 {
        self.stage
    }

    /// The package and name of the object's class, as `flash.display3D.textures` and `Texture`.
    pub fn class(&self) -> [&'static str; 2] {
        let package = match self.class {
            "Stage3D" => "flash.display",
            class if class.ends_with("Texture") => "flash.display3D.textures",
            _ => "flash.display3D",
        };
        [package, self.class]
    }

    /// A number that no other object of the player has.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The object's handle, for arguments; `None`: it is a `Stage3D` or `Context3D`.
    pub fn object(&self) -> Option<AnyHandle> {
        self.object
    }

    /// The `Stage3D`'s position and visibility.
    pub fn stage3d(&self) -> Ref<'_, Stage3D> {
        self.slot().stage3d.borrow()
    }

    /// Where the `Stage3D`'s picture is on the stage: x and y of the left top corner. `None`: it is not shown.
    pub fn shown_at(&self) -> Option<[f64; 2]> {
        let stage = self.stage3d();
        (stage.visible() && self.is_alive()).then(|| [stage.x(), stage.y()])
    }

    /// Uses the object's context, or that of the `Stage3D`. `None`: there is none, or a call is using it.
    pub fn with_context<T>(&self, action: impl FnOnce(&mut Context3D<B>) -> T) -> Option<T> {
        let current = self.context.clone().or_else(|| self.slot().context.borrow().clone())?;
        let mut api = current.api.try_borrow_mut().ok()?;
        Some(action(&mut api))
    }

    /// Whether the object's context, or that of the `Stage3D`, works.
    pub fn is_alive(&self) -> bool {
        self.with_context(|context| context.ended().is_none()).unwrap_or_default()
    }

    /// Records positions and visibility of the `Stage3D`s, and all calls that follow. Begin before the first context.
    pub fn record(&self, mut recorder: impl Record + 'static) {
        for (slot, stage) in self.stages.slots.iter().zip(0..) {
            slot.stage3d.borrow().changes().for_each(|it| recorder.stage3d(stage, &it));
        }
        *self.stages.recorder.borrow_mut() = Some(Box::new(recorder));
    }

    /// Whether [`Native::record`] was called.
    pub fn is_recorded(&self) -> bool {
        self.stages.recorder.borrow().is_some()
    }

    fn recorder<T>(&self, action: impl FnOnce(&mut dyn Record) -> T) -> Option<T> {
        self.stages.recorder.borrow_mut().as_mut().map(|recorder| action(&mut **recorder))
    }

    /// Calls a method or setter, or reads a property, of the class of this object.
    ///
    /// # Errors
    /// What the VM throws: its own errors of arguments, and those of Flash.
    pub fn call<A: Arguments>(
        &self,
        member: Member,
        arguments: &mut A,
    ) -> Result<Returned<B>, A::Error> {
        let result = match (member.kind, &self.context) {
            (MemberKind::Stage(stage), None) => match stage.command(arguments)? {
                Some(command) => self.stage_call(&command),
                None => Ok(self.stage_property(stage)),
            },
            (MemberKind::Call(call), Some(context)) => {
                let then = |command: &Command<'_>| self.execute(context, call, command);
                call.with(member.class, self.object, arguments, then)?
            }
            (MemberKind::Property(row), Some(context)) => self.property(context, row),
            _ => return Err(arguments.mismatch()),
        };
        match result {
            Ok(returned) => Ok(returned),
            Err(Error::Flash(error)) => Err(arguments.throw(&error)),
            Err(error @ (Error::Unsupported(_) | Error::Backend(_))) => {
                log::error!("Stage3D: {error}");
                Ok(Returned::Undefined)
            }
        }
    }

    fn stage_property(&self, member: StageMember) -> Returned<B> {
        let stage = self.stage3d();
        match member {
            StageMember::X => Returned::Number(stage.x()),
            StageMember::Y => Returned::Number(stage.y()),
            StageMember::Visible => Returned::Boolean(stage.visible()),
            StageMember::Context3D if self.is_alive() => Returned::Context3D,
            StageMember::Context3D => Returned::Null,
            // They have commands.
            StageMember::SetX
            | StageMember::SetY
            | StageMember::SetVisible
            | StageMember::Request
            | StageMember::RequestMatching => Returned::Undefined,
        }
    }

    fn stage_call(&self, command: &StageCommand) -> Result<Returned<B>, Error> {
        let (x, y) = (self.stage3d().x(), self.stage3d().y());
        let position = match *command {
            StageCommand::SetX(x) => Some((x, y)),
            StageCommand::SetY(y) => Some((x, y)),
            StageCommand::SetVisible(_)
            | StageCommand::Request { .. }
            | StageCommand::RequestMatching { .. } => None,
        };
        if let Some((x, y)) = position {
            self.with_context(|context| context.check_position(x, y)).transpose()?;
        }
        self.slot().stage3d.borrow_mut().execute(command)?;
        self.recorder(|recorder| recorder.stage3d(self.index(), command));
        Ok(Returned::Undefined)
    }

    fn execute(
        &self,
        context: &Rc<Hosted<B>>,
        call: &'static Call,
        command: &Command<'_>,
    ) -> Result<Returned<B>, Error> {
        let mut api = context.api.borrow_mut();
        let result = api.execute(command);
        if let Some(recorded) = context.recorded {
            self.recorder(|recorder| recorder.call(recorded, command, &result));
        }
        let reply = result?;
        if let (Some(object), Some(class)) = (reply.handle(), call.creates) {
            let native = self.other(context, Some(object), class);
            api.set_user_data(object, native.number);
            return Ok(Returned::Created(native));
        }
        Ok(match reply {
            Reply::Bitmap(patch) => Returned::Bitmap(patch),
            Reply::Null => Returned::Null,
            Reply::Done if call.raises(ErrorCode::UploadFailed) => Returned::Pending,
            Reply::Done
            | Reply::Skipped(_)
            | Reply::VertexBuffer(_)
            | Reply::IndexBuffer(_)
            | Reply::Program(_)
            | Reply::Texture(_) => Returned::Undefined,
        })
    }

    fn property(&self, context: &Hosted<B>, row: &Property) -> Result<Returned<B>, Error> {
        let value = context.api.borrow().property(row.class, row.name, self.object)?;
        Ok(match value {
            Some(Value::Text(Some(text))) => Returned::Text(text),
            Some(Value::Number(number)) => Returned::Number(number),
            Some(Value::Boolean(value)) => Returned::Boolean(value),
            Some(Value::Text(None)) | None => Returned::Null,
        })
    }

    /// Ends the frame of a `Stage3D`, after its code ran, with an empty stack: passes on events of textures, takes note
    /// of a context that ended, and answers a request with the backend that `make` makes. Call it for all four in their
    /// order: the last ends the recording's frame.
    pub fn end_frame(
        &self,
        swf_version: u32,
        make: impl FnOnce() -> Result<B, BackendError>,
        mut dispatch: impl FnMut(Event<B>),
    ) {
        while let Some(event) = self.with_context(Context3D::take_texture_event).flatten() {
            self.recorder(|recorder| recorder.event(&event));
            let name = if event.error.is_some() { "error" } else { "textureReady" };
            let (target, error) = (Some(event.user_data), event.error);
            dispatch(Event { name, target, error, context3d: None });
        }
        if let Some(ended) = self.with_context(|context| context.ended()).flatten() {
            self.slot().stage3d.borrow_mut().context_ended(ended);
            self.slot().context.take();
        }
        self.answer(swf_version, make).map(dispatch);
        if self.stage == STAGE3DS - 1 {
            self.recorder(|recorder| recorder.end_frame());
        }
    }

    fn answer(
        &self,
        swf_version: u32,
        make: impl FnOnce() -> Result<B, BackendError>,
    ) -> Option<Event<B>> {
        let request = self.stage3d().pending_request()?.clone();
        let backend = make().inspect_err(|error| log::error!("Stage3D: {error}")).ok();
        let slots = self.stages.slots.iter().zip(0..);
        let others =
            slots.filter(|(slot, index)| *index != self.stage && slot.context.borrow().is_some());
        let others = others.count();
        let mut stage = self.slot().stage3d.borrow_mut();
        let caps = backend.as_ref().map(Backend::caps);
        match (stage.answer_beside(caps, swf_version, others)?, backend) {
            (Answer::Create(options, request), Some(backend)) => {
                let granted = options.profile;
                let recorded =
                    self.recorder(|recorder| recorder.context(self.index(), &request, granted));
                let api = Context3D::new(backend, options);
                let queue = api.release_queue();
                let context = Rc::new(Hosted { api: RefCell::new(api), queue, recorded });
                self.slot().context.replace(Some(Rc::clone(&context)));
                let context3d = Some(self.other(&context, None, "Context3D"));
                Some(Event { name: "context3DCreate", target: None, error: None, context3d })
            }
            (Answer::Refuse(error, _), _) => {
                self.recorder(|recorder| recorder.refused(self.index(), &request, &error));
                Some(Event { name: "error", target: None, error: Some(error), context3d: None })
            }
            (Answer::Create(..), None) => None, // no device grants nothing
        }
    }
}
