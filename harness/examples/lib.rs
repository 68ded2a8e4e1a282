//! Hosts of Molehill, to read and to start from. They are Cargo examples of this package:
//!
//! | example | shows |
//! |---|---|
//! | `demo` | the demo of the repository: records a scene of generated meshes and textures |
//! | `software` | the minimal host: the reference renderer, one triangle, a PNG |
//! | `emulator` | a VM with a garbage collector, events and errors; two Stage3Ds; presenting and recording |
//! | `own_window` | a window in which the host and Molehill draw in one OpenGL context (feature `window`) |
//!
//! `cargo run -p molehill-examples --example NAME -- picture.png` runs one. The page "Plug it into your VM"
//! (`context3d/PLUGIN.md`) explains them; its code is compiled here.

#[cfg(doctest)]
#[doc = include_str!("../../context3d/PLUGIN.md")]
mod plug_in {}
