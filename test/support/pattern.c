/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Byte patterns: every byte of every transfer is named by (seed, offset), so a byte that is stale,
 * shifted, or of another partition or iteration is seen as wrong.
 */

#include "mpitest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Eight neighbouring bytes of the stream (the finaliser of splitmix64). */
static inline uint64_t stream_word(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

void *mt_alloc(size_t bytes)
{
    void *memory = malloc(0 == bytes ? 1 : bytes);

    if (NULL == memory) {
        printf("Bail out! no memory for %zu bytes\n", bytes);
        fflush(stdout);
        abort();
    }
    return memory;
}

unsigned char mt_byte(uint64_t seed, size_t offset)
{
    return (unsigned char) (stream_word(seed, offset / 8) >> (8 * (offset % 8)));
}

void mt_fill(void *buffer, size_t bytes, uint64_t seed, size_t offset)
{
    unsigned char *out = buffer;
    size_t i = 0;

    for (; i < bytes && 0 != (offset + i) % 8; i++) {
        out[i] = mt_byte(seed, offset + i);
    }
    for (; i + 8 <= bytes; i += 8) {
        uint64_t word = stream_word(seed, (offset + i) / 8);
        memcpy(out + i, &word, 8);
    }
    for (; i < bytes; i++) {
        out[i] = mt_byte(seed, offset + i);
    }
}

size_t mt_wrong(const void *buffer, size_t bytes, uint64_t seed, size_t offset)
{
    const unsigned char *in = buffer;
    size_t wrong = 0;
    size_t i = 0;

    while (i < bytes) {
        if (0 == (offset + i) % 8 && i + 8 <= bytes) {
            uint64_t expected = stream_word(seed, (offset + i) / 8);
            if (0 == memcmp(in + i, &expected, 8)) {
                i += 8;
                continue;
            }
        }
        wrong += in[i] != mt_byte(seed, offset + i);
        i++;
    }
    return wrong;
}

size_t mt_differ(const void *buffer, size_t bytes, unsigned char value)
{
    const unsigned char *in = buffer;
    size_t count = 0;

    if (0 == bytes || (value == in[0] && 0 == memcmp(in, in + 1, bytes - 1))) {
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        count += in[i] != value;
    }
    return count;
}

/* By words: of buffers with gaps this is most of what a test does. */
size_t mt_spilled(const unsigned char *memory, const unsigned char *mask, size_t bytes,
                  unsigned char gap)
{
    const uint64_t gaps = 0x0101010101010101u * gap;
    size_t count = 0;
    size_t i = 0;

    while (i < bytes) {
        uint64_t word, data;

        if (i + sizeof(word) <= bytes) {
            memcpy(&word, memory + i, sizeof(word));
            memcpy(&data, mask + i, sizeof(data));
            if (0 == ((word ^ gaps) & ~data)) {
                i += sizeof(word);
                continue;
            }
        }
        count += 0 == mask[i] && gap != memory[i];
        i++;
    }
    return count;
}

static bool is_sampled(size_t offset, size_t total)
{
    const size_t edges[] = {0, (size_t) 1 << 31, total};

    for (int i = 0; i < 3; i++) {
        if (offset + 2 * MT_BLOCK > edges[i] && offset < edges[i] + 2 * MT_BLOCK) {
            return true;
        }
    }
    return 0 == offset / MT_BLOCK % 256;
}

bool mt_sparse(size_t *offset, size_t total)
{
    while (*offset < total && !is_sampled(*offset, total)) {
        *offset += MT_BLOCK;
    }
    return *offset < total;
}

void mt_random_seed(mt_random_t *random, uint64_t seed)
{
    random->state = seed;
}

uint64_t mt_random_next(mt_random_t *random)
{
    return stream_word(0x5EED, random->state++);
}

int mt_random_below(mt_random_t *random, int bound)
{
    return (int) (mt_random_next(random) % (uint64_t) bound);
}

void mt_random_shuffle(mt_random_t *random, int *values, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = mt_random_below(random, i + 1);
        int kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}
