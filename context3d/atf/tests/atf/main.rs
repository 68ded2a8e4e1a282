//! ATF files: each version, format, cube and level, written by independent code; damaged files.

mod blocks;
mod damage;
mod edit;
mod header;
mod layout;
mod lzma;
mod memory;
mod orders;
mod parts;
mod read;
mod witness;
