# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# vcluster: commands on hosts.  Each 'run' or 'on' is a PID namespace inside the cluster's; it ends,
# with all that it started on any host, when its first process does or when the calling process is
# killed.  Within it each host gets a mount namespace of its own: /dev/shm, which holds the session
# directories and the shared memory of MPI, /sys with the host's own interfaces, and /etc/hosts.

# start_job HOST COMMAND...: becomes COMMAND on a host.
start_job() {
    local host=$1
    shift
    set_enter
    # The kernel ends the job's PID namespace with the process that is ours; if that one is gone
    # before the kernel was told, the parent is no longer outside the namespace (0).
    # shellcheck disable=SC2016
    exec "${vc_enter[@]}" --mount --root --wd --pid -- setpriv --pdeathsig KILL \
        "$BASH" -c '((PPID == 0)) && exec "$@"' _ \
        unshare --pid --fork --kill-child --mount --propagation slave -- \
        "$BASH" "$VC_PROGRAM" _job "$vc_hosts" "$vc_paths" "$host" "$PWD" "$@"
}

# The first process of a job: HOSTS PATHS HOST DIRECTORY COMMAND...
inner_job() {
    [[ $$ -eq 1 ]] || usage_error "_job is not for users"
    mount -t proc -o nosuid,nodev,noexec proc /proc
    export VCLUSTER_HOSTS=$1 VCLUSTER_PATHS=$2
    local status=0
    # Not exec: the first process must collect the orphans of all the others.
    enter_host "$3" "$4" "${@:5}" || status=$?
    exit "$status"
}

# enter_host HOST DIRECTORY COMMAND...: from any process of a job.
enter_host() {
    nsenter --target 1 --mount --root --wd --net="/proc/1/root$VC_NET/h$1" -- \
        unshare --mount --uts --propagation slave -- "$BASH" "$VC_PROGRAM" _host "$@"
}

# The same on the host.
inner_host() {
    local host=$1 directory=$2
    shift 2
    hostname "h$host"
    # Some shells export it.
    [[ -z ${HOSTNAME+set} ]] || HOSTNAME=h$host
    mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /sys ||
        die "cannot mount /sys for host h$host (a container that hides parts of /sys?)"
    mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$VC_SHM"
    mkdir -p "$VC_SHM/.vcluster/empty"
    mount_hosts
    # The launcher splits the agent's name at blanks, which the path of this program may have.
    printf '#!%s\nexec %q %q _rsh "$@"\n' "$BASH" "$BASH" "$VC_PROGRAM" >"$VC_SHM/.vcluster/rsh"
    chmod 755 "$VC_SHM/.vcluster/rsh"
    cd "$directory" 2>/dev/null || cd /
    exec "$@"
}

# Mounts the names of all hosts over /etc/hosts.
mount_hosts() {
    local copy=$VC_SHM/.vcluster/etc
    if [[ ! -f /etc/hosts ]]; then
        # A minimal system without one: a copy of /etc that has it.  What this user cannot read,
        # nobody here needs.
        mkdir "$copy"
        cp -a /etc/. "$copy" 2>/dev/null || true
        : >"$copy/hosts"
        mount --bind "$copy" /etc
    fi
    print_hosts >"$VC_SHM/.vcluster/hosts"
    mount --bind "$VC_SHM/.vcluster/hosts" /etc/hosts
}

# The names of all hosts; hH-ethP is host H on path P.
print_hosts() {
    local host path
    echo "127.0.0.1 localhost"
    for ((host = 0; host < VCLUSTER_HOSTS; host++)); do
        for ((path = 0; path < VCLUSTER_PATHS; path++)); do
            ((path > 0)) || echo "10.77.0.$((host + 1)) h$host"
            echo "10.77.$path.$((host + 1)) h$host-eth$path"
        done
    done
}

# What mpirun takes for ssh: HOST WORD...  Like ssh, it hands the words to a shell as one line.
inner_rsh() {
    while [[ ${1:-} == -* ]]; do
        shift
    done
    local host
    host=$(host_number "$1" "$VCLUSTER_HOSTS")
    shift
    enter_host "$host" "$PWD" sh -c "$*"
}

# Ends with a message unless mpirun is Open MPI's, version 5 or later.
check_mpirun() {
    local version
    command -v mpirun >/dev/null ||
        die "there is no mpirun on PATH: first '. ./env.sh' of the build tree, or put Open MPI" \
            "5 or later on PATH"
    version=$(export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        mpirun --version 2>&1) || true
    [[ $version =~ \(Open\ MPI\)\ ([0-9]+)\. ]] ||
        die "$(command -v mpirun) is not Open MPI's: ${version%%$'\n'*}"
    ((BASH_REMATCH[1] >= 5)) ||
        die "$(command -v mpirun) is of Open MPI ${BASH_REMATCH[1]}; version 5 or later is needed"
}

# The environment in which mpirun and its daemons find the hosts; what the caller has set wins,
# but for the launcher.
export_job_environment() {
    local variable
    # A batch system around us would take over the launch.
    for variable in ${!SLURM_@} ${!PBS_@} ${!LSB_@} ${!FLUX_@}; do
        unset "$variable"
    done
    export PRTE_MCA_plm=ssh PRTE_MCA_plm_ssh_agent=$VC_SHM/.vcluster/rsh
    export PRTE_MCA_plm_ssh_no_tree_spawn=1
    export PRTE_MCA_prte_if_include=${PRTE_MCA_prte_if_include:-eth0}
    export PRTE_MCA_prte_tmpdir_base=$VC_SHM PMIX_SYSTEM_TMPDIR=$VC_SHM PMIX_SERVER_TMPDIR=$VC_SHM
    export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
    # The hosts share a kernel, so UCX would use shared memory between them.
    export UCX_TLS=${UCX_TLS:-tcp,self}
    # Open MPI 5.0.7 crashes when it hands an empty value on to its daemons; a path of one empty
    # folder means the same.
    if [[ -z ${PMIX_MCA_mca_base_component_path-set} ]]; then
        export PMIX_MCA_mca_base_component_path=$VC_SHM/.vcluster/empty
    fi
    # Distributions restrict the tcp BTL to the loopback interface.
    if [[ -z ${OMPI_MCA_btl_tcp_if_include+set}${OMPI_MCA_btl_tcp_if_exclude+set} ]]; then
        OMPI_MCA_btl_tcp_if_include=$(interface_list)
        export OMPI_MCA_btl_tcp_if_include
    fi
    # Also without root: inside a user namespace its user is root.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# Prints eth0,eth1,...
interface_list() {
    local path list=''
    for ((path = 0; path < vc_paths; path++)); do
        list+=,eth$path
    done
    echo "${list#,}"
}

# Prints the value of mpirun's --host, from the slots of each host.
host_list() {
    local host=0 slots list=''
    for slots; do
        list+=",h$host:$slots"
        host=$((host + 1))
    done
    echo "${list#,}"
}

# place_listed LIST: sets np, slots and mapping for so many ranks on each host, 3,4,4,5; ranks of a
# host are neighbours.
place_listed() {
    local count total=0
    [[ $1 =~ ^[0-9]+(,[0-9]+)*$ ]] ||
        usage_error "--host-ranks wants a number of ranks for each host, such as 3,4,4,5, not '$1'"
    IFS=, read -r -a slots <<<"$1"
    ((${#slots[@]} <= vc_hosts)) ||
        usage_error "--host-ranks names ${#slots[@]} hosts: the cluster has $vc_hosts"
    for count in "${slots[@]}"; do
        check_number --host-ranks "$count" 1 1024
        total=$((total + 10#$count))
    done
    np=$total mapping=slot:OVERSUBSCRIBE
}

# place_even: the same for --ppn, the same number on every host, and for --np or nothing, where ranks
# go round the hosts.
place_even() {
    local used=$vc_hosts host
    if [[ -n $ppn ]]; then
        check_number --ppn "$ppn" 1 1024
        np=$((vc_hosts * ppn))
        mapping=ppr:$ppn:node:OVERSUBSCRIBE
    else
        np=${np:-$vc_hosts}
        check_number --np "$np" 1 65536
        ((np >= used)) || used=$np
        ppn=$(((np + used - 1) / used))
        mapping=node:OVERSUBSCRIBE
    fi
    for ((host = 0; host < used; host++)); do
        slots+=("$ppn")
    done
}

command_run() {
    local np='' ppn='' listed='' mapping=''
    local -a options=() slots=()
    opt_name=${VCLUSTER_NAME:-vc}
    while [[ $# -gt 0 && $1 != -- ]]; do
        case $1 in
            --name | --np | -np | -n | --ppn | --host-ranks)
                [[ $# -ge 2 && $2 != -- ]] || usage_error "$1 needs a value" ;;&
            --name) opt_name=$2; shift ;;
            --np | -np | -n) np=$2; shift ;;
            --ppn) ppn=$2; shift ;;
            --host-ranks) listed=$2; shift ;;
            # What the caller has set wins.
            --shared) export UCX_TLS=${UCX_TLS:-tcp,sm,self} ;;
            *) options+=("$1") ;;
        esac
        shift
    done
    [[ $# -ge 2 ]] || usage_error "'run' needs -- and a program behind it"
    shift
    check_name "$opt_name"
    [[ -z $np || -z $ppn ]] || usage_error "--np and --ppn exclude each other"
    [[ -z $listed || -z $np$ppn ]] || usage_error "--host-ranks excludes --np and --ppn"
    need_cluster "$opt_name"
    check_mpirun
    if [[ -n $listed ]]; then place_listed "$listed"; else place_even; fi
    has_option --map-by "${options[@]}" || options+=(--map-by "$mapping")
    # Every host believes that it has the whole machine: pinned, all would share its first core.
    has_option --bind-to "${options[@]}" || options+=(--bind-to none)
    # One session for all hosts.  Where each has its own share of the processors (see vcluster.md,
    # sched_autogroup_enabled), a host that yields would yield to itself.
    options+=(--leave-session-attached)
    export_job_environment
    # The two exclude each other.
    ! has_option btl_tcp_if_exclude "${options[@]}" || unset OMPI_MCA_btl_tcp_if_include
    start_job 0 mpirun --host "$(host_list "${slots[@]}")" --np "$np" "${options[@]}" "$@"
}

# has_option NAME WORD...
has_option() {
    local word
    for word in "${@:2}"; do
        [[ $word != "$1" && $word != "$1"=* ]] || return 0
    done
    return 1
}

command_on() {
    parse_options ' --name ' "$@"
    [[ ${#opt_rest[@]} -ge 1 ]] || usage_error "'on' needs a host and a command"
    need_cluster "$opt_name"
    local host
    host=$(host_number "${opt_rest[0]}" "$vc_hosts")
    set -- "${opt_rest[@]:1}"
    [[ ${1:-} != -- ]] || shift
    [[ $# -ge 1 ]] || usage_error "'on' needs a command"
    start_job "$host" "$@"
}
