/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known, as plain records without pointers, so that they travel between processes as they
 * are: all processes of a job have the same byte order and the same version of this program.
 */
#ifndef TOOLS_FACTS_H
#define TOOLS_FACTS_H

#include <stdbool.h>

enum {
    INFO_WORD = 64,   /**< a name or a version */
    INFO_LINE = 256,  /**< a list of names */
    INFO_FILE = 1024, /**< the name of a file with its folders; longer ones are cut off */
    INFO_TEXT = 768,  /**< sentences */
    INFO_MEETS = 32 * (2 * INFO_WORD + 2) /**< the paths of a pair, each by its two devices */
};

typedef enum info_severity_t {
    INFO_NOTE,     /**< good to know */
    INFO_ATTENTION /**< costs speed, or does not work; decides the exit status */
} info_severity_t;

/** Something to tell the user. */
typedef struct info_finding_t {
    info_severity_t severity;
    char what[INFO_TEXT];
    char todo[INFO_TEXT]; /**< what to do about it, or empty */
} info_finding_t;

/** Where a component was found, and what became of it. */
typedef enum info_load_t {
    INFO_LOAD_UNKNOWN,    /**< it could not be found out */
    INFO_LOAD_MISSING,    /**< there is no file of it */
    INFO_LOAD_OFF_PATH,   /**< there is one, in a folder where Open MPI does not look */
    INFO_LOAD_BROKEN,     /**< the file cannot be loaded */
    INFO_LOAD_MISFIT,     /**< it declines: another Open MPI or UCX, an impossible variable */
    INFO_LOAD_EXCLUDED,   /**< the user has told Open MPI to use others */
    INFO_LOAD_UNUSED,     /**< loaded, but not chosen */
    INFO_LOAD_USED
} info_load_t;

typedef struct info_component_t {
    info_load_t load;
    char file[INFO_FILE];
    char why[INFO_TEXT]; /**< BROKEN: the linker's words; MISFIT: the component's */
} info_component_t;

/** A network device of a host, whether UCX has it or not. */
typedef struct info_device_t {
    char name[INFO_WORD];
    char kind[INFO_WORD];       /**< tcp, rdma */
    char transports[INFO_LINE]; /**< of UCX */
    char network[INFO_WORD];    /**< 10.0.0.0/24, or empty */
    char address[INFO_WORD];    /**< 10.0.0.1, or empty */
    char why_not[INFO_LINE];    /**< empty for a device that has a path */
    char speed[INFO_WORD];      /**< as the kernel says, or empty */
    int slow;                   /**< beside the fastest of the process */
    int reason;                 /**< mca_part_ucx_use_t, or -1: the component does not know it */
    int first_path;             /**< -1 without path */
    int paths;
    int distance;               /**< 0 near to 100 far; -1 not known */
    int numa_node;              /**< -1 not known */
    int relaxed_ordering;       /**< of the PCIe device: 1 on, 0 off, -1 not known */
} info_device_t;

/** One process. */
typedef struct info_process_t {
    int rank;
    int host;      /**< index of its host */
    int processes; /**< of the job, on this host */
    char host_name[INFO_WORD];

    char mpi_version[INFO_WORD];
    char mpi_library[INFO_FILE];
    char ucx_version[INFO_WORD]; /**< empty: there is none */
    char ucx_library[INFO_FILE];
    char built_for_mpi[INFO_WORD];
    char built_for_ucx[INFO_WORD];
    char package[INFO_WORD];     /**< version of the component */
    int wire;                    /**< version of its messages, 0 unknown */
    info_component_t part;
    info_component_t coll;
    char failover[INFO_WORD];    /**< of part/ucx in use: on or off */
    char part_in_use[INFO_WORD]; /**< name of the part component, or empty */
    char pml_in_use[INFO_WORD];
    char persistent[INFO_WORD];  /**< mode of coll/pschedule for MPI's persistent collectives */
    char persistent_trial[INFO_WORD]; /**< in mode auto: starts before others are tried, and whether
                                       * sums of rounded numbers are, too */
    int persistent_tried;        /**< 1 it makes one, 0 another component does, -1 not tried */
    bool works;                  /**< a transfer to itself was right */

    int devices;                 /**< records that follow */
    int paths;                   /**< network paths */
    bool has_shared;
    char ucx_transports[INFO_LINE]; /**< UCX_TLS, also of ucx.conf; empty: all */
    char ucx_devices[INFO_LINE];    /**< UCX_NET_DEVICES likewise */
    char shared[INFO_LINE];      /**< transports of shared memory */
    int cma_tried;               /**< 1 works, 0 does not, -1 nobody to try with */
    int ptrace_scope;            /**< of Yama, -1 without it */
    long long shm_size;          /**< bytes of /dev/shm, -1 without it */
    long long shm_free;
    long long memlock;           /**< soft limits, -1 unlimited */
    long long files;
    int processors;              /**< that it may run on */
    char numa_nodes[INFO_WORD];  /**< where these are, "0-1" */

    int findings;                /**< records that follow the devices */
} info_process_t;

/** How two processes reach each other, as the receiver sees it. */
typedef struct info_pair_t {
    int from;
    int to;
    bool tried;                 /**< false: one of the two does not use part/ucx */
    bool works;                 /**< a request over all its paths ends */
    int paths;
    char kind[INFO_WORD];       /**< shared memory, tcp, rdma */
    char meets[INFO_MEETS];     /**< "eth0-eth0 eth1-eth2": devices of sender and receiver */
    char dead[INFO_MEETS];      /**< those of them over which nothing connects */
    char transports[INFO_LINE];
    bool chosen;                /**< UCX has chosen these, else it may */
    char delivery[INFO_LINE];
    char problem[INFO_TEXT];    /**< if it does not work */
} info_pair_t;

/** A bandwidth. */
typedef struct info_rate_t {
    int from;
    int to;
    int path;            /**< which of the pair, -1 all together */
    char name[INFO_WORD]; /**< device of the sender */
    double bytes;        /**< per second; 0: nothing arrived */
    bool dead;           /**< nothing connects, so nothing was tried */
} info_rate_t;

#endif /* TOOLS_FACTS_H */
