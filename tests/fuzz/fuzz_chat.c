/* SPDX-License-Identifier: MIT */
/*
 * Any script, and any modem. Input: flags, the script's text, a NUL, and what happens:
 * F8 to FE and an octet are time that passes, other octets are characters from the modem.
 *
 * However the characters are cut, the same is sent, told, and left for the link; what is
 * told is printable; and it ends in the time that its steps and pauses may take.
 */
#include "src/modem/chat.h"
#include "src/modem/connect.h"
#include "tests/fuzz/cuts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	WITH_ECHO = 1,
	STOP_AT_PPP = 2,
	WITH_VARIABLES = 4,
	WITH_NUMBERS = 8,
	NO_FILES = 16,
	TIME = 0xF8,
	PPP_BEGINS = 0xFF, /* no time, but a character */
};

struct seen {
	struct chat *chat;
	sb_time now;
	bool no_files, has_ended;
	struct buf sent, told, left;
	uint8_t sent_memory[1 << 17], told_memory[1 << 20], left_memory[1 << 14];
};

static const char *variable(void *context, const char *name)
{
	(void)context;
	return name[0] == 'N' ? "va\\pl\\ue" : NULL;
}

static struct chat_script *parse(struct bytes text, uint8_t flags)
{
	const struct chat_script_options options = {
		.phone = flags & WITH_NUMBERS ? "0\\d555\\" : NULL,
		.phone2 = flags & WITH_NUMBERS ? "" : NULL,
		.variable = flags & WITH_VARIABLES ? variable : NULL,
	};
	struct chat_script_error error = {0};
	uint8_t *copy = malloc(text.length);

	REQUIRE(copy || !text.length);
	if (text.length)
		memcpy(copy, text.at, text.length);
	struct chat_script *s = chat_script_parse(bytes_of(copy, text.length), &options, &error);
	REQUIRE(s || (error.line && error.text[0]));
	free(copy);
	return s;
}

/* --- its owner --- */

static void require_printable(const struct chat_event *e)
{
	for (const char *c = e->text; *c; c++)
		REQUIRE(((uint8_t)*c >= ' ' && (uint8_t)*c < 0x7F) || *c == '\t' ||
			e->kind == CHAT_SAY || (e->kind == CHAT_ECHO && *c == '\n') ||
			e->kind == CHAT_FILE);
}

/* Where one echo ends and the next begins is not told. */
static void note(struct seen *s, const struct chat_event *e)
{
	static const struct bytes file = {(const uint8_t *)"fi\\pl\\e\n", 8};
	uint8_t kind = (uint8_t)('A' + e->kind);

	if (e->kind == CHAT_FINISHED) {
		REQUIRE(!s->has_ended && chat_has_ended(s->chat));
		s->has_ended = true;
		buf_put(&s->told, (uint8_t)e->result);
	}
	if (e->kind != CHAT_PEER_SPEAKS_PPP && e->kind != CHAT_HANGUP && e->kind != CHAT_BREAK)
		require_printable(e);
	if (e->kind != CHAT_ECHO)
		buf_put(&s->told, kind);
	buf_append(&s->told, bytes_of(e->text, strlen(e->text)));
	if (e->kind == CHAT_FILE)
		chat_file(s->chat, s->now, s->no_files ? bytes_of(NULL, 0) : file);
}

static void drain(struct seen *s, size_t room)
{
	struct chat_event e;
	bool some = true;

	while (some) {
		uint8_t memory[64];
		struct buf out = buf_over(memory, room);
		some = chat_output(s->chat, s->now, &out);
		REQUIRE(some == (out.length > 0) && !out.overflow);
		buf_append(&s->sent, buf_bytes(&out));
		while (chat_event(s->chat, &e)) {
			note(s, &e);
			some = true;
		}
		if (!s->has_ended && chat_deadline(s->chat) <= s->now)
			chat_tick(s->chat, s->now);
	}
}

/* What is kept is offered until it wants no more of it. */
static void offer(struct seen *s, size_t room)
{
	size_t before;

	do {
		uint8_t *copy = malloc(s->left.length);
		REQUIRE(copy || !s->left.length);
		memcpy(copy, s->left.at, s->left.length);
		struct bytes in = bytes_of(copy, s->left.length);
		before = in.length;
		if (!s->has_ended)
			chat_input(s->chat, s->now, &in);
		REQUIRE(in.length <= before);
		memmove(s->left.at, in.at, in.length);
		s->left.length = in.length;
		free(copy);
		drain(s, room);
	} while (!s->has_ended && s->left.length && s->left.length < before);
}

static void wait_until(struct seen *s, sb_time end, size_t room)
{
	while (!s->has_ended && chat_deadline(s->chat) <= end) {
		REQUIRE(chat_deadline(s->chat) >= s->now);
		s->now = chat_deadline(s->chat);
		chat_tick(s->chat, s->now);
		drain(s, room);
		offer(s, room);
	}
	s->now = end;
}

/* A run of characters in pieces of `most`. */
static void hear(struct seen *s, struct bytes text, size_t most, size_t room)
{
	while (text.length) {
		size_t n = most && most < text.length ? most : text.length;
		buf_append(&s->left, bytes_of(text.at, n));
		text = bytes_skip(text, n);
		offer(s, room);
	}
}

static size_t characters(struct bytes stream)
{
	size_t n = 0;

	while (n < stream.length && (stream.at[n] < TIME || stream.at[n] == PPP_BEGINS))
		n++;
	return n;
}

static void live(struct seen *s, struct bytes stream, size_t most, size_t room)
{
	drain(s, room);
	while (stream.length) {
		size_t n = characters(stream);
		hear(s, bytes_of(stream.at, n), most, room);
		stream = bytes_skip(stream, n);
		if (stream.length < 2)
			break;
		wait_until(s, s->now + (stream.at[0] - TIME + 1) * stream.at[1] * SB_SEC / 100,
			   room);
		stream = bytes_skip(stream, 2);
	}
}

/* An expect takes its time-out, and each octet of the script is one, or a pause, at most. */
static void see(struct seen *s, const struct chat_script *script, struct bytes text,
		struct bytes stream, uint8_t flags, size_t most, size_t room)
{
	const struct chat_config config = {.script = script,
					   .timeout = 2 * SB_SEC,
					   .echo = flags & WITH_ECHO,
					   .stop_at_ppp = flags & STOP_AT_PPP};

	*s = (struct seen){.now = SB_SEC, .no_files = flags & NO_FILES};
	s->sent = buf_over(s->sent_memory, sizeof s->sent_memory);
	s->told = buf_over(s->told_memory, sizeof s->told_memory);
	s->left = buf_over(s->left_memory, sizeof s->left_memory);
	s->chat = chat_new(&config);
	REQUIRE(s->chat);
	chat_start(s->chat, s->now);
	live(s, stream, most, room);
	wait_until(s, s->now + (sb_time)(text.length + 1) * 10000000 * SB_SEC, room);
	REQUIRE(s->has_ended && !s->told.overflow && !s->sent.overflow && !s->left.overflow);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

/* What the link gets: what an earlier call took of its frame, and what was left. */
static struct buf of_link(const struct seen *s, uint8_t *memory, size_t size)
{
	struct buf link = buf_over(memory, size);

	buf_append(&link, chat_replay(s->chat));
	buf_append(&link, buf_bytes(&s->left));
	return link;
}

static void compare(const struct seen *a, const struct seen *b)
{
	static uint8_t memory[2][1 << 15];
	struct buf link_a = of_link(a, memory[0], sizeof memory[0]);
	struct buf link_b = of_link(b, memory[1], sizeof memory[1]);

	REQUIRE(same(&a->sent, &b->sent) && same(&a->told, &b->told) && same(&link_a, &link_b));
}

static void heed_lines(struct bytes text)
{
	struct connect connect;

	connect_init(&connect);
	while (text.length) {
		const uint8_t *end = memchr(text.at, '\n', text.length);
		size_t n = end ? (size_t)(end - text.at) : text.length;
		connect_heed(&connect, bytes_of(text.at, n), 115200);
		REQUIRE(connect.bps <= 115200);
		REQUIRE(memchr(connect.protocol, 0, CONNECT_WORD_SIZE));
		text = bytes_skip(text, end ? n + 1 : n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct seen whole, cut;

	if (size < 1)
		return 0;
	uint8_t flags = data[0];
	struct bytes all = bytes_of(data + 1, size - 1);
	const uint8_t *end = all.length ? memchr(all.at, 0, all.length) : NULL;
	size_t length = end ? (size_t)(end - all.at) : all.length;
	struct bytes text = bytes_of(all.at, length);
	struct bytes stream = bytes_skip(all, end ? length + 1 : length);

	heed_lines(stream);
	struct chat_script *script = parse(text, flags);
	if (!script)
		return 0;
	see(&whole, script, text, stream, flags, 0, 64);
	see(&cut, script, text, stream, flags, 1 + flags % 3, 1 + flags % 5);
	compare(&whole, &cut);
	chat_free(whole.chat);
	chat_free(cut.chat);
	chat_script_free(script);
	return 0;
}
