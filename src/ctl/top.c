/* SPDX-License-Identifier: MIT */
/*
 * The terminal's side of `top`: keys in, cells out, and the status asked for once a second.
 * Nothing here waits but for the keyboard, the answer and the second, all at once, so that
 * a program that does not answer leaves keys alive. One that went away is looked
 * for each second; until it is back the last figures stay, below a row that says so.
 */
#define _XOPEN_SOURCE    700
#define NCURSES_WIDECHAR 1
#include "src/ctl/top.h"

#include "src/ctl/top_names.h"
#include "src/ctl/top_screen.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_MS = 1000, PATIENCE_MS = 2500, ESCAPE_MS = 50, PAGE = 10 };

struct top {
	const char *path;
	struct ctl_client *client; /* NULL: there is nobody */
	json_t *request;
	bool asked;       /* an answer is to come */
	int64_t asked_at; /* milliseconds */
	int64_t next_at;  /* when the next second begins */
	bool utf8, colour, done;
	SCREEN *screen;
	struct top_names *names; /* NULL: addresses are shown */
	struct top_model model;
	struct top_view view;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- the terminal --- */

static const struct {
	short foreground, background; /* -1: the terminal's own */
	attr_t with_colour, without;
} styles[CANVAS_STYLES] = {
	[CANVAS_PLAIN] = {-1, -1, A_NORMAL, A_NORMAL},
	[CANVAS_BOLD] = {-1, -1, A_BOLD, A_BOLD},
	[CANVAS_DIM] = {-1, -1, A_DIM, A_NORMAL},
	[CANVAS_GOOD] = {COLOR_GREEN, -1, A_NORMAL, A_NORMAL},
	[CANVAS_WARN] = {COLOR_YELLOW, -1, A_BOLD, A_BOLD},
	[CANVAS_BAD] = {COLOR_RED, -1, A_BOLD, A_BOLD},
	[CANVAS_HEAD] = {-1, -1, A_REVERSE, A_REVERSE},
	[CANVAS_BAR] = {COLOR_CYAN, -1, A_NORMAL, A_NORMAL},
	[CANVAS_MARK] = {COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_REVERSE},
};

static void begin_colours(struct top *t)
{
	t->colour = t->colour && has_colors();
	if (!t->colour)
		return;
	start_color();
	use_default_colors();
	for (int i = 0; i < CANVAS_STYLES; i++)
		init_pair((short)(i + 1), styles[i].foreground, styles[i].background);
}

/* Asked first, since newterm leaves memory behind when it fails. */
static bool terminal_is_known(void)
{
	int found;

	if (setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return false;
	del_curterm(cur_term);
	return true;
}

static bool begin_terminal(struct top *t)
{
	const char *term = getenv("TERM");

	setlocale(LC_CTYPE, "");
	t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		fputs("serialbundlectl: top needs a terminal\n", stderr);
		return false;
	}
	t->screen = terminal_is_known() ? newterm(NULL, stdout, stdin) : NULL;
	if (!t->screen) {
		fprintf(stderr, "serialbundlectl: the terminal type '%s' is not known\n",
			term ? term : "");
		return false;
	}
	begin_colours(t);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, true);
	nodelay(stdscr, true);
	set_escdelay(ESCAPE_MS);
	return true;
}

/* The lower right cell cannot be written everywhere without scrolling: ncurses sees to that. */
static void show(const struct top *t, const struct canvas *c)
{
	for (unsigned row = 0; row < c->height; row++) {
		move((int)row, 0);
		for (unsigned column = 0; column < c->width; column++) {
			const struct canvas_cell *cell = &c->cells[row * c->width + column];
			short pair = t->colour ? (short)(cell->style + 1) : 0;

			attr_set(t->colour ? styles[cell->style].with_colour
					   : styles[cell->style].without,
				 pair, NULL);
			addstr(cell->text);
		}
	}
	refresh();
}

static void draw(struct top *t)
{
	struct canvas c;

	if (!canvas_init(&c, (unsigned)COLS, (unsigned)LINES, t->utf8))
		return;
	top_screen(&c, &t->model, &t->view);
	show(t, &c);
	canvas_free(&c);
}

/* --- the program that is watched --- */

static void lose(struct top *t, const char *why)
{
	ctl_close(t->client);
	t->client = NULL;
	t->asked = false;
	snprintf(t->view.trouble, sizeof(t->view.trouble), "no answer from %s: %.60s; trying again",
		 t->path, why);
}

static bool find_program(struct top *t, struct ctl_why *why)
{
	t->client = ctl_connect(t->path, why);
	return t->client != NULL;
}

static void ask(struct top *t, int64_t now)
{
	struct ctl_why why = {0};

	if ((!t->client && !find_program(t, &why)) || !ctl_send(t->client, t->request, &why)) {
		/* "PATH: reason": the path is said already */
		const char *reason = strstr(why.text, ": ");

		lose(t, reason ? reason + 2 : why.text);
		return;
	}
	t->asked = true;
	t->asked_at = now;
}

static void take_answer(struct top *t)
{
	struct ctl_why why = {0};
	json_t *answer = ctl_receive(t->client, &why);

	t->asked = false;
	if (!answer) {
		lose(t, why.text);
		return;
	}
	t->view.trouble[0] = '\0';
	if (!t->view.paused)
		top_model_read(&t->model, answer);
	json_decref(answer);
}

static void complain_if_late(struct top *t, int64_t now)
{
	if (t->asked && now - t->asked_at >= PATIENCE_MS)
		snprintf(t->view.trouble, sizeof(t->view.trouble),
			 "no answer from %s for %lld s; waiting for it", t->path,
			 (long long)(now - t->asked_at) / 1000);
}

static void tick(struct top *t, int64_t now)
{
	if (now < t->next_at)
		return;
	t->next_at += SECOND_MS * ((now - t->next_at) / SECOND_MS + 1);
	if (!t->asked)
		ask(t, now);
	complain_if_late(t, now);
}

/* --- keys --- */

static const char *name_of(void *context, const char *address)
{
	struct top *t = context;

	return t->names ? top_names_get(t->names, address) : NULL;
}

static void toggle_names(struct top *t)
{
	if (t->names) {
		top_names_free(t->names);
		t->names = NULL;
	} else {
		t->names = top_names_new();
	}
}

/* One kind alone, and then again both. */
static void alone(bool *hides_other, bool *hides_this)
{
	*hides_other = !*hides_other;
	*hides_this = false;
}

/* The help, or the lines when they are shown alone, or the flows. */
static void scroll_by(struct top *t, int by)
{
	struct top_view *v = &t->view;
	unsigned *at = v->help          ? &v->help_scroll
		       : v->hides_flows ? &v->line_scroll
					: &v->flow_scroll;

	*at = by < 0 && *at < (unsigned)-by ? 0 : *at + (unsigned)by;
	if (*at > TOP_LINES)
		*at = TOP_LINES;
}

static bool scroll_key(struct top *t, int key)
{
	static const struct {
		int key, by;
	} moves[] = {{KEY_UP, -1},      {KEY_DOWN, 1},    {KEY_PPAGE, -PAGE},
		     {KEY_NPAGE, PAGE}, {KEY_HOME, -999}, {KEY_END, 999}};

	for (unsigned i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].key != key)
			continue;
		scroll_by(t, moves[i].by);
		return true;
	}
	return false;
}

static void show_other(struct top *t, unsigned by)
{
	if (t->model.bundles == 0)
		return;
	t->view.line_scroll = t->view.flow_scroll = 0;
	top_model_show(&t->model, t->model.shown + by);
}

static void heed_key(struct top *t, int key)
{
	struct top_view *v = &t->view;

	if (scroll_key(t, key))
		return;
	if (v->help && key != KEY_RESIZE && key != 'q') {
		v->help = false;
		return;
	}
	switch (key) {
	case 'q':
	case 'Q':
		t->done = true;
		break;
	case 'b':
		v->bytes = !v->bytes;
		break;
	case 'p':
	case ' ':
		v->paused = !v->paused;
		break;
	case 'l':
		alone(&v->hides_flows, &v->hides_lines);
		break;
	case 'f':
		alone(&v->hides_lines, &v->hides_flows);
		break;
	case 'n':
		toggle_names(t);
		break;
	case '?':
	case 'h':
		v->help = true;
		v->help_scroll = 0;
		break;
	case '<':
	case KEY_LEFT:
		show_other(t, t->model.bundles - 1);
		break;
	case '>':
	case KEY_RIGHT:
		show_other(t, 1);
		break;
	case 'L' - '@': /* control-L */
		clearok(stdscr, true);
		break;
	}
}

/* --- all of it --- */

static void wait_for_something(struct top *t)
{
	int64_t left = t->next_at - now_ms();
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = t->asked ? ctl_fd(t->client) : -1, .events = POLLIN},
		{.fd = t->names ? top_names_fd(t->names) : -1, .events = POLLIN},
	};

	if (poll(fds, 3, left > 0 ? (int)left : 0) <= 0)
		return;
	if (fds[0].revents & (POLLHUP | POLLERR))
		t->done = true;
	if (fds[1].revents)
		take_answer(t);
	if (fds[2].revents)
		top_names_read(t->names);
}

static void run(struct top *t)
{
	t->next_at = now_ms();
	while (!t->done) {
		tick(t, now_ms());
		draw(t);
		wait_for_something(t);
		for (int key; (key = getch()) != ERR;)
			heed_key(t, key);
	}
}

static enum ctl_exit begin(struct top *t)
{
	struct ctl_why why = {0};

	t->request = json_pack("{s:s}", "command", "status");
	if (!t->request || !top_model_init(&t->model)) {
		fputs("serialbundlectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	if (!find_program(t, &why)) {
		fprintf(stderr, "serialbundlectl: %s\n", why.text);
		return CTL_NO_DAEMON;
	}
	return begin_terminal(t) ? CTL_FINE : CTL_FAILED;
}

enum ctl_exit ctl_top(const char *path, bool colour)
{
	struct top *t = calloc(1, sizeof(*t));
	enum ctl_exit e = CTL_FAILED;

	if (!t)
		return e;
	*t = (struct top){.path = path, .colour = colour};
	t->view.name_of = name_of;
	t->view.context = t;
	e = begin(t);
	if (e == CTL_FINE) {
		run(t);
		endwin();
		delscreen(t->screen);
	}
	top_names_free(t->names);
	ctl_close(t->client);
	json_decref(t->request);
	top_model_free(&t->model);
	free(t);
	return e;
}
