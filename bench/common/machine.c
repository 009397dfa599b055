/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What can be learnt about the running process.
 */
#define _GNU_SOURCE
#include "machine.h"

#include <dirent.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "symbol.h"

static bool cvar_type(int index, MPI_Datatype *type, MPI_T_enum *enumeration)
{
    char name[256];
    char text[8];
    int name_length = (int) sizeof(name);
    int text_length = (int) sizeof(text);
    int verbosity;
    int binding;
    int scope;
    return MPI_SUCCESS
           == MPI_T_cvar_get_info(index, name, &name_length, &verbosity, type, enumeration, text,
                                  &text_length, &binding, &scope);
}

/* The name of a value of an enumeration. */
static bool enum_text(MPI_T_enum enumeration, int wanted, char *text, size_t length)
{
    char name[256];
    int name_length = (int) sizeof(name);
    int count = 0;
    if (MPI_T_ENUM_NULL == enumeration
        || MPI_SUCCESS != MPI_T_enum_get_info(enumeration, &count, name, &name_length)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        int value = 0;
        int item_length = (int) sizeof(name);
        if (MPI_SUCCESS == MPI_T_enum_get_item(enumeration, i, &value, name, &item_length)
            && value == wanted) {
            snprintf(text, length, "%s", name);
            return true;
        }
    }
    return false;
}

static bool number_text(MPI_T_cvar_handle handle, MPI_Datatype type, MPI_T_enum enumeration,
                        char *text, size_t length)
{
    union {
        int i;
        long long ll;
        double d;
    } value = {.ll = 0};
    int size = 0;
    if (MPI_SUCCESS != MPI_Type_size(type, &size) || size > 8
        || MPI_SUCCESS != MPI_T_cvar_read(handle, &value)) {
        return false;
    }
    if (MPI_DOUBLE == type) {
        snprintf(text, length, "%g", value.d);
    } else if (4 != size) {
        snprintf(text, length, "%lld", value.ll);
    } else if (!enum_text(enumeration, value.i, text, length)) {
        snprintf(text, length, "%d", value.i);
    }
    return true;
}

/* Open MPI copies the value whatever `count` it has told. No variable of the environment is longer,
 * by the system's limit. */
enum { CVAR_LONGEST = 1 << 20 };

static bool string_text(MPI_T_cvar_handle handle, char *text, size_t length)
{
    char *value = calloc(1, CVAR_LONGEST);
    bool found = NULL != value && MPI_SUCCESS == MPI_T_cvar_read(handle, value);
    if (found) {
        snprintf(text, length, "%s", value);
    }
    free(value);
    return found;
}

bool bench_cvar_text(const char *name, char *text, size_t length)
{
    int index;
    int count = 0;
    bool found = false;
    MPI_Datatype type;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle;
    if (MPI_SUCCESS != MPI_T_cvar_get_index(name, &index) || !cvar_type(index, &type, &enumeration)
        || MPI_SUCCESS != MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        return false;
    }
    if (MPI_CHAR == type) {
        found = string_text(handle, text, length);
    } else if (1 == count) {
        found = number_text(handle, type, enumeration, text, length);
    }
    MPI_T_cvar_handle_free(&handle);
    return found;
}

static bool pvar_find(const char *wanted, int *index)
{
    int count = 0;
    if (MPI_SUCCESS != MPI_T_pvar_get_num(&count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        char name[256];
        char text[8];
        int name_length = (int) sizeof(name);
        int text_length = (int) sizeof(text);
        int verbosity;
        int class;
        int binding;
        int readonly;
        int continuous;
        int atomic;
        MPI_Datatype type;
        MPI_T_enum enumeration;
        if (MPI_SUCCESS
                == MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &type,
                                       &enumeration, text, &text_length, &binding, &readonly,
                                       &continuous, &atomic)
            && 0 == strcmp(name, wanted) && MPI_UNSIGNED_LONG_LONG == type) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* Open MPI counts from the moment the handle is made, so handles are made at the start. */
typedef struct {
    const char *name;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int elements;
    bool open;
} variable_t;

/* The first has an element for each path that there can be. */
static variable_t path_bytes = {.name = "part_ucx_path_bytes"};
static variable_t served = {.name = "coll_pschedule_persistent_served"};

static void variable_open(variable_t *variable)
{
    int index = 0;
    if (!pvar_find(variable->name, &index)
        || MPI_SUCCESS != MPI_T_pvar_session_create(&variable->session)) {
        return;
    }
    if (MPI_SUCCESS
        == MPI_T_pvar_handle_alloc(variable->session, index, NULL, &variable->handle,
                                   &variable->elements)) {
        variable->open = true;
    } else {
        MPI_T_pvar_session_free(&variable->session);
    }
}

static void variable_close(variable_t *variable)
{
    if (variable->open) {
        MPI_T_pvar_handle_free(variable->session, &variable->handle);
        MPI_T_pvar_session_free(&variable->session);
        variable->open = false;
    }
}

int bench_path_bytes(unsigned long long *values, int limit)
{
    int count = -1;
    if (!path_bytes.open) {
        return -1;
    }
    unsigned long long *all = calloc((size_t) path_bytes.elements + 1, sizeof(*all));
    if (NULL != all && MPI_SUCCESS == MPI_T_pvar_read(path_bytes.session, path_bytes.handle, all)) {
        count = (path_bytes.elements < limit) ? path_bytes.elements : limit;
        memcpy(values, all, (size_t) count * sizeof(*values));
        while (0 < count && 0 == values[count - 1]) {
            --count;
        }
    }
    free(all);
    return count;
}

unsigned long long bench_served(void)
{
    unsigned long long count = 0;
    if (served.open) {
        MPI_T_pvar_read(served.session, served.handle, &count);
    }
    return count;
}

void bench_machine_open(void)
{
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    variable_open(&path_bytes);
    variable_open(&served);
}

void bench_machine_close(void)
{
    variable_close(&path_bytes);
    variable_close(&served);
    MPI_T_finalize();
}

static int count_entries(const char *directory)
{
    int count = 0;
    DIR *dir = opendir(directory);
    if (NULL == dir) {
        return -1;
    }
    for (struct dirent *entry = readdir(dir); NULL != entry; entry = readdir(dir)) {
        count += ('.' != entry->d_name[0]) ? 1 : 0;
    }
    closedir(dir);
    return count;
}

static int count_sockets(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (NULL == dir) {
        return -1;
    }
    for (struct dirent *entry = readdir(dir); NULL != entry; entry = readdir(dir)) {
        char target[64] = {0};
        const ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
        count += (length > 0 && 0 == strncmp(target, "socket:", 7)) ? 1 : 0;
    }
    closedir(dir);
    return count;
}

static long resident_bytes(void)
{
    long total = 0;
    long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (NULL == file) {
        return -1;
    }
    const int fields = fscanf(file, "%ld %ld", &total, &resident);
    fclose(file);
    return (2 == fields) ? resident * sysconf(_SC_PAGESIZE) : -1;
}

static long heap_bytes(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 heap = mallinfo2();
    return (long) (heap.uordblks + heap.hblkhd);
#else
    return -1; /* before glibc 2.33 these are counted in 32 bits */
#endif
}

bench_process_t bench_process_state(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    int callbacks = -1;
    bench_symbol_int("libopen-pal.so", "callbacks_len", &callbacks);
    return (bench_process_t){
        .resident_bytes = resident_bytes(),
        .heap_bytes = heap_bytes(),
        .threads = count_entries("/proc/self/task"),
        /* The listing itself holds one descriptor. */
        .descriptors = count_entries("/proc/self/fd") - 1,
        .sockets = count_sockets(),
        .callbacks = callbacks,
        .voluntary_switches = usage.ru_nvcsw,
        .involuntary_switches = usage.ru_nivcsw,
    };
}

double bench_process_age(void)
{
    char line[1024] = {0};
    FILE *file = fopen("/proc/self/stat", "r");
    if (NULL == file) {
        return 0.0;
    }
    const size_t length = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[length] = '\0';
    /* The name of the program may hold spaces: count the fields from its closing bracket. */
    const char *cursor = strrchr(line, ')');
    for (int field = 2; NULL != cursor && field < 22; ++field) {
        cursor = strchr(cursor + 1, ' ');
    }
    struct timespec ts;
    if (NULL == cursor || 0 != clock_gettime(CLOCK_BOOTTIME, &ts)) {
        return 0.0;
    }
    const double started = strtod(cursor, NULL) / (double) sysconf(_SC_CLK_TCK);
    return (double) ts.tv_sec + (double) ts.tv_nsec * 1e-9 - started;
}
