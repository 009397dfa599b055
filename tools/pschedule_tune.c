/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the machine that it is started on for the choice of algorithms of coll/pschedule, and
 * writes a tuning file. All ranks do the same at the same time; rank 0 speaks.
 *
 * First the constants of the model, then the algorithms: each is timed beside what the model takes
 * with these constants, and gets a line in the file where it is clearly faster.
 */
#include <getopt.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune_file.h"
#include "tune_hosts.h"
#include "tune_time.h"
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
      "  --help          print this\n"
      "\n"
      "Exit status: 0 the file is written, 1 it is not, 2 the command line is wrong.\n";

/* A row must be so much faster than the model's to get a line: less is noise. */
static const double clearly = 0.85;

enum { QUICK_COLLECTIVES = 3 };

typedef struct tune_t {
    const char *out;
    bool quick;
    int partitions;
    tune_hosts_t hosts;
    tune_patience_t patience;
    tune_findings_t findings;
    double begin;
} tune_t;

/* ---- saying ---- */

static void say(const tune_t *tune, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const tune_t *tune, const char *format, ...)
{
    va_list arguments;

    if (0 != tune->hosts.rank) {
        return;
    }
    (void) fprintf(stderr, "pschedule_tune: %5.1f s  ", MPI_Wtime() - tune->begin);
    va_start(arguments, format);
    (void) vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void) fputc('\n', stderr);
}

static _Noreturn void refuse(const char *what, int status)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        (void) fprintf(stderr, "pschedule_tune: %s\n", what);
    }
    (void) MPI_Finalize();
    exit(status);
}

/* ---- constants ---- */

/* Sets a variable on all ranks while nobody makes a request. */
static void set(const char *name, int value)
{
    tune_variable_t variable;

    if (!tune_variable_open(&variable, name)) {
        refuse("coll/pschedule is not there", 1);
    }
    if (!tune_variable_set(&variable, value)) {
        refuse("the variables of coll/pschedule cannot be set", 1);
    }
    tune_variable_close(&variable);
}

static void force(const char *collective, const char *algorithm)
{
    char name[TUNE_WORD + 16];
    tune_variable_t variable;
    int value;

    (void) snprintf(name, sizeof(name), "%s_algorithm", collective);
    if (!tune_variable_open(&variable, name)) {
        refuse("coll/pschedule is not there", 1);
    }
    value = tune_variable_find(&variable, algorithm);
    tune_variable_close(&variable);
    set(name, value < 0 ? 0 : value);
}

/* A ring is a chain of as many rounds as there are others: seconds of one of them. On all ranks the
 * time of the slowest communicator; those that take no part wait. */
static double time_of_ring(const tune_t *tune, MPI_Comm comm, bool takes_part, size_t bytes)
{
    int size;
    double seconds = 0, most;

    MPI_Comm_size(comm, &size);
    if (takes_part && size > 1) {
        seconds = tune_time(tune_collective("allgather"), comm, bytes, 1, &tune->patience)
                  / (size - 1);
    }
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int microseconds(double seconds)
{
    return seconds > 1e-6 ? (int) (seconds * 1e6 + 0.5) : seconds > 0 ? 1 : 0;
}

static int megabytes(double bytes, double seconds)
{
    double rate = seconds > 0 ? bytes / seconds * 1e-6 : 0;

    return rate > 2e9 ? 2000000000 : rate > 1 ? (int) (rate + 0.5) : seconds > 0 ? 1 : 0;
}

/* All ranks at the same time, because they will be busy at the same time. */
static double time_of_reducing(size_t bytes)
{
    int *a = tune_zeros(bytes, 1), *b = tune_zeros(bytes, 1);
    double seconds, most;
    enum { TIMES = 20 };

    MPI_Reduce_local(a, b, (int) (bytes / sizeof(*a)), MPI_INT, MPI_SUM);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    for (int i = 0; i < TIMES; ++i) {
        MPI_Reduce_local(a, b, (int) (bytes / sizeof(*a)), MPI_INT, MPI_SUM);
    }
    seconds = (MPI_Wtime() - seconds) / TIMES;
    free(a);
    free(b);
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Its algorithms would be taken for the model's, so that they got no line in the new file. */
static void refuse_older_file(void)
{
    char file[4096];

    tune_variable_text("tuning_file", file, sizeof(file));
    if ('\0' != file[0]) {
        refuse("coll_pschedule_tuning_file is set (in the command, the environment or "
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
        refuse(text, 1);
    }
}

static void measure_constants(tune_t *tune)
{
    const tune_hosts_t *hosts = &tune->hosts;
    tune_constants_t *constants = &tune->findings.constants;
    const size_t large = tune->quick ? 256 << 10 : 1 << 20;
    const size_t reduced = 4 << 20; /* not what a small cache holds */

    force("allgather", "ring");
    constants->latency = microseconds(time_of_ring(tune, hosts->lane, hosts->leads, 8));
    constants->local_latency = microseconds(time_of_ring(tune, hosts->local, true, 8));
    say(tune, "a round takes %d us between hosts, %d us within one", constants->latency,
        constants->local_latency);
    constants->bandwidth
        = megabytes((double) large, time_of_ring(tune, hosts->lane, hosts->leads, large));
    if (1 == hosts->hosts) { /* the model takes the same constants for all rounds and bytes there */
        constants->latency = constants->local_latency;
        constants->bandwidth
            = megabytes((double) large, time_of_ring(tune, hosts->local, true, large));
    } else {
        constants->host_bandwidth
            = megabytes((double) large * hosts->fewest,
                        time_of_ring(tune, hosts->lane, hosts->rides, large));
    }
    constants->copy_bandwidth = megabytes((double) reduced, time_of_reducing(reduced));
    say(tune, "a process moves %d MB/s, all of a host %d MB/s between hosts; it reduces %d MB/s",
        constants->bandwidth, constants->host_bandwidth, constants->copy_bandwidth);
    force("allgather", "auto");
}

/* The model uses them from now on. */
static void use_constants(const tune_constants_t *constants)
{
    const struct {
        const char *name;
        int value;
    } all[] = {{"latency", constants->latency},
               {"local_latency", constants->local_latency},
               {"bandwidth", constants->bandwidth},
               {"host_bandwidth", constants->host_bandwidth},
               {"copy_bandwidth", constants->copy_bandwidth}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (all[i].value > 0) {
            set(all[i].name, all[i].value);
        }
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
            (void) snprintf(wish->algorithm, sizeof(wish->algorithm), "%s", word);
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
        refuse("coll/pschedule is not there", 1);
    }
    wish->seconds = wish->model_seconds = time_of_model(tune, collective, bytes);
    if (wish->seconds < 0) {
        refuse("no partitioned collective can be made: is part/ucx in use (--mca part ucx)?", 1);
    }
    time_rows(tune, &variable, collective, bytes, wish);
    tune_variable_close(&variable);
    if (wish->seconds < clearly * wish->model_seconds) {
        double again = time_of_model(tune, collective, bytes);

        wish->model_seconds = again < wish->model_seconds ? again : wish->model_seconds;
    }
    return wish->seconds < clearly * wish->model_seconds;
}

static void keep(tune_t *tune, const tune_wish_t *wish)
{
    tune_findings_t *findings = &tune->findings;
    tune_wish_t *last = findings->wishes > 0 ? &findings->wish[findings->wishes - 1] : NULL;
    tune_wish_t *more;

    if (NULL != last && last->most + 1 == wish->least && last->collective == wish->collective
        && 0 == strcmp(last->algorithm, wish->algorithm)) {
        last->most = wish->most; /* one line for both */
        return;
    }
    more = realloc(findings->wish, (findings->wishes + 1) * sizeof(*more));
    if (NULL != more) {
        findings->wish = more;
        findings->wish[findings->wishes++] = *wish;
    }
}

/* Sizes are powers; each stands for what is nearer to it than to the next ones. */
static void compare_sizes(tune_t *tune, const tune_collective_t *collective)
{
    const size_t step = tune->quick ? 64 : 8, half = tune->quick ? 8 : 3;
    const size_t blocks = collective->send_per_rank || collective->recv_per_rank
                              ? (size_t) tune->hosts.size
                              : 1;
    const size_t most = (tune->quick ? 1 << 20 : 8 << 20) / blocks;
    const uint64_t times = collective->whole ? (uint64_t) tune->hosts.size : 1;
    const size_t unit = 4 * (size_t) tune->partitions;
    bool first = true;

    for (size_t bytes = unit > 1024 ? unit : 1024; bytes <= most; bytes *= step) {
        tune_wish_t wish = {.collective = collective->name};
        const size_t size = bytes / unit * unit;
        bool better = compare_rows(tune, collective, size, &wish);

        wish.least = first ? 0 : bytes / step * half * times + 1;
        wish.most = bytes * step > most ? 0 : bytes * half * times;
        first = false;
        say(tune, "%s of %zu bytes: %.3f ms%s%s", collective->name, size,
            wish.model_seconds * 1e3, better ? ", but with " : ", as good as any",
            better ? wish.algorithm : "");
        if (better) {
            keep(tune, &wish);
        }
    }
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
        case 'h':
            explain();
        default:
            refuse("the command line is wrong; try pschedule_tune --help", 2);
        }
    }
    if (optind < argc || tune->partitions < 1) {
        refuse("the command line is wrong; try pschedule_tune --help", 2);
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
            say(tune, "%s is written, with %zu lines for algorithms", tune->out,
                tune->findings.wishes);
        }
    }
    good = NULL == wrong;
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    tune_t tune = {.out = "pschedule_tuning.txt", .partitions = 1};
    int provided, status;

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
        refuse("one process has nothing to choose; start it with mpirun", 2);
    }
    refuse_older_file();
    refuse_bad_file(&tune);
    say(&tune, "%d ranks on %d hosts", tune.hosts.size, tune.hosts.hosts);
    measure_constants(&tune);
    use_constants(&tune.findings.constants);
    for (int i = 0; NULL != tune_collectives[i].name && (!tune.quick || i < QUICK_COLLECTIVES);
         ++i) {
        compare_sizes(&tune, &tune_collectives[i]);
    }
    status = write_file(&tune);
    free(tune.findings.wish);
    tune_hosts_forget(&tune.hosts);
    (void) MPI_T_finalize();
    (void) MPI_Finalize();
    return status;
}
