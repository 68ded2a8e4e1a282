//! Cases for textures with compressed content, such as ATF. Most other texture cases are rows of scripts.

mod atf;

pub(super) use atf::add;
