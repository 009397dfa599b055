/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which host a process is on: what a child finds that has got a namespace, a name or a /dev/shm of
 * its own. Skipped where the system does not allow that.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif

#include "unit.h"

#include "base/part_ucx_host.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static bool own_name(void)
{
    return 0 == unshare(CLONE_NEWUTS) && 0 == sethostname("elsewhere", 9);
}

static bool own_ipc(void)
{
    return 0 == unshare(CLONE_NEWIPC);
}

static bool own_network(void)
{
    return 0 == unshare(CLONE_NEWNET);
}

static bool own_users(void)
{
    return 0 == unshare(CLONE_NEWUSER);
}

static bool own_shm(void)
{
    return 0 == unshare(CLONE_NEWNS) && 0 == mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)
           && 0 == mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL);
}

static bool as_it_is(void)
{
    return true;
}

typedef struct found_t {
    mca_part_ucx_host_t host;
    bool parents;
} found_t;

static found_t look(void)
{
    return (found_t) {.host = mca_part_ucx_host(), .parents = mca_part_ucx_host_is_parents()};
}

/* What a child finds that has done this; false: it may not. */
static bool look_as_child(bool (*change)(void), found_t *found)
{
    int ends[2], status = -1;
    ssize_t got;
    pid_t child;

    assert_int_equal(0, pipe(ends));
    child = fork();
    if (0 == child) {
        bool done = change();

        *found = look();
        (void) !write(ends[1], found, sizeof(*found));
        _exit(done ? 0 : 1);
    }
    close(ends[1]);
    got = read(ends[0], found, sizeof(*found));
    close(ends[0]);
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFEXITED(status));
    assert_int_equal(sizeof(*found), got);
    return 0 == WEXITSTATUS(status);
}

static void what_differs(void **state)
{
    static const struct {
        const char *name;
        bool (*change)(void);
        bool memory, network; /* differ from ours */
        bool alone;           /* not beside its parents */
    } cases[] = {{"nothing", as_it_is, false, false, false},
                 {"a host name", own_name, true, true, true},
                 {"a namespace of IPC", own_ipc, true, false, true},
                 {"a namespace of users", own_users, true, false, true},
                 {"a /dev/shm", own_shm, true, false, false},
                 {"a network", own_network, false, true, false}};
    found_t ours = look();

    (void) state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        found_t its;

        if (!look_as_child(cases[i].change, &its)) {
            print_message("%s of its own: not allowed here\n", cases[i].name);
            continue;
        }
        UNIT_CHECK(cases[i].memory == (ours.host.memory != its.host.memory),
                   "%s of its own: memory", cases[i].name);
        UNIT_CHECK(cases[i].network == (ours.host.network != its.host.network),
                   "%s of its own: network", cases[i].name);
        UNIT_CHECK((!cases[i].alone && ours.parents) == its.parents, "%s of its own: parents",
                   cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_differs)};

    return UNIT_RUN(tests);
}
