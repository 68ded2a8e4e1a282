//! Hosts of Molehill, to read and to begin with. They are this package's examples:
//!
//! | example | what it shows |
//! |---|---|
//! | `software` | the least that a host needs: the reference renderer, one triangle, a PNG |
//! | `emulator` | a virtual machine with a garbage collector, events and errors; two Stage3Ds; presenting and recording |
//! | `own_window` | a window whose own drawing shares its OpenGL context with Molehill (feature `window`) |
//!
//! `cargo run -p molehill-examples --example NAME -- picture.png` runs one. The page "Plug it into your VM"
//! (`context3d/PLUGIN.md`) explains them; its code is compiled here.

#[cfg(doctest)]
#[doc = include_str!("../../context3d/PLUGIN.md")]
mod plug_in {}
