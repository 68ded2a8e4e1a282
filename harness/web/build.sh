#!/usr/bin/env bash
# Builds the web pages: `harness/web/build.sh [OUT]` (default: target/web) fills a folder for any web host.
#
# Needs Rust with the target wasm32-unknown-unknown: rustup installs it; if that fails, Debian's packages rustc-web,
# cargo-web, rust-web-src and lld-19 build std for it. MOLEHILL_WASM=rustup|debian selects one of them.
set -euo pipefail
cd "$(dirname "$0")/../.."

out="${1:-target/web}"
target=wasm32-unknown-unknown

# The crates of the pages.
pages=(
    molehill-inspector
    molehill-playground
    molehill-web
)

has_rustup() {
    command -v rustup >/dev/null && { rustup target add "$target" >&2 || [ -d "$(rustc --print target-libdir --target "$target")" ]; }
}

build() {
    local packages=()
    for page in "${pages[@]}"; do
        packages+=(-p "$page")
    done
    cargo build --locked --profile page --lib --target "$target" "${packages[@]}" "$@"
}

# In a subshell, so that later steps use the default toolchain again.
debian_build() (
    [ -d /usr/lib/rustlib/src/rust/library ] && command -v wasm-ld-19 >/dev/null || {
        echo "neither rustup has a std for $target, nor are Debian's rustc-web, cargo-web, rust-web-src and lld-19 there" >&2
        exit 1
    }
    export PATH="/usr/bin:$PATH" RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19
    unset RUSTUP_TOOLCHAIN
    build -Zbuild-std=std,panic_abort
)

case "${MOLEHILL_WASM:-}" in
    rustup) has_rustup && build ;;
    debian) debian_build ;;
    *) if has_rustup; then build; else debian_build; fi ;;
esac

# molehill-pack and the modules must use the same version of wasm-bindgen.
version() {
    sed -n "/^name = \"$2\"\$/{n;s/^version = \"\(.*\)\"/\1/p}" "$1"
}
[ "$(version Cargo.lock wasm-bindgen)" = "$(version harness/web/pack/Cargo.lock wasm-bindgen-cli-support)" ] || {
    echo "harness/web/pack must name the version of wasm-bindgen in Cargo.lock, $(version Cargo.lock wasm-bindgen)" >&2
    exit 1
}
cargo build --locked --release --manifest-path harness/web/pack/Cargo.toml --target-dir target/pack
modules=()
for page in "${pages[@]}"; do
    modules+=("${CARGO_TARGET_DIR:-target}/$target/page/${page//-/_}.wasm")
done
rm -rf "$out"
mkdir -p "$out"
target/pack/release/molehill-pack "$out" "${modules[@]}"
cp harness/web/static/* "$out"

for module in "$out"/*.wasm; do
    echo "$module: $(wc -c <"$module") bytes, $(gzip -9 <"$module" | wc -c) with gzip"
done
