#!/usr/bin/env bash
# Records the scenes in `scenes` anew, or those that are named; new ones are added. They are cases of the conformance suite:
#
#     harness/captures/record.sh api.scissor.all
#
# Each is a case for `molehill check`: a capture, and the picture of its last frame as the reference renderer draws it. Look at
# a new picture before it is committed. `MOLEHILL` is the tool, if it is built already.
set -euo pipefail
cd "$(dirname "$0")/../.."
scenes=harness/captures/scenes
new=target/scenes

molehill() {
    ${MOLEHILL:-cargo run --locked --release --quiet --} "$@"
}

names=("$@")
[ $# -gt 0 ] || names=("$scenes"/*)
names=("${names[@]##*/}")
filters=()
for name in "${names[@]}"; do
    filters+=(--filter "$name")
done
rm -rf "$new"
molehill conform save "$new" "${filters[@]}"
for name in "${names[@]}"; do
    scene=$scenes/$name
    mkdir -p "$scene"
    molehill convert "$new/$name.s3d.jsonl" -o "$scene/capture.s3d.jsonl.zst"
    molehill replay "$scene/capture.s3d.jsonl.zst" --backend reference --strict --out "$new/$name"
    pictures=("$new/$name"/frame-*.png)
    last=${pictures[${#pictures[@]} - 1]}
    cp "$last" "$scene/expected.png"
    frame=${last##*/frame-}
    [ -f "$scene/case.toml" ] || cat >"$scene/case.toml" <<EOF
expectedFrame = $((10#${frame%.png}))
tolerance = 3
maxOutliers = 8
toleranceReason = "The picture is the reference renderer's; drivers round colours and place edges differently."
EOF
done
