# SPDX-License-Identifier: MIT
# Sourced by scripts: `need PACKAGE...` makes sure that Debian packages are
# installed, and installs those that are not, when it may.
# shellcheck shell=sh disable=SC2034 # the variables are for those who source it

BUILD_PACKAGES="gcc libc6-dev meson ninja-build pkg-config \
	libev-dev libserialport-dev libpcap-dev libmnl-dev libjansson-dev libinih-dev libmd-dev \
	libncurses-dev"
RUN_PACKAGES="python3 iproute2 iputils-ping util-linux"

need() {
	if ! command -v dpkg-query >/dev/null; then
		echo "This is no Debian; going on in the hope that there is: $*" >&2
		return 0
	fi
	missing=
	for package; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo "Packages are missing. As root: apt-get install$missing" >&2
		return 1
	fi
	echo "Installing$missing" >&2
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # one word per package
	if apt-get -qq update >&2 &&
		apt-get -qq -y --no-install-recommends install $missing >/dev/null; then
		return 0
	fi
	echo "apt-get could not install$missing" >&2
	return 1
}

# build_into DIRECTORY MESON-OPTION...: quiet unless it fails.
build_into() {
	directory=$1
	shift
	log=$(mktemp)
	if [ -f "$directory/build.ninja" ]; then
		meson configure "$directory" "$@" >"$log" 2>&1
	else
		meson setup "$directory" "$@" >"$log" 2>&1
	fi && ninja -C "$directory" >"$log" 2>&1 && rm "$log" && return 0
	cat "$log" >&2
	rm "$log"
	return 1
}
