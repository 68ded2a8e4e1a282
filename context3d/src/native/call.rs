//! Execution of method calls that ActionScript or the host makes.

use super::{HostEvent, Native, NativeResult, SharedContext};
use crate::backend::{Backend, BackendError};
use crate::calls::{Arguments, Method, MethodKind, PropertyValue};
use crate::command::{Invocation, Reply};
use crate::error::{Error, ErrorCode};
use crate::handle::AnyHandle;
use crate::resource::TextureEvent;

/// Returns whether a call failed because of exhausted memory or too many objects [context3d.error.3691].
fn is_of_memory(error: &Error) -> bool {
    use ErrorCode::{BufferFailed, OperationFailed, ResourceLimit, TextureFailed};
    match error {
        Error::Flash(error) => {
            [ResourceLimit, BufferFailed, TextureFailed, OperationFailed].contains(&error.code())
        }
        Error::Backend(error) => *error == BackendError::OutOfMemory,
        Error::Unsupported(_) => false,
    }
}

impl<B: Backend> Native<B> {
    /// Calls a method of this object's class. A [static](Method::is_static) getter can be called on any object, even
    /// without a context.
    ///
    /// # Errors
    /// The VM's errors of arguments, and Flash's errors converted by the VM.
    pub fn call<A: Arguments>(
        &self,
        method: Method,
        arguments: &mut A,
    ) -> Result<NativeResult<B>, A::Error> {
        match self.invoke(method, arguments)? {
            Ok(returned) => Ok(returned),
            Err(Error::Flash(error)) => Err(arguments.throw(&error)),
            Err(error @ (Error::Unsupported(_) | Error::Backend(_))) => {
                self.log_failure(&error.to_string());
                Ok(NativeResult::Undefined)
            }
        }
    }

    /// Like [`Native::call`], but returns Flash's errors and other failures instead of converting and logging them.
    ///
    /// # Errors
    /// The VM's errors of arguments; the inner result has the errors of [`Native::execute`].
    pub fn invoke<A: Arguments>(
        &self,
        method: Method,
        arguments: &mut A,
    ) -> Result<Result<NativeResult<B>, Error>, A::Error> {
        if !method.is_static && !method.is_of(self.class) {
            return Err(arguments.mismatch());
        }
        if method.kind == MethodKind::Getter {
            return Ok(self.property(method, self.object));
        }
        if method.is_attached() {
            return Ok(self.attach());
        }
        method.with(self.class, self.object, arguments, |arguments, invocation| {
            self.carry_out(invocation, &mut || arguments.collect_garbage())
        })
    }

    /// Reads a property of this `Stage3D`, or of this context or one of its objects.
    ///
    /// # Errors
    /// 3694 for a disposed object; [`Error::Unsupported`] within another call on the same context.
    pub fn property(
        &self,
        method: Method,
        object: Option<AnyHandle>,
    ) -> Result<NativeResult<B>, Error> {
        if method.is_static {
            return Ok(NativeResult::Boolean(self.host().video_textures));
        }
        let Some(context) = &self.context else {
            let stage = self.shared().stage3d.borrow();
            return Ok(match method.name {
                "x" => NativeResult::Number(stage.x()),
                "y" => NativeResult::Number(stage.y()),
                "visible" => NativeResult::Boolean(stage.visible()),
                _ if self.is_alive() => NativeResult::Context3D,
                _ => NativeResult::Null,
            });
        };
        let api = context.enter()?;
        let class = method.classes.first().copied().unwrap_or_default();
        Ok(match api.property(class, method.name, object)? {
            Some(PropertyValue::Text(Some(text))) => NativeResult::Text(text),
            Some(PropertyValue::Number(number)) => NativeResult::Number(number),
            Some(PropertyValue::Boolean(value)) => NativeResult::Boolean(value),
            Some(PropertyValue::Text(None)) | None => NativeResult::Null,
        })
    }

    /// Executes and records a call on this `Stage3D`, or on this context or one of its objects.
    ///
    /// # Errors
    /// The errors of the call; [`Error::Unsupported`] for a call of another class, and during another call on the same
    /// context.
    pub fn execute(&self, invocation: &Invocation<'_>) -> Result<NativeResult<B>, Error> {
        self.execute_or_collect(invocation, &mut || false)
    }

    /// Like [`Native::execute`], but calls `collect` once if memory or the number of objects is exhausted. `collect`
    /// drops the [`Native`]s of objects that the program can't reach, and returns whether there were any. If `collect`
    /// returns true, the call is repeated [context3d.limit.garbage].
    ///
    /// # Errors
    /// Those of [`Native::execute`].
    pub fn execute_or_collect(
        &self,
        invocation: &Invocation<'_>,
        collect: &mut dyn FnMut() -> bool,
    ) -> Result<NativeResult<B>, Error> {
        let method = invocation.method();
        if method.is_of("Stage3D") != self.context.is_none() {
            let (name, class) = (method.name, self.class);
            return Err(Error::Unsupported(format!("{class} has no call {name}")));
        }
        self.carry_out(invocation, collect)
    }

    /// Executes a call on an object of this class.
    fn carry_out(
        &self,
        invocation: &Invocation<'_>,
        collect: &mut dyn FnMut() -> bool,
    ) -> Result<NativeResult<B>, Error> {
        let Some(context) = &self.context else { return self.stage_call(invocation) };
        let mut api = context.enter()?;
        let mut queued = api.texture_events_queued();
        let mut result = api.execute(invocation);
        if result.as_ref().is_err_and(is_of_memory) {
            // Finalizers that run during the collection may use the context.
            drop(api);
            let collected = collect();
            api = context.enter()?;
            if collected {
                api.collect_released()?;
                queued = api.texture_events_queued();
                result = api.execute(invocation);
            }
        }
        self.record_call(context, invocation, &result);
        let reply = result?;
        if let (Some(object), Some(class)) = (reply.handle(), invocation.method().result) {
            let native = self.create_object(context, Some(object), class);
            api.set_user_data(object, native.number);
            return Ok(NativeResult::Created(native));
        }
        Ok(match reply {
            Reply::Bitmap(patch) => NativeResult::Bitmap(patch),
            Reply::Null => NativeResult::Null,
            Reply::Done if api.texture_events_queued() > queued => NativeResult::Pending,
            Reply::Skipped(code) => NativeResult::Skipped(code),
            Reply::Done
            | Reply::VertexBuffer(_)
            | Reply::IndexBuffer(_)
            | Reply::Program(_)
            | Reply::Texture(_) => NativeResult::Undefined,
        })
    }

    fn stage_call(&self, invocation: &Invocation<'_>) -> Result<NativeResult<B>, Error> {
        let context = self.current();
        let mut api = context.as_deref().map(SharedContext::enter).transpose()?;
        self.shared().stage3d.borrow_mut().execute(invocation, api.as_deref_mut())?;
        drop(api);
        self.recorder(|recorder| recorder.stage3d(self.index(), invocation));
        Ok(NativeResult::Undefined)
    }

    fn record_call(
        &self,
        context: &SharedContext<B>,
        invocation: &Invocation<'_>,
        result: &Result<Reply, Error>,
    ) {
        if let Some(recorded) = context.recorded.get() {
            self.recorder(|recorder| recorder.call(recorded, invocation, result));
        }
    }

    /// Executes and records a call that only hosts make (a video frame, or blocks) on the object's context, or that of
    /// the `Stage3D`. Returns the event to dispatch: a video texture's `textureReady`, which is recorded too.
    ///
    /// # Errors
    /// The errors of the call; [`Error::Unsupported`] for an ActionScript method, without a context, or within a call.
    pub fn host_call(&self, invocation: &Invocation<'_>) -> Result<Option<HostEvent<B>>, Error> {
        let unsupported = |what: &str| Error::Unsupported(what.to_owned());
        if invocation.method().kind != MethodKind::Host {
            return Err(unsupported("the host called a method that only the program may call"));
        }
        let context = self.current().ok_or_else(|| unsupported("a call without a context"))?;
        let mut api = context.enter()?;
        let result = api.execute(invocation);
        self.record_call(&context, invocation, &result);
        result?;
        let Invocation::VideoTextureFrame { texture, .. } = *invocation else { return Ok(None) };
        let event = TextureEvent { texture, user_data: api.user_data(texture), error: None };
        drop(api);
        Ok(Some(self.texture_event(event)))
    }

    pub(super) fn texture_event(&self, event: TextureEvent) -> HostEvent<B> {
        self.recorder(|recorder| recorder.event(&event));
        let name = if event.error.is_some() { "error" } else { "textureReady" };
        HostEvent { error: event.error, ..HostEvent::new(name, Some(event.user_data)) }
    }
}
