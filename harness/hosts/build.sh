#!/bin/sh
# Builds a player of an emulator with Molehill as its Stage3D, which records with MOLEHILL_RECORD:
#
#     sh harness/hosts/build.sh --ruffle DIR [--headless]
#     sh harness/hosts/build.sh --lightspark DIR
#
# DIR is a checkout of Ruffle (git clone https://github.com/ruffle-rs/ruffle). Files of Molehill are put into it in the place
# of its Stage3D; `git -C DIR checkout .` takes them out again. --headless builds the player without a window only.
# The player is DIR/target/release/ruffle_desktop, and without a window DIR/target/release/exporter; lightspark/build.sh says what
# Lightspark's is.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
usage="usage: build.sh --ruffle DIR [--headless] | --lightspark DIR"
[ "${1:-}" != --lightspark ] || exec sh "$here/lightspark/build.sh" "${2:-}"
[ "${1:-}" = --ruffle ] && [ -n "${2:-}" ] || { echo "$usage" >&2; exit 2; }
[ -d "$2/core/src/avm2" ] || { echo "$2 is no checkout of Ruffle" >&2; exit 2; }
ruffle=$(cd "$2" && pwd)
made_for=f3a1263e164dc4cb56211ab1f113e1907730ce89
found=$(git -C "$ruffle" rev-parse HEAD)
[ "$found" = "$made_for" ] || echo "Ruffle is at $found; the adapter was made for $made_for and may not fit." >&2

# Inserts a line of Molehill's behind the first line that matches an anchor, once.
insert() { # FILE ANCHOR LINE
    grep -qF "$3" "$ruffle/$1" && return
    grep -q "$2" "$ruffle/$1" || { echo "$1: nothing matches $2; this Ruffle is another one" >&2; exit 1; }
    line=$(grep -n -m 1 "$2" "$ruffle/$1" | cut -d: -f1)
    { head -n "$line" "$ruffle/$1"; echo "$3"; tail -n "+$((line + 1))" "$ruffle/$1"; } > "$ruffle/$1.new"
    mv "$ruffle/$1.new" "$ruffle/$1"
}

# Replaces a file if it changes, so that cargo builds nothing anew without a reason.
put() { # FILE, with the text on standard input
    cat > "$ruffle/$1.new"
    if cmp -s "$ruffle/$1.new" "$ruffle/$1"; then rm "$ruffle/$1.new"; else mv "$ruffle/$1.new" "$ruffle/$1"; fi
}

insert core/Cargo.toml '^\[dependencies\]' "context3d = { path = \"$root/context3d\" }"
insert core/Cargo.toml '^\[dependencies\]' "backend-gl = { path = \"$root/backend-gl\", features = [\"offscreen\"] }"
insert core/Cargo.toml '^\[dependencies\]' "molehill-capture = { path = \"$root/harness/capture\" }"
objects=core/src/avm2/object globals=core/src/avm2/globals/flash
insert $objects.rs '^mod context3d_object;' 'pub mod molehill;'
mkdir -p "$ruffle/$objects/molehill"
put $objects/molehill.rs < "$here/ruffle/molehill.rs"
put $objects/molehill/natives.rs < "$here/ruffle/natives.rs"
echo 'pub use super::molehill::{Context3DObject, Context3DObjectWeak};' | put $objects/context3d_object.rs
echo 'pub use super::molehill::{Stage3DObject, Stage3DObjectWeak};' | put $objects/stage3d_object.rs
echo 'pub use crate::avm2::object::molehill::natives::classes::*;' | put $globals/display3D.rs
echo 'pub use crate::avm2::object::molehill::natives::stage::*;' | put $globals/display/stage_3d.rs

# Molehill's declarations of the classes; Ruffle's compiler has no Vector.<float>.
declarations=$(mktemp -d)
trap 'rm -rf "$declarations"' EXIT
(cd "$root" && cargo run -q -p context3d --example declarations -- "$declarations" '[Ruffle(Abstract)]')
(cd "$declarations" && find flash -name '*.as') | while read -r file; do
    sed '/Vector.<float>/d' "$declarations/$file" | put "core/src/avm2/globals/$file"
done
insert core/src/avm2/globals/globals.as Context3DCompareMode 'include "flash/display3D/Context3DFillMode.as"'

if [ "${3:-}" = --headless ]; then
    put exporter/src/main.rs < "$here/ruffle/player.rs"
    cd "$ruffle" && cargo build --release -p exporter
else
    cd "$ruffle" && cargo build --release -p ruffle_desktop
fi
