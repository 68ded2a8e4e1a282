//! Cases for textures with compressed content. Most cases for textures are rows of scripts.

mod atf;

pub(super) use atf::add;
