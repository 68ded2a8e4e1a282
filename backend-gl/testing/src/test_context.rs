//! A context for tests, with a scene.

use super::objects::{CreatedObjects, creations};
use context3d::backend::Backend;
use context3d::{Context3D, ContextOptions, Error, Invocation, Reply, TextureEvent};

/// The state that [`TestContext::properties`] returns.
type ContextProperties = (u64, (u32, u32), (u32, u32), (bool, bool), bool);

/// A context and its objects.
pub struct TestContext<B: Backend> {
    /// The tested context.
    pub context: Context3D<B>,
    /// The objects that the calls have created.
    pub objects: CreatedObjects,
}

impl<B: Backend> TestContext<B> {
    /// Creates a context with a scene that is ready to draw, as far as the profile allows.
    pub fn over(backend: B, options: ContextOptions) -> Self {
        Self::with(Context3D::new(backend, options))
    }

    /// Creates a context on another backend with the initial state of this context. Both contexts accept the same
    /// handles, so that they can execute the same calls.
    pub fn twin<C: Backend>(&self, backend: C) -> TestContext<C> {
        let mut context = Context3D::new(backend, self.context.options());
        context.share_handles(&self.context);
        TestContext::with(context)
    }

    fn with(context: Context3D<B>) -> Self {
        let objects = CreatedObjects::default();
        let mut test = TestContext { context, objects };
        for command in creations() {
            // A context with a small profile rejects some creations, such as those of large textures.
            let _ = test.execute(&command);
        }
        for command in test.objects.scene() {
            let _ = test.execute(&command);
        }
        test
    }

    /// Executes a call and records the object that it creates.
    pub fn execute(&mut self, command: &Invocation<'_>) -> Result<Reply, Error> {
        let result = self.context.execute(command);
        if let Ok(reply) = &result {
            self.objects.keep(command, reply);
        }
        result
    }

    /// Returns the state that a program can see, except for the image.
    pub fn properties(&self) -> ContextProperties {
        let context = &self.context;
        (
            context.total_gpu_memory(),
            context.back_buffer_size(),
            context.max_back_buffer_size(),
            (context.error_checking(), context.ignores_resource_limits()),
            context.is_disposed(),
        )
    }

    /// Returns the events that a host would dispatch.
    pub fn events(&mut self) -> Vec<TextureEvent> {
        std::iter::from_fn(|| self.context.take_texture_event()).collect()
    }
}
