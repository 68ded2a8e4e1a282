#!/bin/sh
# Runs every SWF of a folder in a player that records, replays the recordings with the reference renderer, and prints a table:
#
#     sh harness/hosts/run.sh PLAYER FOLDER [OUT]
#
# PLAYER is one of build.sh's. The player without a window runs $FRAMES frames (60) and saves its last picture, which is
# compared with that of the replay; another is stopped after $SECONDS_EACH seconds (20). MOLEHILL is the tool (molehill).
# Columns: exit status of the player, frames, draws, Flash's errors, results in which recording and replay disagree, draws that
# Flash drops, and the picture: equal, or the number of pixels that differ by more than 3 levels, where the display list covers
# Stage3D's picture, too. OUT (target/hosts) gets recordings, traces and pictures.
set -eu
[ $# -ge 2 ] || { echo "usage: run.sh PLAYER FOLDER [OUT]" >&2; exit 2; }
player=$1 folder=$2 out=${3:-target/hosts} tool=${MOLEHILL:-molehill}
mkdir -p "$out"
headless=
"$player" --help 2>&1 | grep -q -e --frames && headless=yes

# A number of a report.
number() { # NAME FILE
    value=$(sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$2" | head -n 1)
    echo "${value:-0}"
}

printf '%-64s %6s %6s %7s %6s %8s %7s  %s\n' SWF status frames draws errors disagree dropped picture
find "$folder" -name '*.swf' | sort | while read -r swf; do
    name=$(basename "$swf" .swf)
    base=$out/$name
    rm -rf "$base" "$base".*
    status=0
    if [ -n "$headless" ]; then
        MOLEHILL_RECORD=$base.s3d timeout 300 "$player" --frames "${FRAMES:-60}" -o "$base.png" "$swf" \
            > "$base.trace" 2> "$base.log" < /dev/null || status=$?
    else
        MOLEHILL_RECORD=$base.s3d timeout "${SECONDS_EACH:-20}" "$player" "$swf" \
            > "$base.trace" 2> "$base.log" < /dev/null || status=$?
        [ "$status" != 124 ] || status=0
    fi
    if [ ! -f "$base.s3d" ]; then
        printf '%-64.64s %6s %6s\n' "$name" "$status" "no Stage3D"
        continue
    fi
    expect=
    [ ! -f "$base.png" ] || expect="--expect $base.png --tolerance 3"
    # shellcheck disable=SC2086 # two options
    timeout 600 "$tool" replay "$base.s3d" --backend reference -f last -o "$base" --json $expect \
        > "$base.json" 2>> "$base.log" < /dev/null || true
    picture=unknown
    if grep -q '"passes": true' "$base.json"; then
        picture=equal
    elif grep -q '"passes": false' "$base.json"; then
        picture=$(number differing "$base.json")
    fi
    # One line for each error that a draw would raise.
    dropped=$(sed -n '/"skippedDraws"/,/}/s/.*": \([0-9]*\),*$/\1/p' "$base.json" | awk '{ n += $1 } END { print n + 0 }')
    printf '%-64.64s %6s %6s %7s %6s %8s %7s  %s\n' "$name" "$status" "$(number frames "$base.json")" \
        "$(number draws "$base.json")" "$(number total "$base.json")" "$(number disagreements "$base.json")" "$dropped" "$picture"
done
