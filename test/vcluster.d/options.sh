# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# vcluster: command line options and the checks of their values.

# Sets opt_hosts, opt_paths, ... from the options that every command may share; what is left goes
# to opt_rest.  $1 lists the options that the command knows, as " --hosts --paths ".
parse_options() {
    local known=$1 option value
    shift
    opt_hosts='' opt_paths='' opt_rate='' opt_mtu=9000 opt_name=${VCLUSTER_NAME:-vc} opt_named=''
    opt_path='' opt_host='' opt_replace='' opt_all=''
    opt_rest=()
    while [[ $# -gt 0 ]]; do
        option=$1
        case $option in
            --) shift; break ;;
            -*) ;;
            *) break ;;
        esac
        shift
        value=''
        if [[ $option == --*=* ]]; then
            value=${option#*=}
            option=${option%%=*}
        fi
        [[ $known == *" $option "* ]] || usage_error "unknown option $option"
        case $option in
            --replace | --all)
                printf -v "opt_${option#--}" yes
                continue ;;
        esac
        if [[ -z $value ]]; then
            [[ $# -gt 0 ]] || usage_error "$option needs a value"
            value=$1
            shift
        fi
        printf -v "opt_${option#--}" '%s' "$value"
        [[ $option != --name ]] || opt_named=yes
    done
    opt_rest=("$@")
    check_name "$opt_name"
}

check_name() {
    [[ $1 =~ ^[a-z][a-z0-9-]{0,31}$ ]] ||
        usage_error "'$1' is no name for a cluster: a small letter, then small letters, digits" \
            "and hyphens, 32 at most"
}

# check_number WHAT VALUE MIN MAX
check_number() {
    [[ -n $2 ]] || usage_error "$1 is missing"
    [[ $2 =~ ^[0-9]{1,7}$ ]] && ((10#$2 >= $3 && 10#$2 <= $4)) ||
        usage_error "$1 must be a number from $3 to $4, not '$2'"
}

check_rate() {
    [[ -n $1 ]] || usage_error "the rate is missing (250mbit, 1gbit, none, ...)"
    [[ $1 == none ]] || rate_in_kbit "$1" >/dev/null ||
        usage_error "'$1' is no rate: a whole number with kbit, mbit or gbit," \
            "from 64kbit to 100gbit, or none"
}

# Prints a rate like 250mbit in kbit/s.
rate_in_kbit() {
    local number factor
    [[ $1 =~ ^([0-9]{1,9})([kmg])bit$ ]] || return 1
    number=$((10#${BASH_REMATCH[1]}))
    case ${BASH_REMATCH[2]} in
        k) factor=1 ;;
        m) factor=1000 ;;
        g) factor=1000000 ;;
    esac
    number=$((number * factor))
    ((number >= 64 && number <= 100000000)) || return 1
    echo "$number"
}

# The options of a new cluster.
check_shape() {
    check_number --hosts "$opt_hosts" 1 "$VC_MAX_HOSTS"
    check_number --paths "$opt_paths" 1 "$VC_MAX_PATHS"
    check_number --mtu "$opt_mtu" 1280 65535
    check_rate "$opt_rate"
    opt_hosts=$((10#$opt_hosts)) opt_paths=$((10#$opt_paths)) opt_mtu=$((10#$opt_mtu))
}

# Prints the number of the host that $1 (h3, or 3) names, of the $2 that there are.
host_number() {
    local number=${1#h}
    [[ $number =~ ^[0-9]{1,3}$ ]] && ((10#$number < $2)) ||
        usage_error "there is no host '$1': the cluster has h0 to h$(($2 - 1))"
    echo $((10#$number))
}

# Prints the number of the path that $1 (2, or eth2) names, of the $2 that there are.
path_number() {
    local number=${1#eth}
    [[ -n $1 ]] || usage_error "--path is missing"
    [[ $number =~ ^[0-9]{1,3}$ ]] && ((10#$number < $2)) ||
        usage_error "there is no path '$1': the cluster has 0 to $(($2 - 1))"
    echo $((10#$number))
}
