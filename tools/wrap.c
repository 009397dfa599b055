/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Text in lines (see wrap.h).
 */
#include "wrap.h"

#include <string.h>

enum { COLUMNS = 98 };

void info_wrap(FILE *out, const char *head, const char *text)
{
    int indent = (int) strlen(head);
    int column = indent;

    fputs(head, out);
    for (const char *at = text; '\0' != *at;) {
        int spaces = (int) strspn(at, " \n");
        int length = (int) strcspn(at + spaces, " \n");

        if (0 == length) {
            break;
        }
        if (column > indent && column + 1 + length > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            ++column;
        }
        fprintf(out, "%.*s", length, at + spaces);
        column += length;
        at += spaces + length;
    }
    fputc('\n', out);
}
