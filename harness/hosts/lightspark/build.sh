#!/bin/sh
# Builds Lightspark with Molehill as its Stage3D, which records with MOLEHILL_RECORD:
#
#     sh harness/hosts/build.sh --lightspark DIR
#
# DIR is a checkout of Lightspark (git clone https://github.com/lightspark/lightspark). Files of Molehill are put into it in the
# place of its Stage3D; `git -C DIR checkout .` takes them out again. The script names the packages of Debian that are missing.
# The player is DIR/molehill-player FILE.swf; without a display it starts Xvfb.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
# What Debian 12 needs besides Rust (https://rustup.rs): a package, and whether it is there.
missing=
while read -r package there; do
    sh -c "$there" > /dev/null 2>&1 || missing="$missing $package"
done <<END
cmake cmake --version
g++ c++ --version
git git --version
make make --version
nasm nasm -v
xvfb command -v Xvfb
pkg-config pkg-config --version
zlib1g-dev pkg-config --exists zlib
libfreetype-dev pkg-config --exists freetype2
libjpeg-dev pkg-config --exists libjpeg
libpng-dev pkg-config --exists libpng
libfontconfig-dev pkg-config --exists fontconfig
liblzma-dev pkg-config --exists liblzma
libavcodec-dev pkg-config --exists libavcodec
libavformat-dev pkg-config --exists libavformat
libswresample-dev pkg-config --exists libswresample
libsdl2-dev pkg-config --exists sdl2
libcurl4-gnutls-dev pkg-config --exists libcurl
librtmp-dev pkg-config --exists librtmp
END
[ -z "$missing" ] || { echo "missing: apt-get install$missing" >&2; exit 1; }

[ -n "${1:-}" ] || { echo "usage: build.sh DIR" >&2; exit 2; }
[ -d "$1/src/scripting/flash/display3d" ] || { echo "$1 is no checkout of Lightspark" >&2; exit 2; }
lightspark=$(cd "$1" && pwd)
made_for=d51ab6019
found=$(git -C "$lightspark" rev-parse HEAD)
case "$found" in
"$made_for"*) ;;
*) echo "Lightspark is at $found; the adapter was made for $made_for and may not fit." >&2 ;;
esac

# Inserts a line of Molehill's behind the first line that matches an anchor, once.
insert() { # FILE ANCHOR LINE
    grep -qF "$3" "$lightspark/$1" && return
    grep -q "$2" "$lightspark/$1" || { echo "$1: nothing matches $2; this Lightspark is another one" >&2; exit 1; }
    line=$(grep -n -m 1 "$2" "$lightspark/$1" | cut -d: -f1)
    { head -n "$line" "$lightspark/$1"; echo "$3"; tail -n "+$((line + 1))" "$lightspark/$1"; } > "$lightspark/$1.new"
    mv "$lightspark/$1.new" "$lightspark/$1"
}

# Replaces a file if it changes, so that nothing is built anew without a reason.
put() { # FILE TEXT
    [ "$(cat "$lightspark/$1" 2>/dev/null)" = "$2" ] || printf '%s\n' "$2" > "$lightspark/$1"
}

prefix=$lightspark/molehill
sh "$root/harness/capi/install.sh" --prefix "$prefix" --profile "${PROFILE:-release}"
# The shared one: the static one would bring Rust's floorf and such in the place of the system's.
library=$prefix/lib/libmolehill.so

header="#include \"$here/stage3d.h\""
put src/scripting/flash/display/Stage3D.h "$header"
put src/scripting/flash/display3d/flashdisplay3d.h "$header"
put src/scripting/flash/display3d/flashdisplay3dtextures.h "$header"
put src/scripting/flash/display3d/agalconverter.h ""
put src/scripting/flash/display/Stage3D.cpp ""
put src/scripting/flash/display3d/flashdisplay3dtextures.cpp ""
put src/scripting/flash/display3d/flashdisplay3d.cpp "#include \"$here/stage3d.cpp\""
for file in src/scripting/abc.cpp src/platforms/engineutils.cpp; do
    insert $file '#include "scripting/flash/display/Stage.h"' '#include "scripting/flash/display/Stage3D.h"'
done
insert src/scripting/abc.cpp 'case ADVANCE_FRAME:' 'Stage3D::frames(false);'
insert src/scripting/abc.cpp 'case IDLE_EVENT:' 'Stage3D::frames(true);'
insert src/platforms/engineutils.cpp 'SDL_GL_MakeCurrent(widget, mSDLContext)' 'Stage3D::shareContext(widget);'
insert src/allclasses.h 'Context3DCompareMode' 'REGISTER_CLASS_NAME(Context3DFillMode,"flash.display3D")'
insert src/scripting/abc_flashdisplay3d.cpp 'Context3DCompareMode' \
    '	builtin->registerBuiltin("Context3DFillMode","flash.display3D",Class<Context3DFillMode>::getRef(m_sys));'
put src/scripting/flash/display/Stage.cpp \
    "$(sed '/>context3D.isNull/,/>visible)/c\		if (asAtomHandler::as<Stage3D>(a)->isShown())' "$lightspark/src/scripting/flash/display/Stage.cpp")"
# Shows a frame once, because composing is most of a frame's cost on a software renderer.
insert src/backends/rendering.cpp '#include "scripting/flash/display/Stage.h"' '#include "scripting/flash/display/Stage3D.h"'
put src/backends/rendering.cpp \
    "$(sed '/^void RenderThread::tick/,/^}/s/^\tdraw(false);/\tif (Stage3D::hasNews()) draw(false);/' "$lightspark/src/backends/rendering.cpp")"
insert src/CMakeLists.txt '^TARGET_LINK_LIBRARIES(spark .*ALL' "TARGET_LINK_LIBRARIES(spark $library)"
# The largest headers, compiled once, nearly halve the time of the build.
insert src/CMakeLists.txt '^TARGET_LINK_LIBRARIES(spark .*ALL' \
    "target_precompile_headers(spark PRIVATE \$<\$<COMPILE_LANGUAGE:CXX>:$here/precompiled.h>)"

[ -f "$lightspark/obj/CMakeCache.txt" ] || cmake -S "$lightspark" -B "$lightspark/obj" -DCMAKE_BUILD_TYPE=Release -DCOMPILE_NPAPI_PLUGIN=FALSE -DCOMPILE_PPAPI_PLUGIN=FALSE
cmake --build "$lightspark/obj" -j "${JOBS:-2}"
player=$(find "$lightspark/obj" -path '*/bin/lightspark' -type f | head -n 1)
cat > "$lightspark/molehill-player" <<END
#!/bin/sh
# Lightspark with Molehill. SIGTERM closes its window, so that a recording is complete.
export SDL_AUDIODRIVER="\${SDL_AUDIODRIVER:-dummy}"
[ -z "\${DISPLAY:-}" ] || exec "$player" -l 0 "\$@"
display=\$(mktemp)
setsid Xvfb -displayfd 3 -screen 0 2048x1536x24 3>"\$display" 2>/dev/null &
server=\$!
trap 'kill \$server; rm -f "\$display"' EXIT
while [ ! -s "\$display" ]; do kill -0 \$server && sleep 0.1; done
DISPLAY=:\$(cat "\$display") "$player" -l 0 "\$@" &
game=\$!
trap 'kill \$game' TERM INT
# A signal interrupts the wait.
while kill -0 \$game 2>/dev/null; do wait \$game && status=0 || status=\$?; done
exit \${status:-0}
END
chmod +x "$lightspark/molehill-player"
echo "$lightspark/molehill-player"
