#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A real Slurm on the hosts of a virtual cluster that is up: its controller on h0, a daemon on each
# host. Jobs are started by srun, so processes meet by Slurm's PMIx server instead of PRRTE's.
set -euo pipefail

usage() {
    cat <<'END'
usage: test/slurm.sh check                is there a Slurm here?
       test/slurm.sh with COMMAND...      start its daemons, run COMMAND on this machine, end them
       test/slurm.sh run --np N [OPTION OF MPIRUN...] -- PROGRAM ARGUMENT...
                                          srun, the ranks dealt to the hosts one by one
The virtual cluster is $VCLUSTER_NAME: test/vcluster with --hosts 2 --paths 4 --rate none --
test/slurm.sh with COMMAND. Of mpirun's options --mca NAME VALUE and -x NAME[=VALUE] are known.
END
}

vcluster=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/vcluster
patience=30 # seconds until all hosts are idle
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

die() {
    echo "slurm.sh: $*" >&2
    exit 1
}

command_check() {
    local program
    for program in slurmctld slurmd srun sinfo; do
        command -v "$program" >/dev/null || die "there is no $program"
    done
    "$vcluster" check
}

# on HOST COMMAND...
on() {
    "$vcluster" on "$1" -- "${@:2}"
}

# write_configuration FOLDER: everything that Slurm keeps is there.
write_configuration() {
    local folder=$1 host
    (umask 077 && head -c 1024 /dev/urandom >"$folder/slurm.key")
    # What a virtual host may use belongs to the whole machine.
    echo "CgroupPlugin=disabled" >"$folder/cgroup.conf"
    cat >"$folder/slurm.conf" <<END
ClusterName=vcluster
SlurmctldHost=h0
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/slurm
CredType=cred/slurm
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
END
    for host in "${hosts[@]}"; do
        echo "NodeName=$host CPUs=8 State=UNKNOWN" >>"$folder/slurm.conf"
    done
    mkdir "$folder/state"
}

all_idle() {
    [[ $(on h0 sinfo --noheader --format '%T %D' 2>/dev/null || true) == "idle ${#hosts[@]}" ]]
}

start_daemons() {
    local host tries
    on h0 slurmctld -D >>"$SLURM_CONF.out" 2>&1 &
    for host in "${hosts[@]}"; do
        on "$host" slurmd -D -N "$host" >>"$SLURM_CONF.out" 2>&1 &
    done
    for ((tries = 0; tries < 2 * patience; tries++)); do
        ! all_idle || return 0
        sleep 0.5
    done
    tail -n 20 "$SLURM_CONF.out" "${SLURM_CONF%/*}"/*.log >&2 || true
    die "after $patience s not all hosts are idle"
}

end_daemons() {
    local tries
    on h0 scontrol shutdown >/dev/null 2>&1 || true
    for ((tries = 0; tries < 100; tries++)); do
        [[ -n $(jobs -rp) ]] || break
        sleep 0.1
    done
    # shellcheck disable=SC2046
    kill $(jobs -rp) 2>/dev/null || true
    wait
    rm -rf "${SLURM_CONF%/*}"
}

command_with() {
    local folder status=0
    mapfile -t hosts < <(on h0 cat /etc/hosts | grep -oE ' h[0-9]+$' | tr -d ' ')
    folder=$(mktemp -d)
    export SLURM_CONF=$folder/slurm.conf
    trap end_daemons EXIT
    write_configuration "$folder"
    start_daemons
    [[ $(on h0 srun --mpi=list 2>&1 || true) == *pmix* ]] || die "this srun knows no PMIx"
    "$@" || status=$?
    return "$status"
}

command_run() {
    local ranks='' environment=()
    while [[ $# -gt 0 && $1 != -- ]]; do
        case $1 in
            --np) ranks=$2; shift ;;
            --mca) environment+=("OMPI_MCA_$2=$3"); shift 2 ;;
            -x) [[ $2 != *=* ]] || environment+=("$2"); shift ;; # srun hands on what there is
            *) die "srun has nothing like mpirun's option $1" ;;
        esac
        shift
    done
    [[ -n $ranks && ${1:-} == -- ]] || { usage >&2; exit 2; }
    # Distributions restrict the tcp BTL to the loopback interface.
    export OMPI_MCA_btl_tcp_if_include=${OMPI_MCA_btl_tcp_if_include-eth0,eth1,eth2,eth3}
    exec env "${environment[@]}" "$vcluster" on h0 -- srun --mpi=pmix --ntasks "$ranks" \
        --nodes "$((ranks < 2 ? 1 : 2))" --distribution cyclic --overcommit --kill-on-bad-exit=1 \
        "${@:2}"
}

case ${1:-} in
    check | with | run) verb=$1; shift; "command_$verb" "$@" ;;
    -h | --help) usage ;;
    *) usage >&2; exit 2 ;;
esac
