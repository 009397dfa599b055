/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Text in lines of bounded length.
 */
#ifndef TOOLS_WRAP_H
#define TOOLS_WRAP_H

#include <stdio.h>

/** Print a text after `head`; further lines begin below the end of it. */
void info_wrap(FILE *out, const char *head, const char *text);

#endif /* TOOLS_WRAP_H */
