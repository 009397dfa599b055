/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: confined PROGRAM [ARGUMENT...]
 *
 * Run a program that may not copy from or to the memory of other processes, as in containers and
 * under security modules: those system calls are answered "not permitted". Exits with 77 where a
 * process cannot be confined like that.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int confine(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};

    return 0 == prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                   && 0 == prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    if (argc < 2 || 0 != confine()) {
        fprintf(stderr, "confined: %s\n", argc < 2 ? "which program?" : "not possible here");
        return 77;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
