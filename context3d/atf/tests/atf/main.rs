//! Tests with ATF files of each version, format, cube and level, which independent code writes, and with damaged files.

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
