/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What part_ucx_info prints of processes: each host is named once, whatever its name.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "report.h"

/* Of job.c and judge.c, which need MPI. */
void info_die(const char *format, ...)
{
    (void) format;
    abort();
}

const char *info_report_host(const info_report_t *report, int rank)
{
    return report->process[rank].host_name;
}

/* Processes that are alike but for their hosts, in the order of ranks. */
static char *print_processes(const int *host, const char *const *name, int processes, int hosts)
{
    info_process_t *process = calloc((size_t) processes, sizeof(*process));
    const info_device_t **devices = calloc((size_t) processes, sizeof(*devices));
    info_report_t report = {.process = process, .processes = processes, .hosts = hosts,
                            .devices = devices};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_true(NULL != process && NULL != devices && NULL != out);
    for (int rank = 0; rank < processes; ++rank) {
        process[rank].host = host[rank];
        (void) snprintf(process[rank].host_name, sizeof(process[rank].host_name), "%s",
                        name[host[rank]]);
    }
    info_report_text(&report, out);
    (void) fclose(out);
    free(process);
    free(devices);
    return text;
}

static void a_name_within_another(void **state)
{
    const char *const name[] = {"node10", "node1"};
    char *text = print_processes((const int[]) {0, 1}, name, 2, 2);

    (void) state;
    assert_non_null(strstr(text, "\nnode10, node1\n"));
    free(text);
}

static void hosts_that_take_turns(void **state)
{
    const char *const name[] = {"a", "b"};
    char *text = print_processes((const int[]) {0, 1, 0, 1}, name, 4, 2);

    (void) state;
    assert_non_null(strstr(text, "\na, b (4 processes)\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_within_another),
        cmocka_unit_test(hosts_that_take_turns),
    };

    return UNIT_RUN(tests);
}
