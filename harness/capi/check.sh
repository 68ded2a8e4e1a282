#!/usr/bin/env bash
# The C library as hosts use it: installed, found by pkg-config and CMake, and its examples and test programs built with gcc
# and clang, and run under AddressSanitizer and valgrind. check.sh [PROFILE], release unless it is named. Expects the
# compilers, CMake and valgrind.
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
# The libraries of the system that the static library needs.
read -ra system <<<"$(pkg-config --static --libs-only-l molehill | sed 's/-lmolehill//')"
examples=harness/capi/examples
hosts=harness/capi/tests/hosts
strict=(-O1 -g -Wall -Wextra -Wpedantic -Werror)
c=(-std=c11 "${strict[@]}")
cpp=(-std=c++11 "${strict[@]}")

echo "--- a relative prefix"
install=$PWD/harness/capi/install.sh
(cd "$out" && sh "$install" --prefix relative --profile "$profile" && DESTDIR=stage sh "$install" --prefix /usr --profile "$profile")
diff -r "$prefix" "$out/relative"
diff -r "$prefix" "$out/stage/usr"

echo "--- the examples, built as they say"
cp -r "$examples" "$out/documented"
for source in "$out/documented"/*.c "$out/documented"/*.cpp; do
    command=$(sed -nE 's,^ *(// )?((cc|c\+\+) .* molehill\).*),\2,p' "$source" | sed 's, \*/$,,')
    [ -n "$command" ] || { echo "$source doesn't say how it is built" >&2; exit 1; }
    (cd "$out/documented" && eval "$command")
done

echo "--- a handle of the wrong kind doesn't compile"
for language in c c++; do
    kinds() { # type of the argument
        echo "#include <molehill.h>
MolehillStatus show($1 it);
MolehillStatus show($1 it) { return molehill_context_present(it); }" |
            gcc -x $language "${cflags[@]}" -Wall -Werror -fsyntax-only - 2>/dev/null
    }
    kinds MolehillContext
    ! kinds MolehillDevice
    ! kinds uint64_t
done

echo "--- gcc and clang, and their AddressSanitizer and UndefinedBehaviorSanitizer"
sanitize=(-fsanitize=address,undefined -fno-sanitize-recover=all)
programs=(minimal shaders hostile demo demo-cpp log owners owners-17 owners-plain player by_name statics)
build() { # compiler, C++ compiler, folder, flags
    local cc=$1 cxx=$2 to=$out/$3
    shift 3
    mkdir -p "$to"
    for name in minimal shaders hostile; do
        "$cc" "${c[@]}" -Wconversion "$@" "$examples/$name.c" -o "$to/$name" "${shared[@]}" -lm -lpthread &
    done
    "$cc" "${c[@]}" "$@" "$examples/demo.c" -o "$to/demo" "${shared[@]}" -lm &
    "$cxx" "${cpp[@]}" "$@" "$examples/demo.cpp" -o "$to/demo-cpp" "${shared[@]}" &
    wait
    "$cc" "${c[@]}" -D_POSIX_C_SOURCE=200809L "$@" "$hosts/log.c" -o "$to/log" "${shared[@]}" -lpthread &
    for name in owners by_name statics; do
        "$cxx" "${cpp[@]}" "$@" "$hosts/$name.cpp" -o "$to/$name" "${shared[@]}" &
    done
    "$cxx" "${cpp[@]}" -std=c++17 "$@" "$hosts/owners.cpp" -o "$to/owners-17" "${shared[@]}" &
    "$cxx" "${cpp[@]}" -std=c++17 -fno-exceptions -fno-rtti "$@" "$hosts/owners.cpp" -o "$to/owners-plain" "${shared[@]}" &
    "$cxx" "${cpp[@]}" "$@" "$hosts/player.cpp" -o "$to/player" "${shared[@]}" -ldl -lpthread &
    wait
    for name in "${programs[@]}"; do
        [ -x "$to/$name" ] || { echo "$to/$name was not built" >&2; exit 1; }
    done
}
run() { # folder, kind of device
    local from=$out/$1
    "$from/minimal"
    "$from/shaders" >"$from/shaders.txt"
    cmp "$from/shaders.txt" "$out/gcc/shaders.txt"
    "$from/hostile"
    "$from/log"
    "$from/owners"
    "$from/owners-17"
    "$from/owners-plain"
    "$from/by_name"
    "$from/player" "$2" "$from"
    at_exit "$2" "$from/$2" "$from/statics"
    "$from/demo" "$2" 0 "$from/$2.ppm"
    "$from/demo-cpp" "$2" 0 "$from/$2-cpp.ppm"
    cmp "$from/$2.ppm" "$out/gcc/$2.ppm"
    cmp "$from/$2-cpp.ppm" "$out/gcc/$2.ppm"
    MOLEHILL_SCALE=2 "$from/minimal"
    MOLEHILL_SCALE=2 "$from/demo-cpp" "$2" 0 "$from/$2-2.ppm"
    head -n 2 "$from/$2-2.ppm" | grep -qx '1280 800'
}
# Objects that are destroyed at exit, or not at all, leave a complete recording.
at_exit() { # kind of device, path of recordings, command
    local kind=$1 to=$2
    shift 2
    [ "$("$@" "$kind" "$to-exit.s3d.jsonl")" = destroyed ]
    "$@" "$kind" "$to-stay.s3d.jsonl" stay
    for end in exit stay; do
        tail -n 2 "$to-$end.s3d.jsonl" | head -n 1 | grep '"present"' >/dev/null
        tail -n 1 "$to-$end.s3d.jsonl" | grep '"frame":0' >/dev/null
    done
}
build gcc g++ gcc
build clang clang++ clang
build gcc g++ gcc-asan "${sanitize[@]}"
build clang clang++ clang-asan "${sanitize[@]}"
run gcc software
run gcc gl
run clang gl
for compiler in gcc clang; do
    run $compiler-asan software
    # The driver and EGL keep some memory for the process.
    ASAN_OPTIONS=detect_leaks=0 run $compiler-asan gl
done

echo "--- a player without exceptions"
g++ "${cpp[@]}" -std=c++17 -fno-exceptions -fno-rtti "$hosts/player.cpp" -o "$out/player-plain" "${shared[@]}" -ldl -lpthread
"$out/player-plain" software "$out"

echo "--- AGAL without a context"
while read -r line; do
    grep -Fqx "$line" "$out/gcc/shaders.txt" || { echo "shaders.c doesn't print: $line" >&2; exit 1; }
done <<'END'
AGAL 1
fs1: 2d, rgba, clamp, linear, mipnone
#version 300 es
@group(1) @binding(2) var fs1: texture_2d<f32>;
END
tail -n 1 "$out/gcc/shaders.txt" | grep -q '^Error: Error #3620: .*, token 2$'

echo "--- programs that were built with earlier headers"
for folder in harness/capi/tests/abi/*/; do
    version=$(basename "$folder")
    read -ra link <<<"$(pkg-config --libs molehill)"
    gcc "${c[@]}" "${sanitize[@]}" -I"$folder" harness/capi/tests/abi/host.c -o "$out/abi-$version" "${link[@]}"
    "$out/abi-$version" "$version"
done

echo "--- Python"
for kind in software gl; do
    env MOLEHILL_LIBRARY="$prefix/lib/libmolehill.so" PYTHONDONTWRITEBYTECODE=1 \
        python3 "$prefix/share/molehill/python/demo.py" $kind 0 "$out/python-$kind.png"
    cmp "$out/python-$kind.ppm" "$out/gcc/$kind.ppm"
    [ "$(head -c 4 "$out/python-$kind.png" | tail -c 3)" = PNG ]
done

echo "--- the static library"
gcc "${c[@]}" "$examples/minimal.c" -o "$out/minimal-static" "${cflags[@]}" \
    "$prefix/lib/libmolehill.a" "${system[@]}"
env -u LD_LIBRARY_PATH "$out/minimal-static"

echo "--- valgrind, with a small image"
memcheck=(valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite)
small=(-DWIDTH=64 -DHEIGHT=40 -DMIRROR_SIDE=32)
gcc "${c[@]}" "${small[@]}" "$examples/demo.c" -o "$out/small" "${shared[@]}" -lm
"$out/small" software 0 "$out/small.ppm"
"${memcheck[@]}" "$out/small" software 0 "$out/small-valgrind.ppm" &
"${memcheck[@]}" "$out/gcc/hostile" 5 &
for name in minimal shaders log owners owners-plain by_name; do
    "${memcheck[@]}" "$out/gcc/$name" >/dev/null
done
at_exit software "$out/valgrind" "${memcheck[@]}" "$out/gcc/statics"
for _ in 1 2; do wait -n; done
cmp "$out/small.ppm" "$out/small-valgrind.ppm"

echo "--- CMake"
mkdir -p "$out/cmake"
cat >"$out/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(minimal C)
find_package(molehill 0.2 REQUIRED)
foreach(kind molehill static)
    add_executable(minimal-\${kind} $PWD/$examples/minimal.c)
    target_link_libraries(minimal-\${kind} molehill::\${kind})
endforeach()
END
cmake -S "$out/cmake" -B "$out/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$out/cmake/build" >/dev/null
"$out/cmake/build/minimal-molehill"
"$out/cmake/build/minimal-static"
# Which versions CMake finds if one is installed and another is requested.
while read -r installed asked found; do
    folder=$out/cmake/versions/$installed
    mkdir -p "$folder"
    touch "$folder/molehill-config.cmake"
    sed "s|@VERSION@|$installed|" harness/capi/molehill-config-version.cmake.in >"$folder/molehill-config-version.cmake"
    cat >"$out/cmake/find.cmake" <<END
find_package(molehill ${asked/,/ } CONFIG QUIET PATHS "$folder" NO_DEFAULT_PATH)
if(NOT molehill_FOUND EQUAL $found)
    message(FATAL_ERROR "$installed installed, ${asked/,/ } asked for: found \${molehill_FOUND}")
endif()
END
    cmake -P "$out/cmake/find.cmake"
done <<END
0.1.0 0.1 1
0.1.5 0.1 1
0.1.5 0.1.5 1
0.1.5 0.1.6 0
0.2.0 0.1 0
0.1.0 0.2 0
7.3.0 0.1 0
7.3.0 7 1
7.3.0 7.2.9 1
7.3.0 7.4 0
7.3.0 6 0
0.1.0 0.1,EXACT 1
0.1.5 0.1,EXACT 0
0.1.5 0.1.5,EXACT 1
0.2.1 0.1...0.3 1
0.3.0 0.1...0.3 1
0.3.0 0.1...<0.3 0
7.3.0 0.1...0.3 0
END

# The smallest example is the least that a reader writes.
echo "the smallest host in C: $(grep -cv '^ *$' $examples/minimal.c) lines"
