/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The layers of the model, forward and backward. Activations are matrices with a row per position
 * of every sequence of the batch.
 *
 * Backward functions store gradients, they do not add to what was there before, unless their name
 * says so; so nothing has to be zeroed, and a buffer that an exchange has filled with sums can take
 * the next gradients at once. Each number is computed by one thread in a fixed order: the results
 * are the same for any number of threads (with a CBLAS, as far as it keeps to that).
 */
#ifndef GPT2_LAYERS_H
#define GPT2_LAYERS_H

/* ---- embedding.c: tokens and their positions, the input of the model ---- */

/* out[b, t] = embedding of inputs[b, t] + embedding of position t. */
void gpt2_embed(float *out, const int *inputs, const float *tokens, const float *positions,
                int batch, int context, int channels);

/* Sums over the batch; rows from context to all_positions get zeros. */
void gpt2_embed_backward_positions(float *d_positions, const float *d_out, int batch, int context,
                                   int all_positions, int channels);

/* Adds, because the output layer has stored its share of the gradient there already. */
void gpt2_embed_backward_tokens_add(float *d_tokens, const float *d_out, const int *inputs,
                                    int rows, int channels);

/* ---- norm.c: each row to mean 0 and deviation 1, then scaled and shifted ---- */

/* Keeps mean and reciprocal deviation of each row for the backward pass. */
void gpt2_norm(float *out, float *means, float *deviations, const float *in, const float *scale,
               const float *shift, int rows, int channels);

/* d_in: added to, because a residual connection leads past every norm. */
void gpt2_norm_backward_add(float *d_in, float *d_scale, float *d_shift, const float *d_out,
                            const float *in, const float *scale, const float *means,
                            const float *deviations, int rows, int channels);

/* ---- linear.c: out = in * weight^T + bias; weight has a row per output channel ---- */

/* bias may be NULL. */
void gpt2_linear(float *out, const float *in, const float *weight, const float *bias, int rows,
                 int in_channels, int out_channels);

/* d_bias may be NULL, if there is none. */
void gpt2_linear_backward(float *d_in, float *d_weight, float *d_bias, const float *d_out,
                          const float *in, const float *weight, int rows, int in_channels,
                          int out_channels);

/* ---- attention.c: of each position to itself and those before it, in several heads ---- */

/* qkv: query, key and value, channels each, per row. weights: batch, heads, context, context. */
void gpt2_attention(float *out, float *weights, const float *qkv, int batch, int context,
                    int channels, int heads);

void gpt2_attention_backward(float *d_qkv, const float *d_out, const float *weights,
                             const float *qkv, int batch, int context, int channels, int heads);

/* ---- pointwise.c ---- */

/* The activation function of GPT-2, by its approximation with tanh. */
void gpt2_gelu(float *out, const float *in, long count);

/* In place: d holds the gradient of the output before, of the input after. */
void gpt2_gelu_backward(float *d, const float *in, long count);

/* out = a + b. */
void gpt2_add(float *out, const float *a, const float *b, long count);

/* ---- loss.c ---- */

/*
 * The mean over all rows of the negative logarithm of the probability that the logits give to the
 * target. The logits are replaced by their gradient. losses: scratch, one per row.
 */
double gpt2_loss(float *logits, float *losses, const int *targets, int rows, int vocabulary);

#endif
