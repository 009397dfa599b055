/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Problems of all ranks for each of the 21 collectives (see simulator.h).
 */
#include "simulator.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of partitions divide it, so that the same bytes can be cut differently at both ends. */
static const uint32_t units[] = {12, 8, 35, 30, 1};

static uint32_t below(sim_world_t *world, uint32_t limit)
{
    return unit_below(&world->random, limit);
}

static void *more(void *array, uint32_t count, size_t size)
{
    void *larger = realloc(array, (count + 1) * size);

    if (NULL == larger) {
        abort();
    }
    return larger;
}

/* ---- numbers of partitions and bytes ---- */

static uint32_t some_partitions(sim_world_t *world)
{
    uint32_t partitions = world->params.partitions;

    if (0 == world->params.uneven) {
        return partitions;
    }
    do {
        partitions = 1 + below(world, world->params.partitions);
    } while (0 != world->unit % partitions);
    return partitions;
}

static uint64_t most_bytes(const sim_world_t *world)
{
    return (uint64_t) world->unit * world->params.count;
}

static uint64_t some_bytes(sim_world_t *world)
{
    return 0 == world->params.uneven
               ? most_bytes(world)
               : (uint64_t) world->unit * below(world, world->params.count + 1);
}

static mca_coll_pschedule_cut_t cut_of(uint64_t bytes, uint32_t partitions)
{
    return (mca_coll_pschedule_cut_t) {.bytes = bytes, .partitions = partitions};
}

/* ---- blocks ---- */

static mca_coll_pschedule_block_t *append(sim_world_t *world, mca_coll_pschedule_block_t **list,
                                          uint32_t *count, mca_coll_pschedule_cut_t cut)
{
    mca_coll_pschedule_block_t *last;
    uint64_t offset = 0;
    uint32_t first = 0;

    if (0 < *count) {
        last = &(*list)[*count - 1];
        offset = last->offset + last->cut.bytes;
        first = last->first + last->cut.partitions;
    }
    if (0 != world->params.uneven && !sim_reduces(world->params.collective)) {
        offset += below(world, 10);
    }
    *list = more(*list, *count, sizeof(**list));
    last = &(*list)[(*count)++];
    *last = (mca_coll_pschedule_block_t) {.offset = offset, .cut = cut, .first = first};
    return last;
}

static void add_send(sim_rank_t *rank, mca_coll_pschedule_cut_t cut)
{
    (void) append(rank->world, &rank->send, &rank->problem.send_blocks, cut);
}

static void add_recv(sim_rank_t *rank, mca_coll_pschedule_cut_t cut, int32_t from, uint32_t block)
{
    uint32_t index = rank->problem.recv_blocks;

    (void) append(rank->world, &rank->recv, &rank->problem.recv_blocks, cut);
    rank->origin = more(rank->origin, index, sizeof(*rank->origin));
    rank->origin[index] = (sim_origin_t) {.rank = from, .block = block};
}

/* The contribution of this rank is a receive block of it. */
static void send_in_place(sim_rank_t *rank, uint32_t block)
{
    rank->send = more(rank->send, 0, sizeof(*rank->send));
    rank->send[0] = rank->recv[block];
    rank->send[0].first = 0;
    rank->problem.send_blocks = 1;
    rank->problem.in_place = true;
}

static void know(sim_rank_t *rank, uint32_t index, mca_coll_pschedule_cut_t cut)
{
    rank->contribution = more(rank->contribution, index, sizeof(*rank->contribution));
    rank->contribution[index] = cut;
}

/* A contribution, or the contribution to a pair, counts for what is common. */
static void common(sim_world_t *world, mca_coll_pschedule_cut_t cut, bool first)
{
    mca_coll_pschedule_problem_t *all = &world->rank[0].problem;
    bool same = cut.bytes == all->common_bytes && cut.partitions == all->common_partitions;

    all->uniform = first || (all->uniform && same);
    all->common_bytes = first || cut.bytes > all->common_bytes ? cut.bytes : all->common_bytes;
    all->common_partitions = first || cut.partitions > all->common_partitions
                                 ? cut.partitions
                                 : all->common_partitions;
}

/* ---- families ---- */

static void make_bcast(sim_world_t *world)
{
    mca_coll_pschedule_cut_t cut = cut_of(most_bytes(world), some_partitions(world));

    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        if (i == world->params.root) {
            add_send(&world->rank[i], cut);
        } else {
            add_recv(&world->rank[i], cut, (int32_t) world->params.root, 0);
        }
        know(&world->rank[i], 0, cut);
    }
    common(world, cut, true);
}

static bool varies(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_GATHERV == collective || COLL_PSCHEDULE_SCATTERV == collective
           || COLL_PSCHEDULE_ALLGATHERV == collective || COLL_PSCHEDULE_ALLTOALLV == collective
           || COLL_PSCHEDULE_ALLTOALLW == collective
           || COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV == collective
           || COLL_PSCHEDULE_NEIGHBOR_ALLTOALLV == collective
           || COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW == collective;
}

static uint64_t bytes_of(sim_world_t *world)
{
    return varies(world->params.collective) ? some_bytes(world) : most_bytes(world);
}

/* Blocks of a side are cut the same way, unless the collective has a number for each. */
static uint32_t partitions_of(sim_world_t *world, uint32_t usual)
{
    return varies(world->params.collective) ? some_partitions(world) : usual;
}

static void make_gather(sim_world_t *world)
{
    uint32_t ranks = world->params.ranks;
    sim_rank_t *root = &world->rank[world->params.root];
    uint32_t usual = some_partitions(world);

    for (uint32_t k = 0; k < ranks; ++k) {
        uint64_t bytes = bytes_of(world);
        uint32_t partitions = partitions_of(world, usual);
        bool in_place = 0 != world->params.in_place && k == world->params.root;
        mca_coll_pschedule_cut_t cut
            = cut_of(bytes, in_place ? partitions : some_partitions(world));

        add_recv(root, cut_of(bytes, partitions), (int32_t) k, 0);
        if (in_place) {
            send_in_place(root, k);
        } else {
            add_send(&world->rank[k], cut);
        }
        for (uint32_t i = 0; i < ranks; ++i) {
            know(&world->rank[i], k, cut);
        }
        common(world, cut, 0 == k);
    }
}

static void make_scatter(sim_world_t *world)
{
    uint32_t ranks = world->params.ranks;
    sim_rank_t *root = &world->rank[world->params.root];
    uint32_t usual = some_partitions(world);

    for (uint32_t k = 0; k < ranks; ++k) {
        mca_coll_pschedule_cut_t cut = cut_of(bytes_of(world), partitions_of(world, usual));

        add_send(root, cut);
        if (0 != world->params.in_place && k == world->params.root) {
            root->problem.in_place = 0 == below(world, 2); /* the block is left out either way */
        } else {
            add_recv(&world->rank[k], cut_of(cut.bytes, some_partitions(world)),
                     (int32_t) world->params.root, k);
        }
        for (uint32_t i = 0; i < ranks; ++i) {
            know(&world->rank[i], k, cut);
        }
        common(world, cut, 0 == k);
    }
}

static void make_allgather(sim_world_t *world)
{
    uint32_t ranks = world->params.ranks;
    uint32_t *usual = calloc(ranks, sizeof(*usual));

    for (uint32_t i = 0; i < ranks; ++i) {
        usual[i] = some_partitions(world);
    }
    for (uint32_t k = 0; k < ranks; ++k) {
        uint64_t bytes = bytes_of(world);
        mca_coll_pschedule_cut_t cut = cut_of(bytes, some_partitions(world));

        for (uint32_t i = 0; i < ranks; ++i) {
            add_recv(&world->rank[i], cut_of(bytes, partitions_of(world, usual[i])), (int32_t) k,
                     0);
        }
        if (0 != world->params.in_place) {
            send_in_place(&world->rank[k], k);
            cut = world->rank[k].send[0].cut;
        } else {
            add_send(&world->rank[k], cut);
        }
        for (uint32_t i = 0; i < ranks; ++i) {
            know(&world->rank[i], k, cut);
        }
        common(world, cut, 0 == k);
    }
    free(usual);
}

static void make_alltoall(sim_world_t *world)
{
    uint32_t ranks = world->params.ranks;
    uint32_t *usual = calloc(2 * ranks, sizeof(*usual));

    for (uint32_t i = 0; i < 2 * ranks; ++i) {
        usual[i] = some_partitions(world);
    }
    for (uint32_t k = 0; k < ranks; ++k) { /* block k of every send, from rank k in every receive */
        for (uint32_t i = 0; i < ranks; ++i) {
            mca_coll_pschedule_cut_t cut
                = cut_of(bytes_of(world), partitions_of(world, usual[i]));

            add_send(&world->rank[i], cut);
            common(world, cut, 0 == k && 0 == i);
        }
    }
    for (uint32_t k = 0; k < ranks; ++k) {
        for (uint32_t i = 0; i < ranks; ++i) {
            mca_coll_pschedule_cut_t cut = world->rank[k].send[i].cut;

            add_recv(&world->rank[i],
                     cut_of(cut.bytes, partitions_of(world, usual[ranks + i])), (int32_t) k, i);
            know(&world->rank[i], k, cut);
        }
    }
    free(usual);
}

/* ---- reductions ---- */

static void make_reduction(sim_world_t *world)
{
    const sim_params_t *params = &world->params;
    mca_coll_pschedule_cut_t cut
        = cut_of((uint64_t) params->partitions * params->count * params->element,
                 params->partitions);

    for (uint32_t i = 0; i < params->ranks; ++i) {
        bool result = COLL_PSCHEDULE_REDUCE != params->collective || i == params->root;

        if (result) {
            add_recv(&world->rank[i], cut, (int32_t) i, 0);
        }
        if (result && sim_is_in_place(world, i)) {
            send_in_place(&world->rank[i], 0);
        } else {
            add_send(&world->rank[i], cut);
        }
    }
    common(world, cut, true);
}

static void make_reduce_scatter(sim_world_t *world)
{
    const sim_params_t *params = &world->params;
    bool vary = 0 != params->uneven && COLL_PSCHEDULE_REDUCE_SCATTER == params->collective;
    mca_coll_pschedule_cut_t all = cut_of(0, 0);
    bool uniform = true;

    for (uint32_t k = 0; k < params->ranks; ++k) {
        uint32_t partitions = vary ? 1 + below(world, params->partitions) : params->partitions;
        uint64_t count = vary ? below(world, params->count + 1) : params->count;
        mca_coll_pschedule_cut_t cut = cut_of(partitions * count * params->element, partitions);

        world->rank[k].problem.in_place = sim_is_in_place(world, k);
        for (uint32_t i = 0; i < params->ranks; ++i) {
            add_send(&world->rank[i], cut);
            know(&world->rank[i], k, cut);
        }
        add_recv(&world->rank[k], cut, (int32_t) k, k);
        common(world, cut, 0 == k);
        uniform = world->rank[0].problem.uniform;
        all.bytes += cut.bytes;
        all.partitions += cut.partitions;
    }
    common(world, all, true); /* the whole of it */
    world->rank[0].problem.uniform = uniform;
}

/* ---- neighbours ---- */

static bool gathers(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_NEIGHBOR_ALLGATHER == collective
           || COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV == collective;
}

static void add_source(sim_rank_t *rank, int32_t from, uint32_t key)
{
    uint32_t index = rank->problem.sources++;

    rank->source = more(rank->source, index, sizeof(*rank->source));
    rank->source[index] = (mca_coll_pschedule_edge_t) {.rank = from, .key = key};
}

static void add_destination(sim_rank_t *rank, int32_t to, uint32_t key)
{
    uint32_t index = rank->problem.destinations++;

    rank->destination = more(rank->destination, index, sizeof(*rank->destination));
    rank->destination[index] = (mca_coll_pschedule_edge_t) {.rank = to, .key = key};
}

/* Keys count down, so that a builder that relies on their order is found. */
static uint32_t next_key(const sim_rank_t *rank, int32_t to)
{
    uint32_t key = 40;

    for (uint32_t i = 0; i < rank->problem.destinations; ++i) {
        key -= rank->destination[i].rank == to;
    }
    return key;
}

static void add_edge(sim_world_t *world, uint32_t from, uint32_t to, uint64_t usual)
{
    sim_rank_t *sender = &world->rank[from];
    sim_rank_t *receiver = &world->rank[to];
    uint32_t key = next_key(sender, (int32_t) to);
    uint32_t block = gathers(world->params.collective) ? 0 : sender->problem.destinations;
    mca_coll_pschedule_cut_t cut;

    if (gathers(world->params.collective)) {
        cut = sender->send[0].cut;
    } else {
        cut = cut_of(varies(world->params.collective) ? some_bytes(world) : usual,
                     some_partitions(world));
        add_send(sender, cut);
    }
    know(receiver, receiver->problem.sources, cut);
    add_recv(receiver, cut_of(cut.bytes, some_partitions(world)), (int32_t) from, block);
    add_source(receiver, (int32_t) from, key);
    add_destination(sender, (int32_t) to, key);
}

/* An edge to or from nobody: described, but nothing moves. */
static void add_loose_end(sim_world_t *world, uint32_t rank)
{
    sim_rank_t *at = &world->rank[rank];
    mca_coll_pschedule_cut_t cut = cut_of(most_bytes(world), some_partitions(world));

    if (0 == below(world, 2)) {
        know(at, at->problem.sources, cut_of(0, 1));
        add_recv(at, cut, COLL_PSCHEDULE_NOBODY, 0);
        add_source(at, COLL_PSCHEDULE_NOBODY, 0);
    } else {
        if (!gathers(world->params.collective)) {
            add_send(at, cut);
        }
        add_destination(at, COLL_PSCHEDULE_NOBODY, 0);
    }
}

static void make_neighbor(sim_world_t *world)
{
    uint32_t ranks = world->params.ranks;
    uint32_t edges = below(world, 4 * ranks + 1);
    mca_coll_pschedule_problem_t *all = &world->rank[0].problem;

    common(world, cut_of(most_bytes(world), world->params.partitions), true);
    for (uint32_t i = 0; i < ranks && gathers(world->params.collective); ++i) {
        add_send(&world->rank[i], cut_of(bytes_of(world), some_partitions(world)));
    }
    for (uint32_t i = 0; i < edges; ++i) {
        uint32_t from = below(world, ranks);

        if (0 == below(world, 10)) {
            add_loose_end(world, from);
        } else {
            /* Every third edge is likely to exist already. */
            add_edge(world, from, 0 == i % 3 ? (from + 1) % ranks : below(world, ranks),
                     most_bytes(world));
        }
    }
    all->uniform = 0 == world->params.uneven;
}

/* ---- all ---- */

static void make_blocks(sim_world_t *world)
{
    switch (world->params.collective) {
    case COLL_PSCHEDULE_BCAST:
        make_bcast(world);
        break;
    case COLL_PSCHEDULE_GATHER:
    case COLL_PSCHEDULE_GATHERV:
        make_gather(world);
        break;
    case COLL_PSCHEDULE_SCATTER:
    case COLL_PSCHEDULE_SCATTERV:
        make_scatter(world);
        break;
    case COLL_PSCHEDULE_ALLGATHER:
    case COLL_PSCHEDULE_ALLGATHERV:
        make_allgather(world);
        break;
    case COLL_PSCHEDULE_ALLTOALL:
    case COLL_PSCHEDULE_ALLTOALLV:
    case COLL_PSCHEDULE_ALLTOALLW:
        make_alltoall(world);
        break;
    case COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK:
    case COLL_PSCHEDULE_REDUCE_SCATTER:
        make_reduce_scatter(world);
        break;
    case COLL_PSCHEDULE_REDUCE:
    case COLL_PSCHEDULE_ALLREDUCE:
    case COLL_PSCHEDULE_SCAN:
    case COLL_PSCHEDULE_EXSCAN:
        make_reduction(world);
        break;
    default:
        make_neighbor(world);
        break;
    }
}

void sim_problems(sim_world_t *world)
{
    const sim_params_t *params = &world->params;
    const mca_coll_pschedule_problem_t *all = &world->rank[0].problem;

    world->unit = 0 != params->uneven ? units[below(world, 5)] : params->partitions;
    make_blocks(world);
    for (uint32_t i = 0; i < params->ranks; ++i) {
        sim_rank_t *rank = &world->rank[i];
        mca_coll_pschedule_problem_t *problem = &rank->problem;

        problem->collective = params->collective;
        problem->rank = (int32_t) i;
        problem->size = (int32_t) params->ranks;
        problem->root = (int32_t) params->root;
        problem->ordered = 0 != params->ordered;
        problem->element = sim_reduces(params->collective) ? params->element : 1;
        problem->chunk = params->chunk;
        problem->send = rank->send;
        problem->recv = rank->recv;
        problem->contribution = rank->contribution;
        problem->source = rank->source;
        problem->destination = rank->destination;
        problem->common_bytes = all->common_bytes;
        problem->common_partitions = all->common_partitions;
        problem->uniform = all->uniform;
        problem->whole = 0 != params->whole;
        problem->common_in_place = 0 != params->in_place;
        problem->hosts = &world->hosts;
        problem->one_host = problem->shares = sim_shares(params);
        if (0 != (params->row->limits & COLL_PSCHEDULE_RELAY_CUTS) && !all->uniform) {
            sim_tell_relay(rank);
        }
    }
}
