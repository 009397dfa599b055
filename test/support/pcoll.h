/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One rank's part in a partitioned collective, of any of the 21 kinds, and what must come out of
 * it. A test says in a pc_spec_t what is wanted, equal on all ranks; buffers, cuts and arguments of
 * each rank follow from it. What must come out is what MPI's blocking collective makes of the same
 * buffers. Iteration i works on version i % versions of them: stale results are seen as wrong.
 *
 *     pc_make(&pc, &spec, 3);            buffers and expected results; collective
 *     pc_open(&pc);                      MPIX_P<kind>_init
 *     for (...) pc_cycle(&pc, i, &random);
 *     pc_drop(&pc);
 *
 * or, in place of pc_cycle: pc_start, pc_mark for all `gives`, pc_arrived for any of `takes`,
 * pc_finish. What pc_arrived reports has been compared with what was expected, byte by byte.
 */
#ifndef MPIX_TEST_PCOLL_H
#define MPIX_TEST_PCOLL_H

#include "mpitest.h"
#include "pcoll_persistent.h"

typedef enum pc_kind {
    PC_BCAST,
    PC_GATHER, PC_GATHERV,
    PC_SCATTER, PC_SCATTERV,
    PC_ALLGATHER,
    PC_ALLGATHERV,
    PC_ALLTOALL,
    PC_ALLTOALLV,
    PC_ALLTOALLW,
    PC_REDUCE,
    PC_ALLREDUCE,
    PC_REDUCE_SCATTER_BLOCK,
    PC_REDUCE_SCATTER,
    PC_SCAN,
    PC_EXSCAN,
    PC_NEIGHBOR_ALLGATHER,
    PC_NEIGHBOR_ALLGATHERV,
    PC_NEIGHBOR_ALLTOALL,
    PC_NEIGHBOR_ALLTOALLV,
    PC_NEIGHBOR_ALLTOALLW,
    PC_KINDS
} pc_kind_t;

/* What distinguishes the kinds. */
typedef struct pc_trait {
    const char *name;
    bool rooted;
    bool reduces;
    bool neighbors;
    bool vector;   /* blocks may differ */
    bool typed;    /* and have datatypes of their own */
    bool in_place; /* MPI_IN_PLACE is allowed */
    bool many_to;  /* one block for each rank or destination in the buffer of the contributor */
    bool many_from;
} pc_trait_t;

extern const pc_trait_t pc_traits[PC_KINDS];

/* Which algorithm of each kind this job forces, where launch.sh repeats it with all of them
 * (MPIX_TEST_FORCED); 0 in every other job. */
int pc_forced(void);

/* Does such a job force one of the kind's? Of other kinds all have been run before. True in every
 * other job. */
bool pc_due(pc_kind_t kind);

/* Datatypes of data movement: those of types.h (six ints an element), and these. A block is
 * described in elements of 24 bytes, several of a smaller datatype. */
enum { PC_TYPE_INT = 9, PC_TYPE_DOUBLE, PC_TYPE_FLOAT, PC_TYPES, PC_TYPE_DRAWN = -1 };

/* Datatypes of reductions; the last three are pairs for operators of the user's. */
enum {
    PC_NUMBER_INT,
    PC_NUMBER_LONG,
    PC_NUMBER_INT8, PC_NUMBER_INT16,
    PC_NUMBER_UINT8, PC_NUMBER_UINT16, PC_NUMBER_UINT32, PC_NUMBER_UINT64,
    PC_NUMBER_FLOAT,
    PC_NUMBER_DOUBLE,
    PC_NUMBER_FLOAT_COMPLEX,
    PC_NUMBER_DOUBLE_COMPLEX,
    PC_NUMBER_BOOL,
    PC_NUMBER_BYTE,
    PC_NUMBER_2INT,
    PC_NUMBER_FLOAT_INT,
    PC_NUMBER_DOUBLE_INT,
    PC_NUMBER_SHORT_INT,
    PC_NUMBER_LONG_INT,
    PC_NUMBER_PAIR,   /* contiguous */
    PC_NUMBER_VECTOR, /* with a gap inside */
    PC_NUMBER_GAPS,   /* with gaps all around: lower bound and first displacement negative */
    PC_NUMBERS
};

enum {
    PC_OP_SUM,
    PC_OP_PROD,
    PC_OP_MIN,
    PC_OP_MAX,
    PC_OP_LAND,
    PC_OP_LOR,
    PC_OP_LXOR,
    PC_OP_BAND,
    PC_OP_BOR,
    PC_OP_BXOR,
    PC_OP_MINLOC,
    PC_OP_MAXLOC,
    PC_OP_USER_COMMUTES, /* of pairs */
    PC_OP_USER_ORDERED,  /* of pairs: composition of affine maps */
    PC_OPS
};

MPI_Datatype pc_type(int index);
MPI_Datatype pc_number(int index);
MPI_Op pc_op(int index);
const char *pc_number_name(int index);
const char *pc_op_name(int index);
/* May the operator be used on the datatype? */
bool pc_op_fits(int op, int number);

/* Makes and frees the datatypes and operators; around everything else. */
void pc_world_make(void);
void pc_world_drop(void);

/* What all ranks know. */
typedef struct pc_spec {
    pc_kind_t kind;
    MPI_Comm comm;
    int root;
    bool in_place;
    bool uneven;   /* where blocks may differ: other sizes, some empty, space between, any order */
    uint64_t seed; /* names the data, and draws what is left open */
    int base;      /* a block has base x unit elements and is cut in a divisor of base */
    int unit;      /* 0: blocks are empty */
    int send_cut;  /* partitions of a block; 0: drawn */
    int recv_cut;
    int send_type;
    int recv_type;
    int number; /* of reductions */
    int op;
    const int *blocks; /* reduce_scatter: partitions of each block, of `unit` elements; or NULL */
} pc_spec_t;

/* Ints or sums of doubles: blocks of cut x unit elements, cut alike on both sides. The seed tells
 * specs of one kind apart. */
pc_spec_t pc_plain(pc_kind_t kind, MPI_Comm comm, int cut, int unit, uint64_t seed);

/* All ranks in a ring: a communicator on which all kinds work. */
MPI_Comm pc_ring(void);

/* A partition. */
typedef struct pc_part {
    unsigned char *address;
    MPI_Count count;
    MPI_Datatype type;
    size_t bytes;  /* of data */
    size_t offset; /* in the stream of all partitions of its side */
    bool dense;    /* without gaps: MPI_Pack would be memcpy */
} pc_part_t;

/* A buffer of blocks, as arguments of a call describe it; without blocks: MPI does not look. */
typedef struct pc_side {
    int blocks;
    int *cuts;
    MPI_Count *counts; /* of a partition */
    MPI_Aint *displs;  /* in extents, or in bytes */
    MPI_Datatype *types;
    MPI_Aint *places; /* of blocks, in bytes */
    unsigned char *memory;
    unsigned char *mask; /* 0xff where a block has a byte of data */
    unsigned char gap;   /* what the other bytes have, other ones than in other buffers */
    unsigned char *origin;
    size_t span;
    pc_part_t *parts;
    int part_count;
} pc_side_t;

typedef struct pc {
    pc_spec_t spec;
    const pc_trait_t *trait;
    int rank;
    int size;
    int versions;
    int iteration;
    pc_side_t send;
    pc_side_t recv;
    pc_part_t *give; /* what MPI_Pready numbers */
    int gives;
    pc_part_t *take; /* what MPI_Parrived numbers */
    int takes;
    bool nothing_comes; /* rank 0 of exscan: the buffer stays as it is */
    size_t take_bytes;
    unsigned char **expected; /* per version: the stream of all partitions of the result */
    MPI_Request request;
} pc_t;

void pc_make(pc_t *pc, const pc_spec_t *spec, int versions);
/* Frees the request, too. */
void pc_drop(pc_t *pc);

/* The spec in words. */
const char *pc_text(const pc_t *pc);

/* The call as it is: MPIX_P<kind>_init or MPI_<kind>_init. */
int pc_init(pc_t *pc, MPI_Request *request);

/* pc_init must succeed, and nothing be handed on. */
bool pc_open(pc_t *pc);

/* Wipes the buffers for an iteration; and MPI_Start. */
void pc_wipe(pc_t *pc, int iteration);
void pc_start(pc_t *pc, int iteration);

/* Writes a contribution of the iteration; and MPI_Pready. */
void pc_fill(pc_t *pc, int partition);
void pc_mark(pc_t *pc, int partition);
void pc_mark_all(pc_t *pc);

/* MPI_Parrived, once; if it has, every byte must be right. */
bool pc_arrived(pc_t *pc, int partition);
/* The same until it is true or the seconds are over. */
bool pc_arrives(pc_t *pc, int partition, double seconds);
bool pc_check_take(pc_t *pc, int partition);
/* Is a contribution what pc_fill has written? */
bool pc_check_give(pc_t *pc, int partition);

/* After completion: all results, contributions unchanged, nothing written beside the blocks. */
void pc_verify(pc_t *pc);

/* Completes and verifies. */
void pc_finish(pc_t *pc);

/* A whole iteration, marks in random order, looks for arrivals between them. */
void pc_cycle(pc_t *pc, int iteration, mt_random_t *random);

/* pc_make, pc_open, some iterations, pc_drop. */
void pc_run(const pc_spec_t *spec, int iterations, mt_random_t *random);

/* Mixes numbers to a number. */
uint64_t pc_mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#endif
