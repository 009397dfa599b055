/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process around MPI. Where the system gives it no more files, the first init call returns an
 * error, and a later one works (UCX would end the process). The helper thread may cause a signal
 * that the program handles, as a program does that notes which pages are written. A child that is
 * forked after MPI_Finalize and ends by exit() does its parent no harm.
 */

#include "../support/side.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAG        120
#define PARTITIONS 4
#define MORE       300 /* files that may be opened, more than there are */
#define LEFT       8   /* of them, while files run out */

static int open_files(void)
{
    DIR *files = opendir("/proc/self/fd");
    int count = -3; /* itself, . and .. */

    while (NULL != files && NULL != readdir(files)) {
        count++;
    }
    if (NULL != files) {
        closedir(files);
    }
    return count;
}

/* ---- few files ---- */

/* The limit cannot be raised again, so most of what it allows is opened. */
static void first_init(void)
{
    unsigned char buffer[PARTITIONS] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    rlim_t most = (rlim_t) (open_files() + MORE);
    struct rlimit few = {.rlim_cur = most, .rlim_max = most};
    int taken[MORE];
    int code;

    mt_errors_watch(MPI_COMM_WORLD);
    setrlimit(RLIMIT_NOFILE, &few);
    for (int i = LEFT; i < MORE; i++) {
        taken[i] = dup(STDERR_FILENO);
    }
    code = MPI_Psend_init(buffer, PARTITIONS, 1, MPI_BYTE, 1 - mt_rank(), TAG, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &request);
    for (int i = LEFT; i < MORE; i++) {
        close(taken[i]);
    }
    mt_expect(MPI_COMM_WORLD, code, MPI_ERR_NO_MEM, "MPI_Psend_init, where files run out");
    mt_result("the first init call returns an error where files run out");
}

/* ---- a signal of the helper thread ---- */

static unsigned char *page;
static size_t page_size;
static atomic_int writer; /* the thread that was caught */

static void on_fault(int number, siginfo_t *info, void *context)
{
    unsigned char *address = info->si_addr;

    (void) context;
    if (address >= page && address < page + page_size) {
        mprotect(page, page_size, PROT_READ | PROT_WRITE);
        atomic_store(&writer, (int) syscall(SYS_gettid));
    } else {
        signal(number, SIG_DFL); /* and once more */
    }
}

static void receive(MPI_Request *request, uint64_t seed)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    double limit;

    sigaction(SIGSEGV, &action, NULL);
    mt_success(MPI_Start(request), "MPI_Start");
    mt_progress(0.05);
    mprotect(page, page_size, PROT_READ);
    mt_sync();
    for (limit = mt_now() + 5.0; 0 == atomic_load(&writer) && mt_now() < limit;) {
        mt_sleep(0.01);
    }
    mt_check(0 != atomic_load(&writer) && getpid() != atomic_load(&writer),
             "nobody has written to the page while this thread was outside MPI");
    mt_finish(request, MPI_STATUS_IGNORE);
    mt_check(0 == mt_wrong(page, page_size, seed, 0), "wrong data");
    signal(SIGSEGV, SIG_DFL);
}

static void handled_fault(void)
{
    int peer = 1 - mt_rank();
    MPI_Request request;

    page_size = (size_t) sysconf(_SC_PAGESIZE);
    page = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (0 == mt_rank()) {
        mt_fill(page, page_size, TAG, 0);
        MPI_Psend_init(page, PARTITIONS, (MPI_Count) page_size / PARTITIONS, MPI_BYTE, peer, TAG,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_progress(0.05);
        mt_sync();
        mt_sleep(0.2); /* the other one is outside MPI by then */
        MPI_Pready_range(0, PARTITIONS - 1, request);
        mt_finish(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Precv_init(page, PARTITIONS, (MPI_Count) page_size / PARTITIONS, MPI_BYTE, peer, TAG,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        receive(&request, TAG);
    }
    mt_free(&request);
    munmap(page, page_size);
    mt_result("a fault of the helper thread reaches the program's handler");
}

/* ---- a child ---- */

/* Whatever it has of MPI, its end leaves it alone. The parent's own end comes after this. */
static int end_of_child(void)
{
    int status = -1;
    pid_t child = fork();

    if (0 == child) {
#ifdef __SANITIZE_ADDRESS__
        _exit(EXIT_SUCCESS); /* else what its parent still has counts as lost */
#endif
        exit(EXIT_SUCCESS);
    }
    return child > 0 && child == waitpid(child, &status, 0) ? status : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int status, child;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    first_init();
    handled_fault();
    status = mt_end();
    child = end_of_child();
    if (0 != child) {
        puts("# the child has not ended well");
    }
    return 0 != status || 0 != child ? EXIT_FAILURE : EXIT_SUCCESS;
}
