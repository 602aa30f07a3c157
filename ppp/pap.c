/* SPDX-License-Identifier: MIT */
#include "ppp/pap.h"

#include <assert.h>

#include "ppp/packet.h"

/* Each field is a byte of length, and that many bytes. */
static bool take_field(struct bytes *from, struct bytes *field)
{
	if (from->length == 0 || from->at[0] > from->length - 1)
		return false;
	*field = bytes_of(from->at + 1, from->at[0]);
	*from = bytes_skip(*from, 1 + field->length);
	return true;
}

static void put_field(struct buf *to, struct bytes field)
{
	assert(field.length <= PAP_FIELD_MAX);
	buf_put(to, (uint8_t)field.length);
	buf_append(to, field);
}

bool pap_take_request(struct bytes data, struct pap_request *request)
{
	return take_field(&data, &request->name) && take_field(&data, &request->password);
}

void pap_put_request(struct buf *to, uint8_t identifier, const struct pap_request *request)
{
	ppp_packet_put_header(to, PAP_REQUEST, identifier,
			      2 + request->name.length + request->password.length);
	put_field(to, request->name);
	put_field(to, request->password);
}

void pap_put_reply(struct buf *to, enum pap_code code, uint8_t identifier, const char *message)
{
	size_t length = strlen(message);
	ppp_packet_put_header(to, code, identifier, 1 + length);
	put_field(to, bytes_of(message, length));
}
