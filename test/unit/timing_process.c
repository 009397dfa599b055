/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes: each has a list of jobs, which it does one after the other while it has a processor
 * (see timing_world.h).
 */
#include "timing_world.h"

/* A process that others wait for gives its processor up after so long: 3 ms, as Linux does. */
#define SLICE UINT64_C(3000000000)

static timing_cores_t *cores_of(timing_world_t *world, const timing_process_t *process)
{
    if (0 == world->machine->cores) {
        return NULL;
    }
    return &world->cores[world->machine->one_machine ? 0 : process->host];
}

static uint32_t take_job(timing_world_t *world, timing_process_t *process)
{
    uint32_t job = process->jobs.first;

    process->jobs.first = world->job[job].next;
    return job;
}

/* Do the first job. It stays in the list until it is done. */
static void work(timing_world_t *world, timing_process_t *process)
{
    timing_t length = timing_length(world, process, &world->job[process->jobs.first]);

    if (process->fresh) {
        process->fresh = false;
        process->since = world->now;
        length += world->machine->wake;
    }
    process->busy += length;
    timing_foresee(world, world->now + length, TIMING_WORKED,
                   (uint32_t) (process - world->process));
}

static void get_processor(timing_world_t *world, timing_process_t *process)
{
    process->state = TIMING_RUNNING;
    process->fresh = true;
    work(world, process);
}

static void wait_for_processor(timing_world_t *world, timing_process_t *process,
                               timing_cores_t *cores)
{
    uint32_t index = (uint32_t) (process - world->process);

    process->state = TIMING_WAITING;
    process->next = TIMING_NONE;
    if (TIMING_NONE == cores->waiting.first) {
        cores->waiting.first = index;
    } else {
        world->process[cores->waiting.last].next = index;
    }
    cores->waiting.last = index;
}

/* A processor is free: who waits longest gets it. */
static void give_processor(timing_world_t *world, timing_cores_t *cores)
{
    uint32_t index = cores->waiting.first;

    if (TIMING_NONE == index) {
        ++cores->idle;
        return;
    }
    cores->waiting.first = world->process[index].next;
    get_processor(world, &world->process[index]);
}

static void wake(timing_world_t *world, timing_process_t *process)
{
    timing_cores_t *cores = cores_of(world, process);

    if (NULL != cores && 0 == cores->idle) {
        wait_for_processor(world, process, cores);
        return;
    }
    if (NULL != cores) {
        --cores->idle;
    }
    get_processor(world, process);
}

void timing_do(timing_world_t *world, uint32_t index, timing_task_t task, uint32_t item)
{
    timing_process_t *process = &world->process[index];
    uint32_t job = world->job_free;

    if (TIMING_NONE == job) {
        job = world->jobs++;
        if (0 == (job & (job + 1))) { /* room for twice as many */
            world->job = timing_grown(world->job, 2 * (size_t) job + 2, sizeof(*world->job));
        }
    } else {
        world->job_free = world->job[job].next;
    }
    world->job[job]
        = (timing_job_t) {.task = (uint32_t) task, .item = item, .next = TIMING_NONE};
    if (TIMING_NONE == process->jobs.first) {
        process->jobs.first = job;
    } else {
        world->job[process->jobs.last].next = job;
    }
    process->jobs.last = job;
    if (TIMING_IDLE == process->state) {
        wake(world, process);
    }
}

void timing_worked(timing_world_t *world, uint32_t index)
{
    timing_process_t *process = &world->process[index];
    timing_cores_t *cores = cores_of(world, process);
    timing_job_t job = world->job[process->jobs.first];
    uint32_t entry;

    timing_finish(world, process, &job); /* may give it more to do */
    entry = take_job(world, process);
    world->job[entry].next = world->job_free;
    world->job_free = entry;
    if (TIMING_NONE == process->jobs.first) {
        process->state = TIMING_IDLE;
        if (NULL != cores) {
            give_processor(world, cores);
        }
    } else if (NULL != cores && TIMING_NONE != cores->waiting.first
               && world->now - process->since > SLICE) {
        wait_for_processor(world, process, cores);
        give_processor(world, cores);
    } else {
        work(world, process);
    }
}
