#!/usr/bin/env bash
# Packs what a release offers: the tool with the page for `molehill share`, the inspector, the C library with its headers.
# release.sh [OUT [PAGE]]: writes OUT/molehill-VERSION-TARGET.tar.gz (.zip for Windows) and a file with its SHA-256 beside it.
# PAGE is a folder that harness/web/build.sh has filled; without it, that script fills target/web. For Linux, macOS, and Windows
# with Git's bash; CARGO_BUILD_TARGET=x86_64-pc-windows-gnu builds for Windows on Linux.
set -euo pipefail
out=${1:-release}
mkdir -p "$out"
out=$(cd "$out" && pwd)
page=${2:-}
[ -z "$page" ] || page=$(cd "$page" && pwd)
cd "$(dirname "$0")/.."
[ -n "$page" ] || {
    env -u CARGO_BUILD_TARGET harness/web/build.sh
    page=target/web
}

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
target=${CARGO_BUILD_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
built=$(cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
built=${built//\\\\//}${CARGO_BUILD_TARGET:+/$CARGO_BUILD_TARGET}/release # Windows' paths have backslashes, doubled in JSON
name=molehill-$version-$target
root=$out/$name
rm -rf "$root"
mkdir -p "$root/bin"

cargo build --locked --release -p molehill -p molehill-inspector -p molehill-c --features molehill-inspector/desktop
exe= shell=
share=$root/share/molehill
flags='$(PKG_CONFIG_PATH=$PWD/lib/pkgconfig pkg-config --cflags --libs molehill)'
compile="cc share/molehill/examples/minimal.c $flags -o minimal"
case "$target" in
*-windows-*)
    exe=.exe shell=', in PowerShell'
    mkdir -p "$root/include" "$root/lib" "$root/share/doc/molehill" "$share/examples" "$share/python"
    cp "$built/molehill_c.dll" "$root/bin/"
    case "$target" in
    *-gnu)
        cp "$built/libmolehill_c.dll.a" "$built/libmolehill_c.a" "$root/lib/"
        library="for MinGW: \`libmolehill_c.dll.a\` links the DLL, \`libmolehill_c.a\` is static and needs
\`-lgdi32 -lopengl32 -lntdll -luserenv -lws2_32\` too. The DLL's functions are C's, so that programs of every compiler
can load it."
        compile='x86_64-w64-mingw32-gcc share/molehill/examples/minimal.c -Iinclude -Llib -lmolehill_c -o bin/minimal.exe'
        ;;
    *)
        cp "$built/molehill_c.dll.lib" "$built/molehill_c.lib" "$root/lib/"
        library="for Microsoft's compiler (MSVC): \`molehill_c.dll.lib\` links the DLL, \`molehill_c.lib\` is static. MinGW's
compilers link \`bin/molehill_c.dll\` itself."
        compile='cl share/molehill/examples/minimal.c /Iinclude lib/molehill_c.dll.lib /Fe:bin/minimal.exe'
        ;;
    esac
    cp harness/capi/include/*.h harness/capi/include/*.hpp "$root/include/"
    cp harness/capi/examples/{minimal.c,shaders.c,demo*} "$share/examples/"
    cp harness/capi/python/*.py "$share/python/"
    cp harness/capi/README.md "$root/share/doc/molehill/"
    library="The DLL is \`bin/molehill_c.dll\`, which programs need beside them or in PATH.
The libraries are $library"
    ;;
*)
    DESTDIR=$root sh harness/capi/install.sh --prefix / # pkg-config and CMake find the prefix by where the files lie
    library="\`lib/pkgconfig\` and \`lib/cmake\` are for pkg-config and CMake, and find the rest wherever this folder lies.
Programs find the library itself by \`LD_LIBRARY_PATH=lib\` (\`DYLD_LIBRARY_PATH\` on macOS), or by an rpath."
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
    [ -z "$libc" ] || library+=" All programs here need $libc or later."
    ;;
esac
cp "$built/molehill$exe" "$built/molehill-inspector$exe" "$root/bin/"
mkdir "$share/page"
cp "$page"/{inspect.html,inspect.mjs,molehill_inspector.js,molehill_inspector_bg.wasm} "$share/page/"
cp harness/captures/knot.s3d.jsonl harness/captures/knot.png "$share/"
cp LICENSE-APACHE LICENSE-MIT "$root/"

megabytes() {
    awk '{ printf "%.1f MB", $1 / 1e6 }'
}
readme=$(<harness/release.md)
readme=${readme//@VERSION@/$version}
readme=${readme//@TARGET@/$target}
readme=${readme//@EXE@/$exe}
readme=${readme//@SHELL@/$shell}
readme=${readme//@LIBRARY@/$library}
readme=${readme//@COMPILE@/$compile}
readme=${readme//@PAGE@/$(cat "$share/page"/* | wc -c | megabytes)}
readme=${readme//@PACKED@/$(cat "$share/page"/* | gzip -9 | wc -c | megabytes)}
printf '%s\n' "$readme" >"$root/README.md"
sed -n 's/^| `\([^`]*\)`.*/\1/p' "$root/README.md" | while IFS= read -r named; do
    [ -e "$root/$named" ] || { echo "README.md of the archive names $named, which is not there" >&2; exit 1; }
done

cd "$out"
case "$target" in
*-windows-*)
    archive=$name.zip
    rm -f "$archive"
    if command -v zip >/dev/null; then zip -qr "$archive" "$name"; else 7z a -bso0 "$archive" "$name"; fi
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
