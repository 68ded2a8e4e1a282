//! A context on which calls are tried.

use super::pools::{Pools, objects};
use crate::backend::Backend;
use crate::command::{Command, Reply};
use crate::context::{Context3D, ContextOptions};
use crate::error::Error;
use crate::notice::Notice;

/// See [`Player::properties`].
type Properties = (u64, (u32, u32), (u32, u32), (bool, bool), bool);

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
        Self::with(Context3D::new(backend, options))
    }

    /// Another context like this one was at first, over another backend. It takes this one's objects for its own, so that
    /// both can be given the same calls.
    pub fn twin<C: Backend>(&self, backend: C) -> Player<C> {
        let mut context = Context3D::new(backend, self.context.options());
        context.id = self.context.id;
        Player::with(context)
    }

    fn with(context: Context3D<B>) -> Self {
        let pools = Pools::default();
        let mut player = Player { context, pools };
        for command in objects() {
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
            self.pools.keep(command, reply);
        }
        result
    }

    /// What a program can see besides the picture.
    pub fn properties(&self) -> Properties {
        let context = &self.context;
        (
            context.total_gpu_memory(),
            context.back_buffer_size(),
            context.max_back_buffer_size(),
            (context.error_checking(), context.ignores_resource_limits()),
            context.is_disposed(),
        )
    }

    /// The host gives events to the program.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::iter::from_fn(|| self.context.take_notice()).collect()
    }
}
