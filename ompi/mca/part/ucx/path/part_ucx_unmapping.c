/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is unmapped (see part_ucx_unmapping.h).
 */
#include "path/part_ucx_unmapping.h"

#include "process/part_ucx_log.h"

#include <stdint.h>
#include <string.h>

#include <ucm/api/ucm.h>

#include "ompi/mca/pml/base/base.h"
#include "opal/memoryhooks/memory.h"

enum { NEEDED = OPAL_MEMORY_FREE_SUPPORT | OPAL_MEMORY_MUNMAP_SUPPORT };

static void released(void *memory, size_t bytes, void *unused, bool from_allocator)
{
    (void) unused, (void) from_allocator;
    ucm_vm_munmap(memory, bytes);
}

/* pml/ucx has it told already, unless it is not to. */
static bool is_ours_to_do(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    return 0 != strcmp("ucx", pml) && NEEDED == (NEEDED & opal_mem_hooks_support_level());
}

/* Open MPI forgets whom to tell when all of MPI ends, and refuses to be asked twice before. */
void mca_part_ucx_unmapping_share(void)
{
    if (is_ours_to_do()) {
        ucm_set_external_event(UCM_EVENT_VM_UNMAPPED);
        if (OPAL_SUCCESS == opal_mem_hooks_register_release(released, NULL)) {
            PART_UCX_VERBOSE(1, "Open MPI tells UCX of memory that is unmapped");
            /* Between two lives of MPI nobody has: what is registered may be gone. */
            ucm_vm_munmap(NULL, SIZE_MAX / 2);
        }
    }
}
