/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of matrices: the CBLAS that configure has found, or gemm_plain.c.
 */
#include "gemm.h"

#if defined(GPT2_HAVE_CBLAS) && GPT2_HAVE_CBLAS

#    include <cblas.h>
#    include <stdio.h>

static bool use_plain;

/* One that does not know a processor takes kernels for old ones, which are several times slower. */
static const char *library(void)
{
#    if defined(GPT2_HAVE_OPENBLAS) && GPT2_HAVE_OPENBLAS
    static char text[80];

    snprintf(text, sizeof(text), "OpenBLAS (%s)", openblas_get_corename());
    return text;
#    else
    return "CBLAS";
#    endif
}

static void multiply(const gpt2_product_t *p, const float *a, const float *b, float *c)
{
    const bool a_turned = GPT2_TN == p->transposed;
    const bool b_turned = GPT2_NT == p->transposed;
    cblas_sgemm(CblasRowMajor, a_turned ? CblasTrans : CblasNoTrans,
                b_turned ? CblasTrans : CblasNoTrans, p->rows, p->columns, p->depth, 1.0f, a,
                a_turned ? p->rows : p->depth, b, b_turned ? p->depth : p->columns,
                p->add ? 1.0f : 0.0f, c, p->columns);
}

void gpt2_gemm(const gpt2_product_t *product, const float *a, const float *b, float *c)
{
    if (use_plain) {
        gpt2_gemm_plain(product, a, b, c);
    } else {
        multiply(product, a, b, c);
    }
}

const char *gpt2_gemm_choose(int threads, bool plain)
{
    use_plain = plain;
#    if defined(GPT2_HAVE_OPENBLAS) && GPT2_HAVE_OPENBLAS
    openblas_set_num_threads(plain ? 1 : threads);
#    else
    (void) threads; /* this CBLAS chooses by itself, or by an environment variable of its own */
#    endif
    return plain ? "plain OpenMP" : library();
}

#else

void gpt2_gemm(const gpt2_product_t *product, const float *a, const float *b, float *c)
{
    gpt2_gemm_plain(product, a, b, c);
}

const char *gpt2_gemm_choose(int threads, bool plain)
{
    (void) threads;
    (void) plain;
    return "plain OpenMP";
}

#endif
