#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs a build ($1) aside, and builds and runs a program against what
# pkg-config says of libserialbundle.

set -u
build=$1
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT

DESTDIR=$there meson install -C "$build" --no-rebuild >"$there/log" 2>&1 || cat "$there/log"
pc=$(find "$there" -name serialbundle.pc)
prefix=$there$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH="${pc%/*}"
lib=$prefix/${pc#"$prefix"/}
lib=${lib%/pkgconfig/*}

cat >"$there/user.c" <<'C'
#include <ppp/hdlc.h>
#include <ppp/link.h>
#include <ppp/mp.h>
#include <ppp/network.h>
#include <ppp/reassembly.h>
#include <sched/multilink.h>
#include <sched/stripe.h>
#include <slip/slip.h>

#include <stdio.h>

int main(void)
{
	static const uint8_t packet[] = {0x45, 0xC0, 0xDB, 0x7E, 0x7D};
	struct asyncmap map = asyncmap_from_accm(0);
	struct hdlc_encoding encoding = {.map = &map, .fcs = HDLC_FCS_16, .opening_flag = true};
	uint8_t wire[64];
	struct buf out = buf_over(wire, sizeof(wire));
	struct packet_pool *pool = packet_pool_new(4, 100);

	slip_encode(&out, bytes_of(packet, sizeof(packet)));
	printf("%zu ", out.length);
	out.length = 0;
	hdlc_encode(&out, &encoding, bytes_of(packet, sizeof(packet)));
	printf("%zu ", out.length);
	packet_put(pool, packet_get(pool));
	printf("%zu ", packet_pool_size(pool));
	packet_pool_free(pool);
	puts(link_reason_text(LINK_NO_REPLY));
	return 0;
}
C

passed=0
failed=0
check() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1: '$2', not '$3'"
	fi
}

# shellcheck disable=SC2046 # flags are words
cc -std=c17 -Wall -Wextra -Werror "$there/user.c" -o "$there/user" \
	$(pkg-config --define-variable=prefix="$prefix" --cflags --libs serialbundle)
check "a program builds against the installed library" $? 0
check "and runs" "$(LD_LIBRARY_PATH=$lib "$there/user")" "9 11 100 no reply to LCP"
for page in man8/serialbundle.8 man1/nullmodem.1 man1/serialbundlectl.1 man5/serialbundle.conf.5 \
	man5/serialbundle-chat.5; do
	check "manual $page" "$(find "$prefix" -path "*/$page" | wc -l)" 1
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
