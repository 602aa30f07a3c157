#!/bin/sh
# SPDX-License-Identifier: MIT
#
# loopback.sh [--ppp] [BPS...]   (default: SLIP, 28800 14400)
#
# Shows serialbundle at work on one machine, without any modem: two network
# namespaces, each with a serialbundle, joined by one null-modem line for each
# BPS that exist in memory only. A file goes through by TCP in each direction,
# with a ping beside it, and a table says how well the lines were used. With
# --ppp the lines speak PPP and are joined by multilink.
#
# As root it installs what is missing to build and run. As an ordinary user it
# does the same inside a user namespace, where the kernel allows that.
# Nothing is left behind but the build directory.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(dirname "$here")
# shellcheck source=examples/need.sh
. "$here/need.sh"

stop() {
	echo "loopback.sh: $*" >&2
	exit 1
}

for bps; do
	case $bps in
	-h | --help)
		sed -n '4,15s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--ppp) ;;
	'' | *[!0-9]*) stop "'$bps' is no number of bits per second" ;;
	esac
done

# shellcheck disable=SC2086 # one word per package
need $BUILD_PACKAGES $RUN_PACKAGES || stop "cannot go on without them"
echo "Building into build/"
build_into "$tree/build" -Dbuildtype=release -Dtests=false || stop "the build failed, see above"

[ -c /dev/net/tun ] || stop "/dev/net/tun is missing (modprobe tun)"
[ -w /dev/net/tun ] || stop "/dev/net/tun may not be used by $(id -un)"
if [ "$(id -u)" = 0 ]; then
	exec python3 "$here/loopback.py" "$@"
fi
unshare -Urn true 2>/dev/null ||
	stop "this kernel lets ordinary users make no network namespaces: run it as root"
exec unshare -Urn python3 "$here/loopback.py" "$@"
