#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/fuzz/run.sh SECONDS
#
# Builds every libFuzzer target with clang in a temporary directory and runs each
# for so long, from the inputs in tests/fuzz/NAME.seeds. A target passes when
# nothing crashed, hung or leaked; the input that did is kept and named. The last line
# counts; the exit status is 1 if any failed.
set -eu

seconds=${1:?usage: run.sh SECONDS}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One file of octets for each line of hex.
plant_seeds() {
	python3 - "$1" "$2" <<-'PYTHON'
	import pathlib, sys
	lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
	for i, line in enumerate(l for l in lines if l and not l.startswith("#")):
	    pathlib.Path(sys.argv[2], f"seed{i:02}").write_bytes(bytes.fromhex(line))
	PYTHON
}

run() {
	name=$(basename "$1")
	corpus=$work/corpus-$name
	mkdir "$corpus"
	seeds=$here/${name#fuzz_}.seeds
	[ ! -e "$seeds" ] || plant_seeds "$seeds" "$corpus"
	echo "$name: $seconds s"
	if "$1" -max_total_time="$seconds" -timeout=10 -max_len=4096 -print_final_stats=1 \
		-artifact_prefix="$work/$name-" "$corpus" >"$work/$name.log" 2>&1; then
		sed -n 's/^stat::number_of_executed_units: */  inputs tried: /p' "$work/$name.log"
		touch "$work/$name.passed"
	else
		tail -n 40 "$work/$name.log"
		keep=$(mktemp -d "${TMPDIR:-/tmp}/$name.XXXXXX")
		cp "$work/$name"* "$keep"
		echo "$name: FAILED, kept in $keep"
	fi
}

CC=clang meson setup "$work/build" "$here/../.." -Dfuzzers=true -Dbuildtype=debugoptimized \
	>"$work/setup.log" 2>&1 || { cat "$work/setup.log"; exit 1; }
meson compile -C "$work/build" fuzzers >"$work/compile.log" 2>&1 ||
	{ cat "$work/compile.log"; exit 1; }
# As many at a time as there are processors.
processors=$(nproc) started=0
for target in "$work"/build/tests/fuzz/fuzz_*; do
	[ -f "$target" ] && [ -x "$target" ] || continue
	run "$target" >"$work/$(basename "$target").said" 2>&1 &
	started=$((started + 1))
	[ $((started % processors)) != 0 ] || wait
done
wait
cat "$work"/*.said

passed=$(find "$work" -maxdepth 1 -name '*.passed' | wc -l)
failed=$((started - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
