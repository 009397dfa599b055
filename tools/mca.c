/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What Open MPI makes of the components (see mca.h).
 */
#include "mca.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/machine.h"
#include "folders.h"
#include "job.h"
#include "list.h"


/* ---- libraries of this process ---- */

typedef struct search_t {
    const char *name;
    char *file;
    size_t size;
    bool found;
} search_t;

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *name = strrchr(info->dlpi_name, '/');
    search_t *search = context;

    (void) size;
    if (NULL == name || 0 != strncmp(name + 1, search->name, strlen(search->name))) {
        return 0;
    }
    info_copy(search->file, search->size, info->dlpi_name);
    search->found = true;
    return 1;
}

bool info_mca_loaded(const char *name, char *file, size_t size)
{
    search_t search = {.name = name, .file = file, .size = size};

    (void) dl_iterate_phdr(visit, &search);
    return search.found;
}

const mca_part_ucx_info_t *info_mca_table(const info_component_t *component)
{
    const mca_part_ucx_info_t *table;
    void *handle;

    if ('\0' == component->file[0]) {
        return NULL;
    }
    handle = dlopen(component->file, RTLD_LAZY | RTLD_LOCAL); /* stays until the end */
    table = NULL == handle ? NULL : dlsym(handle, PART_UCX_INFO_SYMBOL);
    return NULL != table && PART_UCX_INFO_VERSION == table->version ? table : NULL;
}

/* ---- what the user wants ---- */

bool info_mca_allows(const char *list, const char *component)
{
    bool exclude = '^' == list[0];
    size_t length = strlen(component);
    bool named = false;

    if ('\0' == list[0]) {
        return true;
    }
    for (const char *at = list + (exclude ? 1 : 0); '\0' != *at;) {
        size_t word = strcspn(at, ",");

        named = named || (word == length && 0 == strncmp(at, component, length));
        at += word;
        at += strspn(at, ",");
    }
    return named != exclude;
}

static bool is_demanded(const char *list, const char *component)
{
    return '\0' != list[0] && '^' != list[0] && info_mca_allows(list, component);
}

static char *demand; /* the variable before it was changed, or NULL */

void info_mca_permit(info_mca_t *mca)
{
    info_load_t load = mca->part_component.load;
    const char *value = getenv("OMPI_MCA_part");

    mca->overridden = is_demanded(mca->part, "ucx") && INFO_LOAD_USED != load;
    if (mca->overridden) {
        demand = NULL == value ? NULL : strdup(value);
        setenv("OMPI_MCA_part", "^ucx", 1); /* before the files of variables */
    }
}

void info_mca_permitted(const info_mca_t *mca)
{
    if (mca->overridden && NULL != demand) {
        setenv("OMPI_MCA_part", demand, 1);
    } else if (mca->overridden) {
        unsetenv("OMPI_MCA_part");
    }
    free(demand);
    demand = NULL;
}

/* ---- in the process that finds it out ---- */

/* How a file fares that Open MPI ought to have loaded. */
static void try_to_load(info_component_t *component)
{
    if (NULL == dlopen(component->file, RTLD_LAZY | RTLD_LOCAL)) {
        component->load = INFO_LOAD_BROKEN;
        INFO_COPY(component->why, dlerror());
    } else {
        component->load = INFO_LOAD_MISFIT;
        INFO_COPY(component->why, "Open MPI does not accept it.");
    }
}

/* All of its variables are there: Open MPI has loaded it, and the values are possible. */
static bool is_registered(const char *variable, const char *counter)
{
    int index;

    return MPI_SUCCESS == MPI_T_cvar_get_index(variable, &index)
           && (NULL == counter
               || MPI_SUCCESS
                      == MPI_T_pvar_get_index(counter, MPI_T_PVAR_CLASS_COUNTER, &index));
}

static void find_component(info_component_t *component, const char *name, bool registered,
                           const char *path)
{
    char file[INFO_WORD];

    snprintf(file, sizeof(file), "mca_%s.so", name);
    if (registered) {
        component->load = INFO_LOAD_USED;
        if (!info_mca_loaded(file, component->file, sizeof(component->file))) {
            INFO_COPY(component->file, "(inside Open MPI's libraries)");
        }
    } else if (info_folders_find(path, file, component->file, sizeof(component->file))) {
        try_to_load(component);
    } else if (info_folders_guess(file, component->file, sizeof(component->file))) {
        component->load = INFO_LOAD_OFF_PATH;
    } else {
        component->load = INFO_LOAD_MISSING;
    }
}

static void ask_component(info_mca_t *mca)
{
    info_component_t *component = &mca->part_component;
    const mca_part_ucx_info_t *table = info_mca_table(component);

    if (NULL == table) {
        if (INFO_LOAD_USED == component->load) {
            component->load = INFO_LOAD_MISFIT;
            INFO_COPY(component->why, "the component and this program are of different versions");
        }
        return;
    }
    INFO_COPY(mca->package, table->package());
    INFO_COPY(mca->built_for_mpi, table->built_ompi);
    INFO_COPY(mca->built_for_ucx, table->built_ucx);
    mca->wire = (int) table->wire;
    if (INFO_LOAD_USED == component->load
        && (!table->fits(component->why, sizeof(component->why))
            || !table->variables(component->why, sizeof(component->why)))) {
        component->load = INFO_LOAD_MISFIT;
    }
}

/* What Open MPI said meanwhile, without the lines around it, says why it does not accept one. */
static void add_words(info_component_t *component, FILE *said)
{
    char line[INFO_LINE];

    rewind(said);
    while (INFO_LOAD_MISFIT == component->load && NULL != fgets(line, sizeof(line), said)) {
        if (0 != strncmp(line, "----", 4)) {
            info_append(component->why, sizeof(component->why), "\n%s", line);
        }
    }
}

static void find_out(info_mca_t *mca)
{
    FILE *said = tmpfile();
    int provided;

    if (NULL != said) {
        dup2(fileno(said), STDERR_FILENO);
    }
    if (MPI_SUCCESS != MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)) {
        return;
    }
    (void) bench_cvar_text("mca_base_component_path", mca->path, sizeof(mca->path));
    (void) bench_cvar_text("part", mca->part, sizeof(mca->part));
    (void) bench_cvar_text("coll", mca->coll, sizeof(mca->coll));
    /* The counters of part/ucx come last, after variables that can have impossible values. */
    find_component(&mca->part_component, "part_ucx",
                   is_registered("part_ucx_priority", "part_ucx_path_bytes"), mca->path);
    find_component(&mca->coll_component, "coll_pschedule",
                   is_registered("coll_pschedule_priority", NULL), mca->path);
    ask_component(mca);
    if (NULL != said) {
        add_words(&mca->part_component, said);
    }
}

/* ---- here ---- */

static bool read_all(int from, void *to, size_t length)
{
    size_t got = 0;

    while (got < length) {
        ssize_t count = read(from, (char *) to + got, length - got);

        if (count <= 0) {
            return false;
        }
        got += (size_t) count;
    }
    return true;
}

void info_mca_probe(info_mca_t *mca)
{
    int channel[2];
    pid_t child;

    memset(mca, 0, sizeof(*mca));
    info_step("asking Open MPI for its variables");
    fflush(NULL);
    if (0 != pipe(channel)) {
        info_die("no pipe");
    }
    child = fork();
    if (0 == child) {
        close(channel[0]);
        find_out(mca);
        _exit(sizeof(*mca) == (size_t) write(channel[1], mca, sizeof(*mca)) ? 0 : 1);
    }
    close(channel[1]);
    if (child < 0 || !read_all(channel[0], mca, sizeof(*mca))) {
        memset(mca, 0, sizeof(*mca));
    }
    close(channel[0]);
    if (child > 0) {
        (void) waitpid(child, NULL, 0);
    }
}
