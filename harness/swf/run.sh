#!/bin/sh
# Plays the SWF files of a folder and compares what they print with the .txt files beside them.
#
#     run.sh PLAYER FOLDER
#
# PLAYER is a command that plays the file that is its last argument: 'ruffle', 'lightspark -l 0', 'flashplayerdebugger'.
# Variables: LOG, a file to which the player writes traces if not to its output (Flash Player: flashlog.txt);
# LIMIT, seconds for a file (120); OUT, the folder for logs and report.txt (FOLDER/results).
# Exit status: 0 if all files agree, 1 if not, 2 if nothing can be run.

if [ $# -ne 2 ] || [ ! -d "$2" ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
player=$1
folder=$2
out=${OUT:-$folder/results}
limit=${LIMIT:-120}
mkdir -p "$out" || exit 2
: >"$out/report.txt" || exit 2

# The lines that every player should print alike; a log may have other text before ours.
ours() {
    sed -n 's/.*molehill \(case\|call\|frame\|aborted\|timeout\|end\)/\1/p' "$1" | tr -d '\r' |
        awk '$1 == "call" { $0 = $1 " " $2 " " $3 " " $4 } { print }'
}

# Plays a file until its end; the status is 0, 124 after the limit, or that of a player that ended too early.
play() {
    [ -z "$LOG" ] || : >"$LOG"
    $player "$1" </dev/null >"$2" 2>&1 &
    pid=$!
    status=124
    ticks=0
    while [ $ticks -lt $((limit * 5)) ]; do
        kill -0 $pid 2>/dev/null || { wait $pid; status=$?; break; }
        ! grep -q 'molehill end' "${LOG:-$2}" 2>/dev/null || { status=0; break; }
        sleep 0.2
        ticks=$((ticks + 1))
    done
    # A player that hangs may ignore the first signal.
    kill $pid 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.2
    done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -z "$LOG" ] || cat "$LOG" >>"$2"
    ! grep -q 'molehill end' "$2" || status=0
    return $status
}

total=$(find "$folder" -maxdepth 1 -name '*.swf' | wc -l)
[ "$total" -gt 0 ] || { echo "no .swf files in $folder" >&2; exit 2; }
number=0
for file in "$folder"/*.swf; do
    name=$(basename "$file" .swf)
    number=$((number + 1))
    printf '\r\033[K%s/%s %s' "$number" "$total" "$name" >&2
    play "$file" "$out/$name.log"
    status=$?
    ours "$out/$name.log" >"$out/$name.is"
    note=
    if [ $status -eq 124 ]; then
        verdict='timed out'
    elif ! grep -q '^end' "$out/$name.is"; then
        verdict=crashed
        note="status $status"
    elif [ ! -f "$folder/$name.txt" ]; then
        verdict=ran
    else
        ours "$folder/$name.txt" | diff - "$out/$name.is" >"$out/$name.diff"
        verdict=agreed
        if [ -s "$out/$name.diff" ]; then
            verdict=differed
            note="$(grep -c '^[<>]' "$out/$name.diff") lines, first: $(grep -m 1 '^[<>]' "$out/$name.diff")"
        fi
    fi
    printf '%s\t%s\t%s\n' "$verdict" "$name" "$note" >>"$out/report.txt"
    rm -f "$out/$name.is"
done
printf '\r\033[K' >&2
cat "$out/report.txt"
cut -f 1 "$out/report.txt" | sort | uniq -c
! cut -f 1 "$out/report.txt" | grep -qv 'agreed\|ran'
