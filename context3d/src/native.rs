//! The native parts of a VM's `Stage3D`s and of all objects that come from them: calls and properties by name, events,
//! garbage and recordings, which every host would write again.

mod frame;

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use agal::Profile;

use crate::backend::Backend;
use crate::calls::{Arguments, Call, CallKind, MemberKind, Property, StageMember, Value};
use crate::command::{Command, Reply};
use crate::context::Context3D;
use crate::error::Error;
use crate::executor::Executor;
use crate::handle::{AnyHandle, ReleaseQueue};
use crate::host::Host;
use crate::pixels::BitmapPatch;
use crate::resource::TextureEvent;
use crate::stage::{Refusal, Request, Stage3D, StageCommand};

pub use crate::calls::{Argument, HeldBitmap, Member, Values, Vm};
pub use crate::error::FlashError;
pub use agal::Endian;

/// Number of `Stage3D`s of a stage [context3d.stage3d.count].
pub const STAGE3DS: u32 = 4;

/// Records the calls of a program. `stage` is an index of `stage.stage3Ds`.
pub trait Record {
    /// A granted request; the result stands for the new context.
    fn context(&mut self, stage: u32, request: &Request, granted: Profile) -> u64;
    /// A refused request, with the error of its event and the reason, which the event does not name.
    fn refused(&mut self, stage: u32, request: &Request, error: &FlashError, reason: &Refusal);
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
    executor: RefCell<Executor>,
    objects: Cell<u64>,
    /// A failure is being logged.
    logs: Cell<bool>,
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

impl<B: Backend> Hosted<B> {
    /// Returns whether the context works. A context that a call is using counts as working.
    fn is_alive(&self) -> bool {
        self.api.try_borrow().map_or(true, |api| api.ended().is_none())
    }
}

/// The native part of a VM's object: a `Stage3D`, a `Context3D` or an object that one created. Dropping it releases the
/// object, as the garbage collector does; an object that is bound lives on.
///
/// Calls from within [`Arguments`] are allowed. A call from within a call on the same context, such as one of a logger
/// that runs code of the VM, is not made: it returns [`Returned::Undefined`]. This and every other failure that is no
/// error of Flash's is logged: programs continue as in Flash.
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
        self.recorder(|recorder| recorder.forget(object));
    }
}

impl<B: Backend> Native<B> {
    /// The `Stage3D`s of a player.
    pub fn stage3ds() -> [Native<B>; STAGE3DS as usize] {
        let slot = |_| Slot { stage3d: RefCell::default(), context: RefCell::default() };
        let slots = std::array::from_fn(slot);
        let recorder = RefCell::default();
        let executor = Executor::threads().into();
        let (objects, logs) = (0.into(), false.into());
        let stages = Rc::new(Stages { slots, recorder, executor, objects, logs });
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

    /// A copy of the `Stage3D`: position and visibility, and the pending request.
    pub fn stage3d(&self) -> Stage3D {
        self.slot().stage3d.borrow().clone()
    }

    /// The facts of the player, as last set.
    pub fn host(&self) -> Host {
        self.slot().stage3d.borrow().host()
    }

    /// Sets the facts of the player for all its contexts, also for those that it makes later. They affect later calls
    /// only. A context whose call is under way keeps the old facts.
    pub fn set_host(&self, host: Host) {
        for slot in &self.stages.slots {
            slot.stage3d.borrow_mut().set_host(host);
            let context = slot.context.borrow().clone();
            if let Some(mut api) = context.as_ref().and_then(|context| self.enter(context)) {
                api.set_host(host);
            }
        }
    }

    /// Sets where asynchronous uploads of later contexts are decoded; at first on [`Executor::threads`]. Contexts that are
    /// recorded decode in the call, so that a replay sees the same.
    pub fn set_executor(&self, executor: Executor) {
        self.stages.executor.replace(executor);
    }

    /// Where the `Stage3D`'s picture is on the stage: x and y of the left top corner. `None`: it is not shown.
    pub fn shown_at(&self) -> Option<[f64; 2]> {
        let stage = self.slot().stage3d.borrow();
        (stage.visible() && self.is_alive()).then(|| [stage.x(), stage.y()])
    }

    /// Uses the object's context, or that of the `Stage3D`. `None`: there is none, or a call is using it.
    pub fn with_context<T>(&self, action: impl FnOnce(&mut Context3D<B>) -> T) -> Option<T> {
        let current = self.current()?;
        let mut api = current.api.try_borrow_mut().ok()?;
        Some(action(&mut api))
    }

    /// The object's context, or that of the `Stage3D`.
    fn current(&self) -> Option<Rc<Hosted<B>>> {
        self.context.clone().or_else(|| self.slot().context.borrow().clone())
    }

    /// A context for a call; `None` within another call on it.
    fn enter<'a>(&self, context: &'a Hosted<B>) -> Option<RefMut<'a, Context3D<B>>> {
        let entered = context.api.try_borrow_mut().ok();
        if entered.is_none() {
            self.refuse("a context was used within a call on it");
        }
        entered
    }

    /// Logs what is not done. A logger may call again.
    fn refuse(&self, what: &str) {
        if !self.stages.logs.replace(true) {
            log::error!("Stage3D: {what}");
            self.stages.logs.set(false);
        }
    }

    /// Whether the object's context, or that of the `Stage3D`, works.
    pub fn is_alive(&self) -> bool {
        self.current().is_some_and(|context| context.is_alive())
    }

    /// Records positions and visibility of the `Stage3D`s, and all calls that follow. Begin before the first context.
    pub fn record(&self, mut recorder: impl Record + 'static) {
        for (slot, stage) in self.stages.slots.iter().zip(0..) {
            let stage3d = slot.stage3d.borrow().clone();
            stage3d.changes().for_each(|it| recorder.stage3d(stage, &it));
        }
        let new = Some(Box::new(recorder) as Box<dyn Record>);
        let old = self.recorder_slot().map(|mut slot| std::mem::replace(&mut *slot, new));
        drop(old);
    }

    /// Whether [`Native::record`] was called.
    pub fn is_recorded(&self) -> bool {
        self.stages.recorder.try_borrow().map_or(true, |recorder| recorder.is_some())
    }

    fn recorder_slot(&self) -> Option<RefMut<'_, Option<Box<dyn Record>>>> {
        let slot = self.stages.recorder.try_borrow_mut().ok();
        if slot.is_none() {
            self.refuse("the recorder made a call, which is not recorded");
        }
        slot
    }

    fn recorder<T>(&self, action: impl FnOnce(&mut dyn Record) -> T) -> Option<T> {
        self.recorder_slot()?.as_mut().map(|recorder| action(&mut **recorder))
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
                self.refuse(&error.to_string());
                Ok(Returned::Undefined)
            }
        }
    }

    fn stage_property(&self, member: StageMember) -> Returned<B> {
        let stage = self.slot().stage3d.borrow();
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
        let context = self.current();
        let mut api = match context.as_deref().map(|context| self.enter(context)) {
            Some(None) => return Ok(Returned::Undefined),
            Some(entered) => entered,
            None => None,
        };
        self.slot().stage3d.borrow_mut().execute(command, api.as_deref_mut())?;
        drop(api);
        self.recorder(|recorder| recorder.stage3d(self.index(), command));
        Ok(Returned::Undefined)
    }

    fn execute(
        &self,
        context: &Rc<Hosted<B>>,
        call: &'static Call,
        command: &Command<'_>,
    ) -> Result<Returned<B>, Error> {
        let Some(mut api) = self.enter(context) else { return Ok(Returned::Undefined) };
        let waiting = api.texture_events_queued();
        let reply = self.recorded(context, &mut api, command)?;
        if let (Some(object), Some(class)) = (reply.handle(), call.creates) {
            let native = self.other(context, Some(object), class);
            api.set_user_data(object, native.number);
            return Ok(Returned::Created(native));
        }
        Ok(match reply {
            Reply::Bitmap(patch) => Returned::Bitmap(patch),
            Reply::Null => Returned::Null,
            Reply::Done if api.texture_events_queued() > waiting => Returned::Pending,
            Reply::Done
            | Reply::Skipped(_)
            | Reply::VertexBuffer(_)
            | Reply::IndexBuffer(_)
            | Reply::Program(_)
            | Reply::Texture(_) => Returned::Undefined,
        })
    }

    /// Executes a command, and records it.
    fn recorded(
        &self,
        context: &Hosted<B>,
        api: &mut Context3D<B>,
        command: &Command<'_>,
    ) -> Result<Reply, Error> {
        let result = api.execute(command);
        if let Some(recorded) = context.recorded {
            self.recorder(|recorder| recorder.call(recorded, command, &result));
        }
        result
    }

    /// Carries out a call of the host's on the object's context, or that of the `Stage3D`, and records it: the frame of
    /// a video, or blocks. Returns the event to dispatch: a video texture's `textureReady`, which is recorded too.
    ///
    /// # Errors
    /// Those of the call; [`Error::Unsupported`] for a program's calls, without a context, and within another call.
    pub fn host_call(&self, command: &Command<'_>) -> Result<Option<Event<B>>, Error> {
        let unsupported = |what: &str| Error::Unsupported(what.to_owned());
        if command.call().kind != CallKind::Host {
            return Err(unsupported("a program's call, made by the host"));
        }
        let context = self.current().ok_or_else(|| unsupported("a call without a context"))?;
        let entered = self.enter(&context).ok_or_else(|| unsupported("a call within another"));
        let mut api = entered?;
        self.recorded(&context, &mut api, command)?;
        let Command::VideoTextureFrame { texture, .. } = *command else { return Ok(None) };
        let event = TextureEvent { texture, user_data: api.user_data(texture), error: None };
        drop(api);
        Ok(Some(self.texture_event(event)))
    }

    fn texture_event(&self, event: TextureEvent) -> Event<B> {
        self.recorder(|recorder| recorder.event(&event));
        let name = if event.error.is_some() { "error" } else { "textureReady" };
        Event { name, target: Some(event.user_data), error: event.error, context3d: None }
    }

    fn property(&self, context: &Hosted<B>, row: &Property) -> Result<Returned<B>, Error> {
        let Some(api) = self.enter(context) else { return Ok(Returned::Undefined) };
        let value = api.property(row.class, row.name, self.object)?;
        Ok(match value {
            Some(Value::Text(Some(text))) => Returned::Text(text),
            Some(Value::Number(number)) => Returned::Number(number),
            Some(Value::Boolean(value)) => Returned::Boolean(value),
            Some(Value::Text(None)) | None => Returned::Null,
        })
    }
}
