/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "src/app.h"

int main(int argc, char *argv[])
{
	static struct config config;

	switch (config_from_args(&config, argc, argv)) {
	case CONFIG_DONE:
		return EXIT_FINE;
	case CONFIG_WRONG:
		return EXIT_USAGE;
	case CONFIG_RUN:
		break;
	}
	if (config.dry_run) {
		config_print(&config);
		return EXIT_FINE;
	}
	return app_run(&config, argc, argv);
}
