#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs every test: unit tests and end-to-end tests of a build with sanitizers
# (build-test/), short fuzzing, and the quick benches with their checks on a
# release build (build/). As root; installs what it needs. The last line counts
# all checks, and the exit status is 1 when one of them failed.

set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=examples/need.sh
. examples/need.sh

passed=0
failed=0
names=
log=$(mktemp)
faults=$(mktemp) # what failed, to be said again at the end

# count NAME PASSED FAILED
count() {
	passed=$((passed + $2))
	failed=$((failed + $3))
	[ "$3" = 0 ] || names="$names $1"
}

# run NAME COMMAND...: it ends with a line "N passed, N failed". One that does
# not, or whose exit status disagrees, has failed as a whole.
run() {
	name=$1
	shift
	echo "== $name"
	start=$(date +%s)
	"$@" >"$log" 2>&1 </dev/null
	status=$?
	cat "$log"
	echo "-- $name: $(($(date +%s) - start)) s"
	tally=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
	good=$(echo "${tally:-0}" | cut -d ' ' -f 1)
	bad=$(echo "${tally:-0 passed, 1}" | cut -d ' ' -f 3)
	[ $status = 0 ] || [ "$bad" != 0 ] || bad=1
	count "$name" "$good" "$bad"
	[ "$bad" = 0 ] || grep -A 4 FAILED "$log" | head -n 40 | sed "s/^/$name: /" >>"$faults"
}

# meson's own summary counts otherwise: "Ok: 12", "Fail: 0", "Timeout: 0"...
unit_tests() {
	meson test -C build-test --print-errorlogs
	status=$?
	text=$(tail -n 20 build-test/meson-logs/testlog.txt)
	number() {
		echo "$text" | awk -v key="$1:" '$1 " " $2 ~ "^" key { sum += $NF } END { print sum + 0 }'
	}
	good=$(($(number Ok) + $(number 'Expected Fail')))
	bad=$(($(number Fail) + $(number 'Unexpected Pass') + $(number Timeout)))
	[ $status = 0 ] || [ $bad != 0 ] || bad=1
	echo "$good passed, $bad failed"
	[ $bad = 0 ]
}

# A bench that names what failed, but does not count.
codec() {
	if build/tests/bench/codec --quick --check; then
		echo "1 passed, 0 failed"
	else
		echo "0 passed, 1 failed"
		return 1
	fi
}

with() {
	SERIALBUNDLE_BUILD=$PWD/$1
	export SERIALBUNDLE_BUILD
	shift
	"$@"
}

trap 'rm -f "$log" "$faults"' EXIT
trap 'exit 130' INT TERM HUP
export PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS=abort_on_error=0:exitcode=99 UBSAN_OPTIONS=halt_on_error=1:exitcode=99

# shellcheck disable=SC2086 # one word per package
need $BUILD_PACKAGES $RUN_PACKAGES tmux check clang libclang-rt-dev tshark mandoc slirp python3-jsonschema \
	python3-prometheus-client systemd ppp ser2net gensio-bin socat openssl || exit 1
build_into build-test -Dbuildtype=debugoptimized -Dwerror=true \
	-Db_sanitize=address,undefined -Dtests=true || exit 1
build_into build -Dbuildtype=release -Dtests=true || exit 1

run unit unit_tests
run library tests/e2e/library.sh build
run fuzz tests/fuzz/run.sh 6
run rig with build-test tests/rig/test_rig.py
run nullmodem with build-test tests/rig/test_nullmodem.py
run modems with build-test tests/rig/test_modems.py
run dissect with build-test tests/rig/test_dissect.py
run chat with build-test tests/interop/chat
run bad-input tests/e2e/bad_input.py build-test/src/serialbundle
run netif with build-test tests/e2e/netif.py
run service with build tests/e2e/service.py
run failover with build-test tests/e2e/failover.py --quick
run integrity with build-test tests/e2e/integrity.py --quick
run ppp with build-test tests/e2e/ppp.py
run vendor with build-test tests/e2e/vendor.py
run live with build-test tests/e2e/live.py
run shape with build tests/e2e/shape.py --quick
run auto-rate with build tests/e2e/auto_rate.py --quick
run ppp-failover with build tests/e2e/ppp_failover.py --quick
run bonding-modes with build tests/e2e/modes.py --quick
run mode-changes with build tests/e2e/mode_changes.py
run hostile with build tests/e2e/hostile.py --quick
run answer with build tests/e2e/answer.py --quick --check
run ser2net with build-test tests/e2e/ser2net.py
run top with build-test tests/e2e/top.py
run metrics with build-test tests/e2e/metrics.py
run control with build tests/e2e/control.py --quick
run completion with build tests/e2e/completion.py
run slirp with build tests/e2e/slirp.py --quick --check
run dial with build tests/e2e/dial.py --quick
run wire with build-test tests/e2e/wire.py
run tiers with build tests/e2e/tiers.py --quick
run no-alloc with build tests/e2e/no_alloc.py
run many-lines with build tests/e2e/many_lines.py
run codec codec
for bench in howto-table stripe loaded-ping multilink rrul streams modes; do
	run "$bench" with build "tests/bench/$bench" --quick --check
done

# Peers with a stock kernel, emulated: they need no more than the packages.
tests/vm/initramfs build/vm >"$log" 2>&1
case $? in
0)
	run uart with build tests/vm/uart
	run cuts with build tests/vm/cuts --quick
	run matrix with build tests/vm/matrix --quick --check
	run against-kernel with build tests/bench/against-kernel --quick --check
	;;
77)
	cat "$log"
	echo "== uart, cuts, matrix, against-kernel: skipped, since QEMU and its kernel cannot be had here"
	;;
*)
	cat "$log"
	count vm 0 1
	;;
esac

if [ $failed != 0 ]; then
	cat "$faults"
	echo "failed:$names"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
