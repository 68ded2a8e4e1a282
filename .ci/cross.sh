#!/usr/bin/env bash
# Molehill for other systems.
#     cross.sh check TARGET PACKAGE...    checks packages
#     cross.sh windows [PAGE]             packs a release for Windows with MinGW, unpacks it outside the repository, and
#                                         uses the tool, the window and the C library in Wine, on a display of Xvfb;
#                                         PAGE is a folder that harness/web/build.sh has filled
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
check) target=$2 ;;
windows) target=x86_64-pc-windows-gnu ;;
*) echo "cross.sh check TARGET PACKAGE..., or cross.sh windows [PAGE]" >&2; exit 2 ;;
esac

# Builds std from source if rustup has none.
options=(--locked --target "$target") build_std=()
if ! rustup target add "$target"; then
    [ -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ] || {
        echo "no std for $target, and no source for one; run: rustup component add rust-src" >&2
        exit 1
    }
    options+=(-Zbuild-std)
    export RUSTC_BOOTSTRAP=1
    build_std=(CARGO_UNSTABLE_BUILD_STD=std)
fi

if [ "$1" = check ]; then
    shift 2
    exec cargo check "${options[@]}" "${@/#/--package=}"
fi

step() {
    echo "--- $*"
}

step "build"
page=${2:-}
[ -n "$page" ] || {
    page=target/web
    harness/web/build.sh "$page"
}
env "${build_std[@]}" CARGO_BUILD_TARGET="$target" harness/release.sh target/release-windows "$page"
cargo build --locked --release
repository=$PWD
linux=${CARGO_TARGET_DIR:-$PWD/target}/release/molehill
demo=$PWD/harness/captures/knot
# A name that no code page has, with a space.
folder="$(mktemp -d)/größe ☃"
mkdir "$folder"
cd "$folder"
(cd "$repository/target/release-windows" && sha256sum -c ./*.sha256)
unzip -q "$repository"/target/release-windows/*.zip
unpacked=$(echo "$PWD"/molehill-*)
tool=(wine "$unpacked/bin/molehill.exe")
cp "$demo.s3d.jsonl" "кнот demo.s3d.jsonl"

compile() {
    x86_64-w64-mingw32-gcc -O1 -Wall -Wextra -Werror "$@"
}

# Wine 8 has no bcryptprimitives.dll, from which Rust's std takes random numbers.
cat >stub.c <<'END'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    return SystemFunction036(bytes, (ULONG)count);
}
END
compile -shared stub.c -o bcryptprimitives.dll -ladvapi32

# shows FILE: whether the file configures a back buffer. If a file `hang` is there, it hangs instead of denying that.
cat >shows.c <<'END'
#include <stdio.h>
#include <string.h>
#include <windows.h>
int wmain(int count, wchar_t **arguments) {
    static char text[1 << 24];
    FILE *file = count == 2 ? _wfopen(arguments[1], L"rb") : NULL;
    if (!file)
        return 126;
    fread(text, 1, sizeof text - 1, file);
    fclose(file);
    if (strstr(text, "configureBackBuffer"))
        return 0;
    if (GetFileAttributesA("hang") != INVALID_FILE_ATTRIBUTES) {
        fclose(fopen("hangs", "w"));
        Sleep(600000);
    }
    return 1;
}
END
compile -municode shows.c -o shows.exe

compile -std=c11 -I"$unpacked/include" "$unpacked/share/molehill/examples/demo.c" -L"$unpacked/lib" -lmolehill_c \
    -o "$unpacked/bin/demo.exe"
# As the archive's page says, with the DLL and the static library.
(
    cd "$unpacked"
    eval "$(grep '^    x86_64-w64-mingw32-gcc ' README.md)"
    read -ra needed <<<"$(sed -n 's/^`\(-l[^`]*\)`.*/\1/p' README.md)"
    compile -Iinclude share/molehill/examples/minimal.c lib/libmolehill_c.a "${needed[@]}" -o static.exe
)

# The display, and the prefix's programs, end with the script.
export WINEPREFIX=$repository/target/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=;mshtml=" LC_ALL=C.UTF-8
end() {
    wineserver -k || true
    kill "$display"
    rm -rf "${folder%/*}"
}
coproc DISPLAYED { exec Xvfb -displayfd 1 -screen 0 1280x800x24 -nolisten tcp 2>/dev/null; }
display=$DISPLAYED_PID
trap end EXIT
read -r number <&"${DISPLAYED[0]}"
export DISPLAY=:$number
wineboot -i
cp bcryptprimitives.dll "$WINEPREFIX/drive_c/windows/system32/"

fail() {
    echo "$*" >&2
    exit 1
}

step "doctor: OpenGL through WGL"
"${tool[@]}" doctor | tee doctor.txt
grep -q '^OpenGL: found' doctor.txt
grep -q '^  WGL: found: OpenGL 4.5' doctor.txt

step "contexts beside a host's"
(cd "$repository" && CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine cargo test "${options[@]}" -p backend-gl --test wgl)

step "the demo draws Linux's image"
"${tool[@]}" replay "кнот demo.s3d.jsonl" --frames 12 --backend gl --out "bilder ü" | tee replay.txt
grep -q 'drawn by OpenGL .* WGL' replay.txt
"$linux" replay "кнот demo.s3d.jsonl" --frames 12 --backend gl --out linux
cmp "bilder ü/frame-0012.png" linux/frame-0012.png

step "the C library: an image and a recording"
MOLEHILL_RECORD="aufnahme ☃.s3d" wine "$unpacked/bin/demo.exe" gl 12 "bild.ppm"
"${tool[@]}" replay "aufnahme ☃.s3d" --backend gl --out recorded
"$linux" replay "aufnahme ☃.s3d" --backend gl --expect recorded/frame-0000.png --tolerance 0 --out recorded-linux
wine "$unpacked/bin/minimal.exe"
wine "$unpacked/static.exe"

step "a capture as a page, with the page of the archive"
"${tool[@]}" share "кнот demo.s3d.jsonl" -o "seite ☃.html"
"$linux" share "кнот demo.s3d.jsonl" --page "$unpacked/share/molehill/page" -o linux.html
cmp "seite ☃.html" linux.html

step "minimize, with a command"
"${tool[@]}" minimize "кнот demo.s3d.jsonl" --while shows.exe -o "klein ☃.s3d.jsonl"
[ "$("$linux" info "klein ☃.s3d.jsonl" --json | grep -c '"calls": 2,')" = 1 ]

step "minimize, interrupted by Ctrl-C: the best capture so far stays, and no process"
touch hang
"${tool[@]}" minimize "кнот demo.s3d.jsonl" --while shows.exe -o "best ☃.s3d.jsonl" --json >interrupted.json &
minimize=$!
for _ in $(seq 600); do
    [ ! -e hangs ] || break
    sleep 0.2
done
kill -INT "$minimize"
status=0
wait "$minimize" || status=$?
[ "$status" = 130 ] || fail "minimize ended with $status"
grep -q '"interrupted": true' interrupted.json
"$linux" info "best ☃.s3d.jsonl" >/dev/null
for _ in $(seq 100); do
    pgrep -x -r D,R,S shows.exe >/dev/null || break
    sleep 0.1
done
! pgrep -x -r D,R,S shows.exe || fail "the command still runs"
! ls ./*candidate* 2>/dev/null || fail "a candidate was left"

step "the window"
"${tool[@]}" inspect "кнот demo.s3d.jsonl" --frame 12 --size 1000,700 --screenshot "fenster ☃.png"
[ -s "fenster ☃.png" ]

step "the suite's quick part on WGL"
"${tool[@]}" conform --filter raster --filter vertex --filter rtt --filter texture.format --filter api.clear \
    --require raster=25 --require rtt=240 --require vertex=120 --timeout 300 --out conform
