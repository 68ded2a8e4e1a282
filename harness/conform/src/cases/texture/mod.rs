//! Textures with compressed content; most cases of textures are rows of scripts.

mod atf;

pub(super) use atf::add;
