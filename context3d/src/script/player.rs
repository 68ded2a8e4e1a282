//! A context on which calls are tried.

use super::Pools;
use crate::backend::Backend;
use crate::command::{Command, Reply};
use crate::context::{Context3D, ContextOptions};
use crate::error::Error;

/// A context and the objects that were made in it.
pub struct Player<B: Backend> {
    /// The context.
    pub context: Context3D<B>,
    /// Its objects.
    pub pools: Pools,
}

impl<B: Backend> Player<B> {
    /// A context with a scene in it that is ready to draw, as far as the profile allows.
    pub fn over(backend: B, options: ContextOptions) -> Self {
        let context = Context3D::new(backend, options);
        let pools = Pools::default();
        let mut player = Player { context, pools };
        for command in super::objects() {
            // A small profile refuses some of them.
            let _ = player.execute(&command);
        }
        for command in player.pools.scene() {
            let _ = player.execute(&command);
        }
        player
    }

    /// Does a call and keeps the object that it makes.
    ///
    /// # Errors
    /// As [`Context3D::execute`].
    pub fn execute(&mut self, command: &Command<'_>) -> Result<Reply, Error> {
        let result = self.context.execute(command);
        if let Ok(reply) = &result {
            self.pools.keep(reply);
        }
        result
    }

    /// What a program can see besides the picture: memory, size of the back buffer, whether it is disposed.
    pub fn properties(&self) -> (u64, (u32, u32), bool) {
        let context = &self.context;
        let size = context.back_buffer_size();
        (context.total_gpu_memory(), size, context.is_disposed())
    }
}
