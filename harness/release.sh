#!/usr/bin/env bash
# Packs what a release offers for this machine's target: the tool, the inspector, the C library with its headers.
# release.sh [OUT]: writes OUT/molehill-VERSION-TARGET.tar.gz (.zip on Windows) and a file with its SHA-256 beside it.
# For Linux, macOS, and Windows with Git's bash.
set -euo pipefail
out=${1:-release}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
target=$(rustc -vV | sed -n 's/^host: //p')
built=$(cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
built=${built//\\\\//}/release # Windows' paths have backslashes, doubled in JSON
name=molehill-$version-$target
root=$out/$name
rm -rf "$root"
mkdir -p "$root/bin"

cargo build --locked --release -p molehill -p molehill-inspector -p molehill-c --features molehill-inspector/desktop
case "$target" in
*-windows-*)
    cp "$built/molehill.exe" "$built/molehill-inspector.exe" "$root/bin/"
    mkdir -p "$root/include" "$root/lib"
    cp harness/capi/include/*.h harness/capi/include/*.hpp "$root/include/"
    cp "$built/molehill_c.dll" "$built/molehill_c.dll.lib" "$built/molehill_c.lib" "$root/lib/"
    ;;
*)
    cp "$built/molehill" "$built/molehill-inspector" "$root/bin/"
    DESTDIR=$root sh harness/capi/install.sh --prefix / # pkg-config and CMake find the prefix by where the files lie
    ;;
esac
cp README.md LICENSE-APACHE LICENSE-MIT "$root/"

cd "$out"
case "$target" in
*-windows-*)
    archive=$name.zip
    7z a -bso0 "$archive" "$name"
    ;;
*)
    archive=$name.tar.gz
    tar -czf "$archive" "$name"
    ;;
esac
rm -rf "$name"
if command -v sha256sum >/dev/null; then
    sha256sum "$archive" >"$archive.sha256"
else
    shasum -a 256 "$archive" >"$archive.sha256" # macOS
fi
echo "packed $out/$archive"
