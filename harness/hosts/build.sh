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

# The crates; those of another folder of Molehill's go.
for folder in core render render/wgpu; do
    sed -E "/^(context3d|backend-gl|molehill-capture) = /{\\|\"$root/|!d;}" "$ruffle/$folder/Cargo.toml" | put $folder/Cargo.toml
    insert $folder/Cargo.toml '^\[dependencies\]' "backend-gl = { path = \"$root/backend-gl\", features = [\"offscreen\"] }"
done
insert core/Cargo.toml '^\[dependencies\]' "context3d = { path = \"$root/context3d\" }"
insert core/Cargo.toml '^\[dependencies\]' "molehill-capture = { path = \"$root/harness/capture\" }"

# The objects: one file in the place of all, made four at a time.
put core/src/avm2/object/stage3d_object.rs < "$here/ruffle/molehill.rs"
sed -E -e '/^pub use .*_buffer_3d_object::\{$/,/^\};$/d' \
    -e '/(context3d|_buffer_3d|program_3d|[^a-z]texture)_object|(Context|Buffer|Program)3DObject|[^a-zA-Z]TextureObject/d' \
    "$ruffle/core/src/avm2/object.rs" | put core/src/avm2/object.rs
sed -e 's/(0\.\.4).map(|_| Stage3DObject::new(context))/Stage3DObject::all(context).into_iter()/' \
    -e 's/if stage3d\.visible()$//; /&& let Some(context3d) = stage3d\.context3d()$/d; s/context3d\.render(/stage3d.render(/' \
    "$ruffle/core/src/display_object/stage.rs" | put core/src/display_object/stage.rs

# The natives: the compiler of the classes refers to one function for all.
: | put core/src/avm2/globals/flash/display3D.rs
: | put core/src/avm2/globals/flash/display/stage_3d.rs
natives=core/build_playerglobal/src/avm2.rs
insert $natives 'let name = resolve_multiname_name(abc, multiname);' '        let member = format!("{prefix}{}", resolve_multiname_name(abc, trait_name));'
insert $natives 'let member = format!' '        if path.contains("display3D") || name == "Stage3D" { return molehill_native(&name, &member); }'
insert $natives '^use std::str::FromStr' 'fn molehill_native(class: &str, name: &str) -> TokenStream {
    quote! { Some(|activation, this, values| {
    static MEMBER: std::sync::LazyLock<Option<context3d::calls::Member>> =
        std::sync::LazyLock::new(|| context3d::calls::Member::find(#class, #name));
    crate::avm2::object::Stage3DObject::native(*MEMBER, activation, this, values)
}) } }'

# The pictures, where wgpu can take them over.
put render/wgpu/src/molehill.rs < "$here/ruffle/texture.rs"
insert render/wgpu/src/lib.rs '^mod context3d;' '#[cfg(target_os = "linux")] mod molehill;'
share="fn stage3d_share(&self) -> Option<backend_gl::offscreen::Share>"
texture="fn stage3d_texture(&mut self, source: &mut backend_gl::PictureSource) -> Option<BitmapHandle>"
insert render/src/backend.rs '^pub trait RenderBackend' "    $share { None }"
insert render/src/backend.rs '^pub trait RenderBackend' "    $texture { let _ = source; None }"
insert render/wgpu/src/backend.rs 'RenderBackend for WgpuRenderBackend' \
    "    #[cfg(target_os = \"linux\")] $share { crate::molehill::share(&self.descriptors) }"
insert render/wgpu/src/backend.rs 'RenderBackend for WgpuRenderBackend' \
    "    #[cfg(target_os = \"linux\")] $texture { crate::molehill::texture(&self.descriptors, source) }"

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
