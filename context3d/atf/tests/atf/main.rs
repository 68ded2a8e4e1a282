//! ATF files: each version, format, cube and level made by a writer that shares nothing with the reader; damaged files.

mod damage;
mod memory;
mod parts;
mod read;
