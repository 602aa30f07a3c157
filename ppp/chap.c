/* SPDX-License-Identifier: MIT */
#include "ppp/chap.h"

#include <assert.h>
#include <md5.h>

#include "ppp/packet.h"
#include "ppp/secret.h"

/* The name has no length of its own: it is the rest of the packet. */
bool chap_take_value(struct bytes data, struct chap_value *taken)
{
	if (data.length == 0 || data.at[0] == 0 || data.at[0] > data.length - 1)
		return false;
	taken->value = bytes_of(data.at + 1, data.at[0]);
	taken->name = bytes_skip(data, 1 + taken->value.length);
	return true;
}

void chap_put_value(struct buf *to, enum chap_code code, uint8_t identifier,
		    const struct chap_value *put)
{
	assert(put->value.length > 0 && put->value.length <= UINT8_MAX);
	ppp_packet_put_header(to, code, identifier, 1 + put->value.length + put->name.length);
	buf_put(to, (uint8_t)put->value.length);
	buf_append(to, put->value);
	buf_append(to, put->name);
}

void chap_put_result(struct buf *to, enum chap_code code, uint8_t identifier, const char *message)
{
	struct bytes text = bytes_of(message, strlen(message));
	ppp_packet_put_header(to, code, identifier, text.length);
	buf_append(to, text);
}

/* RFC 1994 section 4.1: over the identifier, the secret and the challenge, in this order. */
void chap_digest(uint8_t identifier, const char *secret, struct bytes challenge,
		 uint8_t digest[static CHAP_DIGEST_SIZE])
{
	MD5_CTX md5;
	MD5Init(&md5);
	MD5Update(&md5, &identifier, 1);
	MD5Update(&md5, (const uint8_t *)secret, strlen(secret));
	MD5Update(&md5, challenge.at, challenge.length);
	MD5Final(digest, &md5);
	secret_wipe(&md5, sizeof(md5));
}
