/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads file-local integers of a loaded shared library: Open MPI keeps the number of its progress
 * functions in one, and offers no call that tells it.
 */
#define _GNU_SOURCE
#include "symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *library;
    const char *name;
    int *value;
    bool found;
} search_t;

/* The address of a data object relative to the load address, or 0. */
static ElfW(Addr) find_in_image(const char *image, size_t length, const char *name, size_t *size)
{
    const ElfW(Ehdr) *header = (const void *) image;
    if (length < sizeof(*header) || 0 != memcmp(header->e_ident, ELFMAG, SELFMAG)
        || header->e_shoff + (size_t) header->e_shnum * sizeof(ElfW(Shdr)) > length) {
        return 0;
    }
    const ElfW(Shdr) *sections = (const void *) (image + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
        if (SHT_SYMTAB != sections[i].sh_type || sections[i].sh_link >= header->e_shnum) {
            continue;
        }
        const ElfW(Sym) *symbols = (const void *) (image + sections[i].sh_offset);
        const char *strings = image + sections[sections[i].sh_link].sh_offset;
        const size_t count = sections[i].sh_size / sizeof(ElfW(Sym));
        for (size_t k = 0; k < count; ++k) {
            if (0 == strcmp(strings + symbols[k].st_name, name)) {
                *size = symbols[k].st_size;
                return symbols[k].st_value;
            }
        }
    }
    return 0;
}

static ElfW(Addr) find_in_file(const char *path, const char *name, size_t *size)
{
    ElfW(Addr) address = 0;
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    if (0 == fstat(fd, &st)) {
        void *image = mmap(NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (MAP_FAILED != image) {
            address = find_in_image(image, (size_t) st.st_size, name, size);
            munmap(image, (size_t) st.st_size);
        }
    }
    close(fd);
    return address;
}

static int visit_library(struct dl_phdr_info *info, size_t length, void *context)
{
    search_t *search = context;
    (void) length;
    if (NULL == strstr(info->dlpi_name, search->library)) {
        return 0;
    }
    size_t size = 0;
    const ElfW(Addr) offset = find_in_file(info->dlpi_name, search->name, &size);
    const char *object = (const char *) info->dlpi_addr + offset;
    if (0 != offset && sizeof(int) == size) {
        memcpy(search->value, object, sizeof(int));
        search->found = true;
    } else if (0 != offset && sizeof(size_t) == size) {
        size_t value;
        memcpy(&value, object, sizeof(value));
        *search->value = (int) value;
        search->found = true;
    }
    return 1;
}

bool bench_symbol_int(const char *library, const char *name, int *value)
{
    search_t search = {.library = library, .name = name, .value = value, .found = false};
    dl_iterate_phdr(visit_library, &search);
    return search.found;
}
