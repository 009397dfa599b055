/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Causal attention in several heads.
 */
#define _GNU_SOURCE
#include "layers.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "config.h"

/* One head of one sequence: where its first row begins, how far the rows are from one another. */
typedef struct {
    const float *query;
    const float *key;
    const float *value;
    float *weights; /* context rows of context */
    size_t qkv_stride;
    size_t out_stride;
    size_t out_begin;
    int context;
    int width; /* channels of a head */
    float scale;
} head_t;

static head_t head_of(const float *qkv, const float *weights, int context, int channels, int heads,
                      int number)
{
    const int width = channels / heads;
    const size_t sequence = (size_t) (number / heads);
    const size_t first = (size_t) (number % heads) * (size_t) width;
    const size_t rows = sequence * (size_t) context;
    const float *query = qkv + rows * 3 * (size_t) channels + first;
    return (head_t){
        .query = query,
        .key = query + channels,
        .value = query + 2 * channels,
        .weights = (float *) weights + (size_t) number * (size_t) context * (size_t) context,
        .qkv_stride = 3 * (size_t) channels,
        .out_stride = (size_t) channels,
        .out_begin = rows * (size_t) channels + first,
        .context = context,
        .width = width,
        .scale = 1.0f / sqrtf((float) width),
    };
}

static float dot(const float *a, const float *b, int count)
{
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* to += factor * from */
static void add_scaled(float *to, float factor, const float *from, int count)
{
#pragma omp simd
    for (int i = 0; i < count; ++i) {
        to[i] += factor * from[i];
    }
}

static void softmax(float *values, int count)
{
    float largest = values[0];
    float sum = 0.0f;
    for (int i = 1; i < count; ++i) {
        largest = (values[i] > largest) ? values[i] : largest;
    }
    for (int i = 0; i < count; ++i) {
        values[i] = expf(values[i] - largest);
        sum += values[i];
    }
    for (int i = 0; i < count; ++i) {
        values[i] /= sum;
    }
}

static void attend(const head_t *h, int t, float *out)
{
    float *weights = h->weights + (size_t) t * (size_t) h->context;
    const float *query = h->query + (size_t) t * h->qkv_stride;
    for (int i = 0; i <= t; ++i) {
        weights[i] = h->scale * dot(query, h->key + (size_t) i * h->qkv_stride, h->width);
    }
    softmax(weights, t + 1);
    memset(out, 0, (size_t) h->width * sizeof(*out));
    for (int i = 0; i <= t; ++i) {
        add_scaled(out, weights[i], h->value + (size_t) i * h->qkv_stride, h->width);
    }
}

void gpt2_attention(float *out, float *weights, const float *qkv, int batch, int context,
                    int channels, int heads)
{
#pragma omp parallel for
    for (int number = 0; number < batch * heads; ++number) {
        const head_t h = head_of(qkv, weights, context, channels, heads, number);
        for (int t = 0; t < context; ++t) {
            attend(&h, t, out + h.out_begin + (size_t) t * h.out_stride);
        }
    }
}

/* d_query, d_key and d_value are where query, key and value are, in the array of their gradients.
 */
static void attend_backward(const head_t *h, int t, const float *d_out, float *d_query,
                            float *d_key, float *d_value)
{
    const float *weights = h->weights + (size_t) t * (size_t) h->context;
    const float *query = h->query + (size_t) t * h->qkv_stride;
    float d_weights[GPT2_MAX_CONTEXT];
    float weighted = 0.0f;
    for (int i = 0; i <= t; ++i) {
        const size_t row = (size_t) i * h->qkv_stride;
        d_weights[i] = dot(d_out, h->value + row, h->width);
        weighted += weights[i] * d_weights[i];
        add_scaled(d_value + row, weights[i], d_out, h->width);
    }
    for (int i = 0; i <= t; ++i) {
        const size_t row = (size_t) i * h->qkv_stride;
        const float d_score = h->scale * weights[i] * (d_weights[i] - weighted);
        add_scaled(d_query + (size_t) t * h->qkv_stride, d_score, h->key + row, h->width);
        add_scaled(d_key + row, d_score, query, h->width);
    }
}

void gpt2_attention_backward(float *d_qkv, const float *d_out, const float *weights,
                             const float *qkv, int batch, int context, int channels, int heads)
{
#pragma omp parallel for
    for (int number = 0; number < batch * heads; ++number) {
        const head_t h = head_of(qkv, weights, context, channels, heads, number);
        float *d_query = d_qkv + (h.query - qkv);
        for (int t = 0; t < context; ++t) {
            for (int part = 0; part < 3; ++part) {
                memset(d_query + (size_t) t * h.qkv_stride + (size_t) part * (size_t) channels, 0,
                       (size_t) h.width * sizeof(*d_query));
            }
        }
        for (int t = 0; t < context; ++t) {
            attend_backward(&h, t, d_out + h.out_begin + (size_t) t * h.out_stride, d_query,
                            d_query + channels, d_query + 2 * channels);
        }
    }
}
