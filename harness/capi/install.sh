#!/bin/sh
# Builds the C library and installs it: install.sh [--prefix DIR] [--profile PROFILE]. DESTDIR is honoured.
# For Linux, the BSDs and macOS. The prefix is /usr/local unless it is named, the profile release. A prefix or DESTDIR that
# is not absolute is below the working folder. MOLEHILL_BUILT_WITH names packages (`-p NAME`) that cargo built before with
# this profile: the library then shares their dependencies.
set -eu
prefix=/usr/local
profile=release
while [ $# -gt 0 ]; do
    case "$1" in
    --prefix) prefix=$2 ;;
    --profile) profile=$2 ;;
    *)
        echo "install.sh [--prefix DIR] [--profile PROFILE]" >&2
        exit 2
        ;;
    esac
    shift 2
done
absolute() {
    case "$1" in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}
root=$(absolute "$prefix")
[ -z "${DESTDIR:-}" ] || root=$(absolute "$DESTDIR")$root
cd "$(dirname "$0")"
# shellcheck disable=SC2086 # arguments
cargo build --locked --profile "$profile" -p molehill-c ${MOLEHILL_BUILT_WITH:-}
built=$(cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
case "$profile" in
dev | test) built=$built/debug ;;
*) built=$built/$profile ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
# The interface version of the library, as in build.rs.
case "$version" in
0.*) abi=${version%.*} ;;
*) abi=${version%%.*} ;;
esac
# The libraries of the system that the static library needs.
opengl=
case "$(uname -s)" in
Darwin)
    from=libmolehill_c.dylib to=libmolehill.$abi.dylib link=libmolehill.dylib
    opengl="-framework OpenGL"
    ;;
*)
    from=libmolehill_c.so to=libmolehill.so.$abi link=libmolehill.so
    ;;
esac

share=$root/share/molehill
mkdir -p "$root/include" "$root/lib/pkgconfig" "$root/lib/cmake/molehill" "$root/share/doc/molehill" "$share/examples" "$share/python"
cp include/*.h include/*.hpp "$root/include/"
cp README.md ../../LICENSE-APACHE ../../LICENSE-MIT "$root/share/doc/molehill/"
cp examples/minimal.c examples/shaders.c examples/demo* "$share/examples/"
cp python/*.py "$share/python/"
# The shared library has this name inside (build.rs). A file that programs run from is replaced, not written over.
rm -f "$root/lib/$to"
cp "$built/$from" "$root/lib/$to"
ln -sf "$to" "$root/lib/$link"
cp "$built/libmolehill_c.a" "$root/lib/libmolehill.a"
fill() {
    sed -e "s|@VERSION@|$version|" -e "s|@SHARED@|$to|" -e "s|@OPENGL@|$opengl|" "$1"
}
fill molehill.pc.in >"$root/lib/pkgconfig/molehill.pc"
fill molehill-config.cmake.in >"$root/lib/cmake/molehill/molehill-config.cmake"
fill molehill-config-version.cmake.in >"$root/lib/cmake/molehill/molehill-config-version.cmake"
echo "installed molehill $version in $root"
