#!/usr/bin/env bash
# The C library as hosts use it: installed, found by pkg-config and CMake, and its examples built with gcc and clang, and run
# under AddressSanitizer and valgrind. check.sh [PROFILE], release unless it is named. Expects the compilers and valgrind.
set -euo pipefail
cd "$(dirname "$0")/../.."
profile=${1:-release}
out=$PWD/target/capi
prefix=$out/prefix
rm -rf "$out"
mkdir -p "$out"

DESTDIR=$out/staged sh harness/capi/install.sh --prefix /usr --profile "$profile"
mv "$out/staged/usr" "$prefix" # the files don't say where they are
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
read -ra shared <<<"$(pkg-config --cflags --libs molehill)"
read -ra cflags <<<"$(pkg-config --cflags molehill)"
read -ra static <<<"$(pkg-config --static --libs molehill)"
examples=harness/capi/examples
# One after another: `-Wconversion` for the host's own code, and not for the demo's mathematics.
strict=(-O1 -g -Wall -Wextra -Wpedantic -Werror)
c=(-std=c11 "${strict[@]}")
cpp=(-std=c++11 "${strict[@]}")

echo "--- gcc and clang, and gcc's AddressSanitizer and UndefinedBehaviorSanitizer"
sanitize=(-fsanitize=address,undefined -fno-sanitize-recover=all)
build() { # compiler, C++ compiler, folder, flags
    local cc=$1 cxx=$2 to=$out/$3
    shift 3
    mkdir -p "$to"
    for name in minimal hostile; do
        "$cc" "${c[@]}" -Wconversion "$@" "$examples/$name.c" -o "$to/$name" "${shared[@]}" -lm -lpthread &
    done
    "$cc" "${c[@]}" "$@" "$examples/demo.c" -o "$to/demo" "${shared[@]}" -lm &
    "$cxx" "${cpp[@]}" "$@" "$examples/demo.cpp" -o "$to/demo-cpp" "${shared[@]}" &
    wait
    for name in minimal hostile demo demo-cpp; do
        [ -x "$to/$name" ] || { echo "$3/$name was not built" >&2; exit 1; }
    done
}
run() { # folder, kind of device
    local from=$out/$1
    "$from/minimal"
    "$from/hostile"
    "$from/demo" "$2" 0 "$from/$2.ppm"
    "$from/demo-cpp" "$2" 0 "$from/$2-cpp.ppm"
    cmp "$from/$2.ppm" "$out/gcc/$2.ppm"
    cmp "$from/$2-cpp.ppm" "$out/gcc/$2.ppm"
}
build gcc g++ gcc
build clang clang++ clang
build gcc g++ gcc-asan "${sanitize[@]}"
run gcc software
run gcc gl
run clang gl
run gcc-asan software
# The driver and EGL keep some memory for the process.
ASAN_OPTIONS=detect_leaks=0 run gcc-asan gl

echo "--- the static library"
gcc "${c[@]}" "$examples/minimal.c" -o "$out/minimal-static" "${cflags[@]}" "$prefix/lib/libmolehill.a" "${static[@]/-lmolehill/}"
env -u LD_LIBRARY_PATH "$out/minimal-static"

echo "--- valgrind, with a small picture"
memcheck=(valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite)
small=(-DWIDTH=64 -DHEIGHT=40 -DMIRROR_SIDE=32)
gcc "${c[@]}" "${small[@]}" "$examples/demo.c" -o "$out/small" "${shared[@]}" -lm
"$out/small" software 0 "$out/small.ppm"
"${memcheck[@]}" "$out/small" software 0 "$out/small-valgrind.ppm" &
"${memcheck[@]}" "$out/gcc/hostile" 5 &
"${memcheck[@]}" "$out/gcc/minimal"
for _ in 1 2; do wait -n; done
cmp "$out/small.ppm" "$out/small-valgrind.ppm"

echo "--- CMake"
if command -v cmake >/dev/null; then
    mkdir -p "$out/cmake"
    cat >"$out/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(minimal C)
find_package(molehill 0.1 REQUIRED)
foreach(kind molehill static)
    add_executable(minimal-\${kind} $PWD/$examples/minimal.c)
    target_link_libraries(minimal-\${kind} molehill::\${kind})
endforeach()
END
    cmake -S "$out/cmake" -B "$out/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$out/cmake/build" >/dev/null
    "$out/cmake/build/minimal-molehill"
    "$out/cmake/build/minimal-static"
else
    echo "skipped: no cmake"
fi

# Of the examples, what a reader writes at least.
echo "the smallest host in C: $(grep -cv '^ *$' $examples/minimal.c) lines"
