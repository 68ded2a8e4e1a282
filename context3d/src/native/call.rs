//! Calls of a program and of the host.

use super::{Event, Native, Returned, SharedContext};
use crate::backend::{Backend, BackendError};
use crate::calls::{Arguments, Method, MethodKind, Value};
use crate::command::{Invocation, Reply};
use crate::error::{Error, ErrorCode};
use crate::resource::TextureEvent;

/// Returns whether a call failed for lack of memory, or because there are too many objects [context3d.error.3691].
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
    /// Calls a method of the class of this object. A [static](Method::is_static) getter can be called on any object,
    /// also before there is a context.
    ///
    /// # Errors
    /// The VM's own errors of arguments, and those of Flash, as the VM throws them.
    pub fn call<A: Arguments>(
        &self,
        method: Method,
        arguments: &mut A,
    ) -> Result<Returned<B>, A::Error> {
        match self.invoke(method, arguments)? {
            Ok(returned) => Ok(returned),
            Err(Error::Flash(error)) => Err(arguments.throw(&error)),
            Err(error @ (Error::Unsupported(_) | Error::Backend(_))) => {
                self.refuse(&error.to_string());
                Ok(Returned::Undefined)
            }
        }
    }

    /// As [`Native::call`], for a host that throws and logs itself.
    ///
    /// # Errors
    /// The VM's own errors of arguments, and within it those of [`Native::execute`].
    pub fn invoke<A: Arguments>(
        &self,
        method: Method,
        arguments: &mut A,
    ) -> Result<Result<Returned<B>, Error>, A::Error> {
        if !method.is_static && !method.is_of(self.class) {
            return Err(arguments.mismatch());
        }
        if method.kind == MethodKind::Getter {
            return Ok(self.property(method));
        }
        if method.is_attached() {
            return Ok(self.attach());
        }
        method.with(self.class, self.object, arguments, |arguments, invocation| {
            self.carry_out(invocation, &mut || arguments.collect_garbage())
        })
    }

    /// Reads a property.
    fn property(&self, method: Method) -> Result<Returned<B>, Error> {
        if method.is_static {
            return Ok(Returned::Boolean(self.host().video_textures));
        }
        let Some(context) = &self.context else {
            let stage = self.shared().stage3d.borrow();
            return Ok(match method.name {
                "x" => Returned::Number(stage.x()),
                "y" => Returned::Number(stage.y()),
                "visible" => Returned::Boolean(stage.visible()),
                _ if self.is_alive() => Returned::Context3D,
                _ => Returned::Null,
            });
        };
        let api = context.enter()?;
        Ok(match api.property(self.class, method.name, self.object)? {
            Some(Value::Text(Some(text))) => Returned::Text(text),
            Some(Value::Number(number)) => Returned::Number(number),
            Some(Value::Boolean(value)) => Returned::Boolean(value),
            Some(Value::Text(None)) | None => Returned::Null,
        })
    }

    /// Carries out a call on this object, for a host that has its arguments, and records it.
    ///
    /// # Errors
    /// Those of the call; [`Error::Unsupported`] for one of another class or of the host, and within another call on the
    /// same context.
    pub fn execute(&self, invocation: &Invocation<'_>) -> Result<Returned<B>, Error> {
        self.execute_or_collect(invocation, &mut || false)
    }

    /// As [`Native::execute`]. If memory or the number of objects is exhausted, `collect` is called once: it collects the
    /// VM's garbage, that is, drops the [`Native`]s of objects that the program can't reach, and returns whether there was
    /// any. Then the call is tried again [context3d.limit.garbage].
    ///
    /// # Errors
    /// As [`Native::execute`].
    pub fn execute_or_collect(
        &self,
        invocation: &Invocation<'_>,
        collect: &mut dyn FnMut() -> bool,
    ) -> Result<Returned<B>, Error> {
        let method = invocation.method();
        if !method.is_of(self.class) || method.kind == MethodKind::Host {
            let (name, class) = (method.name, self.class);
            return Err(Error::Unsupported(format!("{name} is no call on {class}")));
        }
        self.carry_out(invocation, collect)
    }

    /// Carries out a call of this class.
    fn carry_out(
        &self,
        invocation: &Invocation<'_>,
        collect: &mut dyn FnMut() -> bool,
    ) -> Result<Returned<B>, Error> {
        let Some(context) = &self.context else { return self.stage_call(invocation) };
        let mut api = context.enter()?;
        let waiting = api.texture_events_waiting();
        let mut result = api.execute(invocation);
        if result.as_ref().is_err_and(is_of_memory) {
            // Finalizers of the VM may use the context.
            drop(api);
            let collected = collect();
            api = context.enter()?;
            if collected {
                api.collect_released()?;
                result = api.execute(invocation);
            }
        }
        self.record_call(context, invocation, &result);
        let reply = result?;
        if let (Some(object), Some(class)) = (reply.handle(), invocation.method().result) {
            let native = self.other(context, Some(object), class);
            api.set_user_data(object, native.number);
            return Ok(Returned::Created(native));
        }
        Ok(match reply {
            Reply::Bitmap(patch) => Returned::Bitmap(patch),
            Reply::Null => Returned::Null,
            Reply::Done if api.texture_events_waiting() > waiting => Returned::Pending,
            Reply::Skipped(code) => Returned::Skipped(code),
            Reply::Done
            | Reply::VertexBuffer(_)
            | Reply::IndexBuffer(_)
            | Reply::Program(_)
            | Reply::Texture(_) => Returned::Undefined,
        })
    }

    fn stage_call(&self, invocation: &Invocation<'_>) -> Result<Returned<B>, Error> {
        let context = self.current();
        let mut api = context.as_deref().map(SharedContext::enter).transpose()?;
        self.shared().stage3d.borrow_mut().execute(invocation, api.as_deref_mut())?;
        drop(api);
        self.recorder(|recorder| recorder.stage3d(self.index(), invocation));
        Ok(Returned::Undefined)
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

    /// Carries out a call of the host's on the object's context, or that of the `Stage3D`, and records it: the frame of
    /// a video, or blocks. Returns the event to dispatch: a video texture's `textureReady`, which is recorded too.
    ///
    /// # Errors
    /// Those of the call; [`Error::Unsupported`] for a program's calls, without a context, and within another call.
    pub fn host_call(&self, invocation: &Invocation<'_>) -> Result<Option<Event<B>>, Error> {
        let unsupported = |what: &str| Error::Unsupported(what.to_owned());
        if invocation.method().kind != MethodKind::Host {
            return Err(unsupported("a program's call, made by the host"));
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

    pub(super) fn texture_event(&self, event: TextureEvent) -> Event<B> {
        self.recorder(|recorder| recorder.event(&event));
        let name = if event.error.is_some() { "error" } else { "textureReady" };
        Event { error: event.error, ..Event::new(name, Some(event.user_data)) }
    }
}
