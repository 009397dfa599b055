/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of the stress programs.
 */

#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(const mt_option_t *options, const char *program)
{
    printf("usage: %s [options]\n", program);
    for (; NULL != options->name; options++) {
        if (options->flag) {
            printf("  --%-20s %s\n", options->name, options->help);
        } else {
            printf("  --%-10s NUMBER    %s (default %g)\n", options->name, options->help,
                   options->value);
        }
    }
}

static mt_option_t *find(mt_option_t *options, const char *word)
{
    if (0 != strncmp(word, "--", 2)) {
        return NULL;
    }
    for (; NULL != options->name; options++) {
        if (0 == strcmp(options->name, word + 2)) {
            return options;
        }
    }
    return NULL;
}

void mt_options_read(mt_option_t *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        mt_option_t *option = find(options, argv[i]);
        char *end = NULL;
        if (0 == strncmp(argv[i], "algorithms-", strlen("algorithms-"))) {
            continue; /* launch.sh names a run so that forces algorithms */
        }
        if (NULL == option || (!option->flag && i + 1 == argc)) {
            usage(options, argv[0]);
            exit(0 == strcmp(argv[i], "--help") ? 0 : 2);
        }
        if (option->flag) {
            option->value = 1;
            continue;
        }
        option->value = strtod(argv[++i], &end);
        if ('\0' != *end) {
            printf("--%s: %s is not a number\n", option->name, argv[i]);
            exit(2);
        }
    }
}

double mt_option(const mt_option_t *options, const char *name)
{
    for (; NULL != options->name; options++) {
        if (0 == strcmp(options->name, name)) {
            return options->value;
        }
    }
    abort(); /* a program asks for an option it does not have */
}
