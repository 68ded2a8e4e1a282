//! ATF files: each version, format, cube and level, made by an independent writer; damaged files.

mod damage;
mod memory;
mod parts;
mod read;
