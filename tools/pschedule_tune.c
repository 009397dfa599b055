/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the machine that it is started on for the choice of algorithms of coll/pschedule, and
 * writes a tuning file. All ranks do the same at the same time; rank 0 speaks.
 *
 * First the constants of the model, then the algorithms: each is timed beside what the model takes
 * with these constants, and gets a line in the file where it is clearly faster. Last, if that is
 * wanted, MPI's persistent collectives of this package beside those of other components.
 */
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/part_ucx_memory_size.h"
#include "tune_constants.h"
#include "tune_job.h"
#include "tune_variable.h"

static const char usage[]
    = "usage: mpirun [OPTION]... pschedule_tune [OPTION]...\n"
      "\n"
      "Measures the hosts of the job and writes a file for coll_pschedule_tuning_file: constants\n"
      "of the model by which partitioned collectives choose their algorithms, and algorithms for\n"
      "calls where another one was faster. Start it as the application will be started: as many\n"
      "processes, on hosts of the same kind, with the same variables, but without a tuning file.\n"
      "\n"
      "  --out FILE      the file (default pschedule_tuning.txt), written at the end by rank 0\n"
      "  --quick         fewer collectives and sizes, shorter samples\n"
      "  --partitions N  partitions of a block, 1 to 64 (default 1)\n"
      "  --persistent    also MPI's persistent collectives: what coll_pschedule_persistent auto\n"
      "                  is to serve here\n"
      "  --help          print this\n"
      "\n"
      "Exit status: 0 the file is written, 1 it is not, 2 the command line is wrong.\n";

/* A row must be so much faster than the model's to get a line: less is noise. */
static const double clearly = 0.85;

/* Persistent collectives are served from so little gain on. */
static const double faster = 0.95;

enum { QUICK_COLLECTIVES = 3 };

/* ---- files that will not do ---- */

/* Its algorithms would be taken for the model's, so that they got no line in the new file. */
static void refuse_older_file(void)
{
    char file[4096];

    tune_variable_text("tuning_file", file, sizeof(file));
    if ('\0' != file[0]) {
        tune_refuse("coll_pschedule_tuning_file is set (in the command, the environment or "
                    "mca-params.conf); measure without it", 1);
    }
}

/* Not when minutes have been spent on what would go into it. */
static void refuse_bad_file(const tune_t *tune)
{
    const char *wrong = 0 == tune->hosts.rank ? tune_file_try(tune->out) : NULL;
    int bad = NULL != wrong;
    char text[4096];

    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (bad) {
        (void) snprintf(text, sizeof(text), "%s: %s", tune->out, NULL == wrong ? "" : wrong);
        tune_refuse(text, 1);
    }
}

/* ---- algorithms ---- */

/* The fastest of all algorithms that the variable knows. What takes three times as long as the best
 * so far is not repeated. */
static void time_rows(const tune_t *tune, tune_variable_t *variable,
                      const tune_collective_t *collective, size_t bytes, tune_wish_t *wish)
{
    tune_patience_t patience = tune->patience;

    for (int i = 0; i < tune_variable_words(variable); ++i) {
        char word[TUNE_WORD];
        double seconds;
        int value;

        tune_variable_word(variable, i, word, sizeof(word), &value);
        if (0 == value) {
            continue; /* auto */
        }
        (void) tune_variable_set(variable, value);
        patience.limit = 3 * wish->seconds;
        seconds = tune_time(collective, MPI_COMM_WORLD, bytes, tune->partitions, &patience);
        if (seconds > 0 && seconds < wish->seconds) {
            wish->seconds = seconds;
            (void) snprintf(wish->word, sizeof(wish->word), "%s", word);
        }
    }
    (void) tune_variable_set(variable, 0);
}

static double time_of_model(const tune_t *tune, const tune_collective_t *collective, size_t bytes)
{
    return tune_time(collective, MPI_COMM_WORLD, bytes, tune->partitions, &tune->patience);
}

/* Does one of the rows beat the model's clearly, before and after? */
static bool compare_rows(const tune_t *tune, const tune_collective_t *collective, size_t bytes,
                         tune_wish_t *wish)
{
    char name[TUNE_WORD + 16];
    tune_variable_t variable;

    (void) snprintf(name, sizeof(name), "%s_algorithm", collective->name);
    if (!tune_variable_open(&variable, name)) {
        tune_refuse("coll/pschedule is not there", 1);
    }
    wish->seconds = wish->other_seconds = time_of_model(tune, collective, bytes);
    if (wish->seconds < 0) {
        tune_refuse("no partitioned collective can be made: is part/ucx in use (--mca part ucx)?",
                    1);
    }
    time_rows(tune, &variable, collective, bytes, wish);
    tune_variable_close(&variable);
    if (wish->seconds < clearly * wish->other_seconds) {
        double again = time_of_model(tune, collective, bytes);

        wish->other_seconds = again < wish->other_seconds ? again : wish->other_seconds;
    }
    return wish->seconds < clearly * wish->other_seconds;
}

static void keep(tune_wishes_t *wishes, const tune_wish_t *wish)
{
    tune_wish_t *last = wishes->count > 0 ? &wishes->wish[wishes->count - 1] : NULL;
    tune_wish_t *more;

    if (NULL != last && last->most + 1 == wish->least && last->collective == wish->collective
        && 0 == strcmp(last->word, wish->word)) {
        last->most = wish->most; /* one line for both */
        return;
    }
    more = realloc(wishes->wish, (wishes->count + 1) * sizeof(*more));
    if (NULL != more) {
        wishes->wish = more;
        wishes->wish[wishes->count++] = *wish;
    }
}

static bool compare_and_say(const tune_t *tune, const tune_collective_t *collective, size_t bytes,
                            tune_wish_t *wish)
{
    bool better = compare_rows(tune, collective, bytes, wish);

    tune_say(tune, "%s of %zu bytes: %.3f ms%s%s", collective->name, bytes,
             wish->other_seconds * 1e3, better ? ", but with " : ", as good as any",
             better ? wish->word : "");
    return better;
}

/* ---- persistent collectives ---- */

static void exclude_ourselves(tune_t *tune)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^pschedule");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &tune->others);
    MPI_Info_free(&info);
}

/* Served is what is faster both times, by more than noise; ours is looked at first, and last. */
static bool compare_makers(const tune_t *tune, const tune_collective_t *collective, size_t bytes,
                           tune_wish_t *wish)
{
    const tune_patience_t *patience = &tune->patience;
    double ours = tune_time(collective, MPI_COMM_WORLD, bytes, 0, patience);
    double others = tune_time(collective, tune->others, bytes, 0, patience);
    double others_again = tune_time(collective, tune->others, bytes, 0, patience);
    double ours_again = tune_time(collective, MPI_COMM_WORLD, bytes, 0, patience);

    if (ours < 0 || others < 0 || others_again < 0 || ours_again < 0) {
        tune_refuse("a persistent collective cannot be made", 1);
    }
    wish->seconds = ours > ours_again ? ours : ours_again;
    wish->other_seconds = others < others_again ? others : others_again;
    (void) snprintf(wish->word, sizeof(wish->word), "%s",
                    wish->seconds < faster * wish->other_seconds ? "served" : "handed_on");
    tune_say(tune, "MPI's persistent %s of %zu bytes: %.3f ms, %.3f of others", collective->name,
             bytes, wish->seconds * 1e3, wish->other_seconds * 1e3);
    return true;
}

/* ---- sizes ---- */

typedef bool compare_fn_t(const tune_t *tune, const tune_collective_t *collective, size_t bytes,
                          tune_wish_t *wish);

/* What is compared, from the least size of a block on to one that is not above `most`, nor makes
 * the blocks of a rank longer than `whole`. */
typedef struct comparison_t {
    compare_fn_t *compare;
    size_t least, most, whole;
    tune_wishes_t *wishes;
} comparison_t;

/* Sizes are powers; each stands for what is nearer to it than to the next ones. The last one stands
 * for all that are larger, unless larger ones would be compared on fewer ranks. */
static void compare_sizes(const tune_t *tune, const tune_collective_t *collective,
                          const comparison_t *what)
{
    const size_t step = tune->quick ? 64 : 8, half = tune->quick ? 8 : 3;
    const size_t blocks = collective->send_per_rank || collective->recv_per_rank
                              ? (size_t) tune->hosts.size
                              : 1;
    const size_t most = what->most < what->whole / blocks ? what->most : what->whole / blocks;
    const uint64_t times = collective->whole ? (uint64_t) tune->hosts.size : 1;
    const size_t unit = 4 * (size_t) tune->partitions;
    bool first = true;

    for (size_t bytes = unit > what->least ? unit : what->least; bytes <= most; bytes *= step) {
        tune_wish_t wish = {.collective = collective->name,
                            .least = first ? 0 : bytes / step * half * times + 1,
                            .most = bytes * step > what->most ? 0 : bytes * half * times};

        first = false;
        if (what->compare(tune, collective, bytes / unit * unit, &wish)) {
            keep(what->wishes, &wish);
        }
    }
}

static void compare_all(const tune_t *tune, const comparison_t *what)
{
    for (int i = 0; NULL != tune_collectives[i].name && (!tune->quick || i < QUICK_COLLECTIVES);
         ++i) {
        compare_sizes(tune, &tune_collectives[i], what);
    }
}

static void compare_algorithms(tune_t *tune)
{
    const size_t most = tune->quick ? 1 << 20 : 8 << 20;

    compare_all(tune, &(comparison_t) {.compare = compare_and_say, .least = 1024, .most = most,
                                       .whole = most, .wishes = &tune->findings.rows});
}

/* Bytes that the blocks of a rank may have: in and out, and as much again of whoever moves them, in
 * an eighth of the smallest host's memory. */
static size_t affordable(const tune_t *tune)
{
    const unsigned long long limit = 256 << 20;
    unsigned long long bytes = mca_part_ucx_memory_size();
    unsigned long long least;

    bytes = bytes / 8 / 4 / (unsigned long long) tune->hosts.most;
    MPI_Allreduce(&bytes, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    return (size_t) (least < limit ? least : limit);
}

static void compare_persistent(tune_t *tune)
{
    char mode[TUNE_WORD];

    tune_variable_text("persistent", mode, sizeof(mode));
    if (0 != strcmp(mode, "on")) { /* or others would be compared with themselves */
        tune_refuse("coll_pschedule_persistent cannot be set: is it in a file of parameters that "
                    "may not be overridden?", 1);
    }
    exclude_ourselves(tune);
    tune->partitions = 1; /* they have none */
    compare_all(tune, &(comparison_t) {.compare = compare_makers, .least = 8, .most = 8 << 20,
                                       .whole = affordable(tune),
                                       .wishes = &tune->findings.persistent});
    MPI_Comm_free(&tune->others);
}

/* ---- all of it ---- */

static _Noreturn void explain(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        (void) fputs(usage, stdout);
    }
    (void) MPI_Finalize();
    exit(EXIT_SUCCESS);
}

/* 0 for what is no number, or none that can be. */
static int read_partitions(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    return end != text && '\0' == *end && number > 0 && number <= 64 ? (int) number : 0;
}

static void read_options(tune_t *tune, int argc, char **argv)
{
    static const struct option known[] = {{"out", required_argument, NULL, 'o'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"partitions", required_argument, NULL, 'p'},
                                          {"persistent", no_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;

    opterr = 0;
    while (-1 != (option = getopt_long(argc, argv, "h", known, NULL))) {
        switch (option) {
        case 'o':
            tune->out = optarg;
            break;
        case 'q':
            tune->quick = true;
            break;
        case 'p':
            tune->partitions = read_partitions(optarg);
            break;
        case 'r':
            tune->persistent = true;
            break;
        case 'h':
            explain();
        default:
            tune_refuse("the command line is wrong; try pschedule_tune --help", 2);
        }
    }
    if (optind < argc || tune->partitions < 1) {
        tune_refuse("the command line is wrong; try pschedule_tune --help", 2);
    }
}

static int write_file(const tune_t *tune)
{
    const char *wrong = NULL;
    int good;

    if (0 == tune->hosts.rank) {
        wrong = tune_file_write(tune->out, &tune->hosts, &tune->findings);
        if (NULL != wrong) {
            (void) fprintf(stderr, "pschedule_tune: %s: %s\n", tune->out, wrong);
        } else {
            tune_say(tune, "%s is written, with %zu lines for algorithms", tune->out,
                     tune->findings.rows.count);
        }
    }
    good = NULL == wrong;
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* All that can be is to be served, on all ranks: the component asks before MPI_Init ends. */
static void serve_all(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        if (0 == strncmp(argv[i], "--pe", 4)) { /* long options may be shortened */
            (void) setenv("OMPI_MCA_coll_pschedule_persistent", "on", 1);
        }
    }
}

int main(int argc, char **argv)
{
    tune_t tune = {.out = "pschedule_tuning.txt", .partitions = 1, .others = MPI_COMM_NULL};
    int provided, status;

    serve_all(argc, argv);
    MPI_Init(&argc, &argv);
    (void) MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    read_options(&tune, argc, argv);
    tune.begin = MPI_Wtime();
    tune.patience = (tune_patience_t) {.sample = tune.quick ? 0.004 : 0.02,
                                       .samples = tune.quick ? 3 : 5,
                                       .limit = tune.quick ? 0.3 : 1.0};
    tune_hosts_learn(&tune.hosts);
    if (tune.hosts.size < 2) {
        tune_refuse("one process has nothing to choose; start it with mpirun", 2);
    }
    refuse_older_file();
    refuse_bad_file(&tune);
    tune_say(&tune, "%d ranks on %d hosts", tune.hosts.size, tune.hosts.hosts);
    tune_constants_measure(&tune);
    tune_constants_use(&tune.findings.constants);
    compare_algorithms(&tune);
    if (tune.persistent) {
        compare_persistent(&tune);
    }
    status = write_file(&tune);
    free(tune.findings.rows.wish);
    free(tune.findings.persistent.wish);
    tune_hosts_forget(&tune.hosts);
    (void) MPI_T_finalize();
    (void) MPI_Finalize();
    return status;
}
