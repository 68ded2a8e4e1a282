#!/bin/sh
# Runs every SWF of a folder in a player that records, replays the recordings with the reference renderer, and prints a table:
#
#     sh harness/hosts/run.sh PLAYER FOLDER [OUT]
#
# PLAYER is one of build.sh's. The player without a window runs $FRAMES frames (60) and saves its last picture, which is
# compared with that of the replay; another is stopped after $SECONDS_EACH seconds (20), and the window $WINDOW (Lightspark) must
# show one of the last recorded frames, for which ImageMagick is needed. MOLEHILL is the tool (molehill), which gets
# $REPLAY_SECONDS (600) for each.
# Columns: exit status of the player, which may also fail at its end, after the picture; frames, draws, Flash's errors, results in
# which recording and replay disagree, draws that Flash drops, and the picture: equal, or the number of pixels that differ by more
# than 3 levels, where the display list covers Stage3D's picture, too. OUT (target/hosts) gets recordings, traces and pictures;
# each result has the path of its SWF below FOLDER.
set -eu
[ $# -ge 2 ] || { echo "usage: run.sh PLAYER FOLDER [OUT]" >&2; exit 2; }
player=$1 folder=${2%/} out=${3:-target/hosts} tool=${MOLEHILL:-molehill}
mkdir -p "$out"
headless=
"$player" --help 2>&1 | grep -q -e --frames && headless=yes

# A number of a report.
number() { # NAME FILE
    value=$(sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$2" | head -n 1)
    echo "${value:-0}"
}

# Runs a player with a window. It is stopped for the picture, and killed if it doesn't end.
windowed() {
    MOLEHILL_RECORD=$base.s3d "$player" "$swf" > "$base.trace" 2> "$base.log" < /dev/null &
    game=$!
    left=${SECONDS_EACH:-20}
    while [ "$left" != 0 ] && kill -0 $game 2> /dev/null; do sleep 1 && left=$((left - 1)); done
    if kill -STOP $game 2> /dev/null; then
        timeout 20 import -window "${WINDOW:-Lightspark}" "$base.png" 2> /dev/null || true
        kill -CONT $game
        kill $game
    fi
    (sleep 20 && kill -9 $game) 2> /dev/null &
    watch=$! end=0
    wait $game || end=$?
    kill $watch 2> /dev/null
    return $end
}

# How many pixels of the window's picture differ from the recorded frame that it showed: the most similar of the last twenty.
shown() {
    last=$(($(number frames "$base.json") - 1))
    [ "$last" -ge 0 ] || return 0
    first=$((last > 19 ? last - 19 : 0))
    "$tool" trim "$base.s3d" -f "$first-$last" -o "$base.last.s3d" > /dev/null 2>> "$base.log" || return 0
    "$tool" replay "$base.last.s3d" --backend reference -f "$first-$last" -o "$base/last" > /dev/null 2>> "$base.log" || return 0
    frame=$(for picture in "$base"/last/frame-*.png; do
        echo "$(compare -metric AE "$picture" "$base.png" null: 2>&1) $picture"
    done | sort -g | sed -n '1s/.*frame-0*\([0-9][0-9]*\)\.png$/\1/p')
    "$tool" replay "$base.last.s3d" --backend reference -f "$frame" -o "$base" --json --expect "$base.png" \
        --tolerance 3 > "$base.shown.json" 2>> "$base.log" || true
    grep -q '"sameSize": true' "$base.shown.json" && number differing "$base.shown.json"
}

if [ -z "$headless" ] && [ -z "${DISPLAY:-}" ]; then
    display=$(mktemp)
    Xvfb -displayfd 3 -screen 0 2048x1536x24 3> "$display" 2> /dev/null &
    server=$!
    trap 'kill $server; rm -f "$display"' EXIT
    while [ ! -s "$display" ]; do kill -0 $server && sleep 0.1; done
    DISPLAY=:$(cat "$display")
    export DISPLAY
fi

printf '%-64s %6s %6s %7s %6s %8s %7s  %s\n' SWF status frames draws errors disagree dropped image
find "$folder" -name '*.swf' | sort | while read -r swf; do
    name=${swf#"$folder"/}
    name=${name%.swf}
    base=$out/$name
    short=$(printf '%s' "$name" | tail -c 64)
    mkdir -p "$(dirname "$base")"
    # A SWF beside this one may have its results in a folder below, or a name that begins with this one's.
    rm -f "$base"/frame-*.png
    rm -rf "$base/last"
    for end in s3d png trace log json last.s3d shown.json; do rm -f "$base.$end"; done
    status=0
    if [ -n "$headless" ]; then
        MOLEHILL_RECORD=$base.s3d timeout 300 "$player" --frames "${FRAMES:-60}" -o "$base.png" "$swf" \
            > "$base.trace" 2> "$base.log" < /dev/null || status=$?
    else
        windowed || status=$?
    fi
    if [ ! -f "$base.s3d" ]; then
        printf '%-64s %6s %6s\n' "$short" "$status" "no Stage3D"
        continue
    fi
    expect=
    [ -z "$headless" ] || [ ! -f "$base.png" ] || expect="--expect $base.png --tolerance 3"
    # shellcheck disable=SC2086 # two options
    timeout "${REPLAY_SECONDS:-600}" "$tool" replay "$base.s3d" --backend reference -f last -o "$base" --json $expect \
        > "$base.json" 2>> "$base.log" < /dev/null || true
    picture=unknown
    if grep -q '"passes": true' "$base.json"; then
        picture=equal
    elif grep -q '"passes": false' "$base.json"; then
        picture=$(number differing "$base.json")
    elif [ -f "$base.png" ]; then
        picture=$(shown) || true
        [ "$picture" != 0 ] || picture=equal
    fi
    # One line for each error that a draw would raise.
    dropped=$(sed -n '/"skippedDraws"/,/}/s/.*": \([0-9]*\),*$/\1/p' "$base.json" | awk '{ n += $1 } END { print n + 0 }')
    printf '%-64s %6s %6s %7s %6s %8s %7s  %s\n' "$short" "$status" "$(number frames "$base.json")" \
        "$(number draws "$base.json")" "$(number total "$base.json")" "$(number disagreements "$base.json")" "$dropped" "${picture:-unknown}"
done
