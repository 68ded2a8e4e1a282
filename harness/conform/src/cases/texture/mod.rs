//! Cases for textures with compressed content, such as ATF. Most cases of uncompressed textures are in `scripts`.

mod atf;

pub(super) use atf::add;
