/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line (see options.h).
 */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: part_ucx_info [OPTION]...                    this machine\n"
    "       mpirun [OPTION]... part_ucx_info [OPTION]... a job; one process on each host will do\n"
    "\n"
    "Says whether part/ucx is used and what it uses: versions, paths, why other devices are none,\n"
    "how each pair of hosts communicates, limits and settings that cost speed; and measures\n"
    "every path between hosts.\n"
    "\n"
    "  --json          print JSON instead of text\n"
    "  --no-bandwidth  measure nothing\n"
    "  --seconds S     time for all measurements together, 0.1 to 600 (default 5)\n"
    "  --version       print the version\n"
    "  --help          print this\n"
    "\n"
    "Exit status: 0 all is well, 1 something needs attention, 2 the check cannot run or the\n"
    "command line is wrong.\n";

/* Of all processes that mpirun starts one speaks; without MPI there is only the environment. */
static bool speaks(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    return NULL == rank || 0 == strcmp(rank, "0");
}

static _Noreturn void refuse(const char *what, const char *value)
{
    if (speaks()) {
        fprintf(stderr, "part_ucx_info: %s%s\nTry part_ucx_info --help.\n", what, value);
    }
    exit(2);
}

static _Noreturn void print(const char *text)
{
    if (speaks()) {
        fputs(text, stdout);
    }
    exit(0);
}

static double read_seconds(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || '\0' != *end || !(seconds >= 0.1 && seconds <= 600.0)) {
        refuse("--seconds needs a number from 0.1 to 600, not ", text);
    }
    return seconds;
}

void info_options_read(int argc, char **argv, info_options_t *options)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, 'j'},        {"no-bandwidth", no_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 's'}, {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    int option;

    *options = (info_options_t) {.bandwidth = true, .seconds = 5.0};
    opterr = 0;
    /* `at`: the word that is read, until all of its letters are. */
    for (int at = optind; -1 != (option = getopt_long(argc, argv, "+:h", known, NULL));
         at = optind) {
        switch (option) {
        case 'j':
            options->json = true;
            break;
        case 'n':
            options->bandwidth = false;
            break;
        case 's':
            options->seconds = read_seconds(optarg);
            break;
        case 'v':
            print("part_ucx_info " MPIX_PARTITIONED_VERSION "\n");
        case 'h':
            print(usage);
        case ':':
            refuse("a value is missing after ", argv[at]);
        default:
            refuse("unknown option ", argv[at]);
        }
    }
    if (optind < argc) {
        refuse("unknown argument ", argv[optind]);
    }
}
