/* SPDX-License-Identifier: MIT */
/*
 * What the user asked for: the command line as data, checked.
 */
#ifndef SRC_CONFIG_H
#define SRC_CONFIG_H

#include "ppp/link.h"
#include "sched/election.h"
#include "sched/linklayer.h"
#include "sched/mode.h"
#include "sched/monitor.h"
#include "sched/park.h"
#include "sched/tiers.h"
#include "src/encap.h"
#include "src/netif.h"
#include "src/plan.h"
#include "src/pool.h"
#include "src/port.h"

#include "serialbundle/time.h"

#include <net/if.h>

enum {
	CONFIG_MAX_LINES = 64,
	CONFIG_MAX_ADDRESSES = 8,
	CONFIG_NAME_SIZE = 32,
	CONFIG_DEVICE_SIZE = 256,
	CONFIG_NUMBERS = 8, /* of a line, to be dialled in turn */
	CONFIG_NUMBER_SIZE = 48,
	CONFIG_COMMAND_SIZE = 512,
	CONFIG_TEXT_SIZE = 1024, /* of any value as text */
};

enum config_limits {
	CONFIG_BPS_MIN = 50,
	CONFIG_BPS_MAX = 1000000000, /* beyond any UART; unpaced ptys and sockets */
	CONFIG_MTU_MIN = 68,         /* RFC 791 */
	CONFIG_MTU_MAX = 9216,
	CONFIG_MTU_BASE_SLIP = 1006, /* RFC 1055 */
	CONFIG_MTU_FLOOR = 296,
	CONFIG_MTU_MIN_IPV6 = 1280, /* RFC 8200 section 5 */
};

/* The modem on a line. */
struct modem_config {
	bool present;                  /* by any of the words for modems */
	char chat[CONFIG_DEVICE_SIZE]; /* chat=: script that connects; "" : built of init and dial
					*/
	char init[CONFIG_NUMBER_SIZE]; /* init=: AT command ahead of all; "" : ATZ, or none with
					  chat= */
	char dial_command[CONFIG_NUMBER_SIZE]; /* dial-command=: "ATDT" */
	char numbers[CONFIG_NUMBERS]
		    [CONFIG_NUMBER_SIZE]; /* dial=5551234/5551235: in turn; \T of chat= */
	unsigned number_count;
	bool answers; /* answer=RINGS; answer=auto: 0, the modem does it by itself */
	unsigned rings;
	sb_time dial_timeout;           /* dial-timeout=: 60 s */
	sb_time redial, redial_longest; /* redial=, redial-longest=: 5 s, 5 min */
	unsigned attempts;              /* attempts=: 0, no limit */
	sb_time hold_off;               /* hold-off=: 0 */
	sb_time idle;                   /* idle=: 0, no limit */
	sb_time max_connect;            /* max-connect=: 0, no limit */
	bool connect_rate; /* connect-rate=: the rate that CONNECT tells is the line's; yes */
};

/* shape=: how fast a line, or a bundle, is to be at most. */
struct shape_config {
	uint32_t bps;      /* 0: no such bound */
	uint32_t permille; /* of what it carries; 0: no such bound. At most one of them */
};

struct line_config {
	char device[CONFIG_DEVICE_SIZE];
	char name[CONFIG_NAME_SIZE]; /* what messages call it: device's base name */
	uint32_t bps;                /* the carrier's rate: as given, else the baud */
	uint32_t baud;               /* the port's speed: as given; 0 = leave it */
	unsigned bits_per_char;      /* on the carrier: 8..12; default from format: 10 for 8N1 */
	enum port_flow flow;
	enum port_parity parity;
	unsigned stop_bits;
	sb_time delay;             /* one way, as given; 0 */
	bool auto_rate;            /* bps=auto, or LINE:auto: found out; bps is the first guess */
	struct shape_config shape; /* shape= */
	struct shape_config shape_in;   /* shape-in=: of what the peer sends */
	struct linklayer layer;         /* linklayer=, overhead=, mpu=; exact */
	int32_t prio;                   /* prio=: of active-backup; 0 */
	const struct encap_kind *encap; /* NULL: told by what arrives first (--answer) */
	char bundle[CONFIG_NAME_SIZE];  /* with --answer: SLIP lines of one name are one bundle; ""
					 */
	struct modem_config modem;
	bool enabled;                      /* enabled=yes: else down until told otherwise */
	char command[CONFIG_COMMAND_SIZE]; /* command=: run by sh when it comes up; $interface */
};

/* Probes: bonding's arp_interval and what belongs to it, through each line. */
enum probe_validate { PROBE_VALIDATE_NONE, PROBE_VALIDATE_ALL, PROBE_VALIDATE_FILTER };
struct probe_config {
	sb_time interval;    /* duration; 0: none are sent */
	uint32_t target;     /* of SLIP lines: an IPv4 address, host order; 0: the peer's own */
	unsigned missed_max; /* 2: so many unanswered, and the line is down */
	enum probe_validate validate; /* filter: only answers count as life */
};

/* What all PPP lines have in common. */
struct ppp_config {
	uint16_t mru;        /* 1500 */
	bool multilink;      /* true */
	uint16_t mrru;       /* 1500 */
	bool short_sequence; /* false */
	uint32_t accm;       /* 0: the lines eat no character */
	struct asyncmap escape;
	bool receive_all;
	bool pfc, acfc;            /* true */
	uint8_t fcs;               /* as in link_config; 0 */
	struct endpoint endpoint;  /* random when none was given; class 0 and length 0: none */
	char name[AUTH_NAME_SIZE]; /* ours; the host's name */
	char remote_name[AUTH_NAME_SIZE];                                       /* "" */
	char pap_secrets[CONFIG_DEVICE_SIZE], chap_secrets[CONFIG_DEVICE_SIZE]; /* files */
	bool require_pap, require_chap, refuse_pap, refuse_chap;
	sb_time rechallenge;          /* 0 */
	sb_time echo_interval;        /* on idle lines: 10 s; 0: never */
	unsigned echo_failure;        /* 6; 0: never given up */
	sb_time quality_period;       /* 0: no reports are asked for */
	struct control_timers timers; /* 3 s, 10, 2, 5 */
	sb_time max_fragment_delay;   /* 50 ms; 0: no bound */
	bool ask_dns;
	char resolv[CONFIG_DEVICE_SIZE]; /* where to write what was learned; "" */
	uint32_t give_dns[2];            /* host order; 0: none */
	uint32_t local, remote; /* of --local and --remote, host order; 0: asked for, any */
	bool accept_local, accept_remote;
	bool ipv6;                         /* IPV6CP as well */
	uint8_t local_id[8], remote_id[8]; /* all 0: any */
};

struct config {
	struct line_config lines[CONFIG_MAX_LINES];
	unsigned line_count;
	char ifname[IFNAMSIZ]; /* "sb%d" */
	struct netif_address addresses[CONFIG_MAX_ADDRESSES];
	unsigned address_count;
	unsigned mtu; /* resolved: never 0 after config_from_args */
	bool mtu_auto;
	bool default_route;
	uint32_t route_metric;
	char capture[CONFIG_DEVICE_SIZE];  /* "" = none */
	char lock_dir[CONFIG_DEVICE_SIZE]; /* "" = none */
	struct ppp_config ppp;
	bool answer;             /* peers call in: each gets a bundle of its own */
	struct pool_config pool; /* addresses for them */
	sb_time hold;            /* packets wait this long for a line before they are dropped */
	unsigned max_lines, min_lines;   /* 64, 1: fewer up than min_lines is no carrier (E5) */
	struct mode_config mode;         /* earliest, layer2, 1, true */
	char primary[CONFIG_NAME_SIZE];  /* a line's name or device, or "" */
	struct election_config election; /* always, stable, 0 */
	struct monitor_config monitor;   /* miimon 0: what happens counts at once */
	struct probe_config probe;
	unsigned notices;             /* num-peer-notif=: 1 */
	sb_time notice_delay;         /* peer-notif-delay= */
	struct shape_config shape;    /* of the bundle; */
	struct shape_config shape_in; /* and of what the peer sends */
	enum tier_scheme scheme;      /* tiers=: diffserv3 */
	struct tier_config tiers[TIERS];
	bool wash;
	uint64_t queue_bytes;                 /* 0: as the lines need */
	sb_time queue_time;                   /* 5 s */
	struct park_config park;              /* never */
	char file[CONFIG_DEVICE_SIZE];        /* --config, or "" */
	char control[CONFIG_DEVICE_SIZE];     /* unix socket of serialbundlectl, or "" */
	char control_group[CONFIG_NAME_SIZE]; /* who may change things; "" : only the owner and root
					       */
	char ip_up[CONFIG_DEVICE_SIZE], ip_down[CONFIG_DEVICE_SIZE]; /* programs, or "" */
	char line_up[CONFIG_DEVICE_SIZE], line_down[CONFIG_DEVICE_SIZE];
	sb_time hook_timeout;   /* 30 s */
	uint64_t capture_bytes; /* a capture that is longer is rotated; 0: never */
	unsigned capture_files; /* how many are kept of each */
	bool ecn;
	bool realtime;
	bool dry_run;
	unsigned verbosity; /* 0 quiet, 1 normal, 2 verbose */
};

enum config_outcome {
	CONFIG_RUN,   /* go on */
	CONFIG_DONE,  /* --help or --version was printed: exit 0 */
	CONFIG_WRONG, /* said on stderr what is wrong: exit EXIT_USAGE */
};

/* Exit statuses, as serialbundle(8) documents them. */
enum exit_status {
	EXIT_FINE = 0,
	EXIT_USAGE = 2,     /* the command line */
	EXIT_NO_DEVICE = 3, /* a port: not there, not a tty */
	EXIT_IN_USE = 4,    /* a port, an address, an interface name: taken */
	EXIT_PERMISSION = 5,
	EXIT_TUN = 6,    /* no TUN driver */
	EXIT_FAILED = 7, /* any other system failure */
};

/* Reads the command line, and the file that it names. */
enum config_outcome config_from_args(struct config *, int argc, char *argv[]);

/* A sentence on what is wrong, or worth a note; printable. */
struct config_message {
	bool is_note;
	bool has_place; /* the text begins with FILE: or FILE:LINE: */
	const char *text;
};
typedef void config_listener(void *context, const struct config_message *);
/*
 * The same again while the program runs on: the file may have changed. What was made up in the old
 * one stays. False: the listener was told what is wrong; then nothing in the new one is valid.
 */
bool config_read_again(const struct config *old, int argc, char *argv[], struct config *,
		       config_listener *, void *context);
/* The delays that fit all its lines. */
struct plan_queue config_plan(const struct config *);
/* The plan for --dry-run, on stdout. */
void config_print(const struct config *);
/* max(floor, base / n) for n lines (E10). */
unsigned config_mtu_auto(unsigned base, unsigned n);
/* How many of its lines speak PPP, or may (--answer). */
unsigned config_ppp_lines(const struct config *);
/* What the MTU is for the lines as they are now, when it is --mtu auto; */
unsigned config_mtu_for_lines(const struct config *);
/* and the largest that it can become while the program runs. */
unsigned config_largest_mtu(const struct config *);
enum { CONFIG_FIXED = 13 };
/* Which options differ that count at the start alone, by their names; how many. */
unsigned config_fixed_differences(const struct config *, const struct config *,
				  const char *options[static CONFIG_FIXED]);
/* Whether an option, by its name without dashes, may change alone while the program runs. */
enum config_change {
	CONFIG_CHANGE_NEVER,
	CONFIG_CHANGE_ANY,  /* by whoever may change things; */
	CONFIG_CHANGE_ROOT, /* by root: it runs programs, or says where files are made */
};
enum config_change config_live_change(const char *option);
/* Takes the others from the new one, but for the lines. True: PPP's are among those that differ. */
bool config_take_options(struct config *, const struct config *from);
/* Whether nothing at all differs between two lines as they were asked for. */
bool config_lines_equal(const struct line_config *, const struct line_config *);

#endif
