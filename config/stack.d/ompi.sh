# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For stack.sh: which Open MPI. The result is ompi_version, ompi_bin (the folder of mpicc) and
# ompi_prefix (empty when its mpicc is the one on PATH).

# The one that is built where none is found. The first sum is that of Debian's source package, whose
# tarball is packed anew, the second that of the upstream release.
ompi_pinned=5.0.7
ompi_suite=trixie
ompi_debian_sum=97f10c04e9b9a1771db3fd005009e4c07afa3ce739f940e41eb0fc7397cb9473
ompi_upstream_sum=119f2009936a403334d0df3c0d74d5595a32d99497f9b1d41e90019fee2fc2dd
ompi_upstream_url=https://download.open-mpi.org/release/open-mpi/v5.0/openmpi-5.0.7.tar.bz2

# PML, BTLs and everything else in the libraries: one file instead of a hundred to open per process.
# OpenSHMEM and I/O are not used here and take most of the time to build; Fortran is on demand.
ompi_options=(--with-devel-headers --with-pmix=internal --with-prrte=internal --disable-mpi-fortran
    --disable-oshmem --disable-io-romio --disable-sphinx --without-ofi --enable-mca-dso=no)
ompi_suffix="" # of the folder's name

# Lines of output of each step when it was measured, for the progress display.
ompi_lines_configure=4290
ompi_lines_make=3270
ompi_lines_install=2780

# choose_fortran: what --fortran changes: the compiler, and how Open MPI is built, and where.
choose_fortran() {
    tool_packages+=(gfortran)
    tool_commands+=(gfortran)
    ompi_options=("${ompi_options[@]/--disable-mpi-fortran/--enable-mpi-fortran=all}")
    ompi_suffix=+fortran
    ompi_lines_make=5360
}

# has_fortran BINDIR: both modules.
has_fortran() {
    local bindings

    bindings=$("$1/ompi_info" --parsable 2>/dev/null | grep '^bindings:use_mpi' | tr -d '"')
    [[ $bindings == *use_mpi:yes* && $bindings == *use_mpi_f08:yes* ]]
}

# mpicc_version MPICC: empty if it is not Open MPI's.
mpicc_version() {
    "$1" --showme:version 2>/dev/null | sed -n 's/.*Open MPI \([^ ]*\) .*/\1/p'
}

# libucp_of BINDIR: the libucp that this Open MPI loads, or nothing.
libucp_of() {
    local libdir pkglibdir file found

    libdir=$("$1/ompi_info" --path libdir --parsable 2>/dev/null | sed -n 's/^path:libdir://p')
    pkglibdir=$("$1/ompi_info" --path pkglibdir --parsable 2>/dev/null |
        sed -n 's/^path:pkglibdir://p')
    for file in "$libdir"/libmpi.so "$libdir"/libopen-pal.so "$pkglibdir"/mca_*ucx*.so; do
        [[ -e $file ]] || continue
        found=$(ldd "$file" 2>/dev/null | sed -n 's/.*libucp\.so.* => \([^ ]*\).*/\1/p') || true
        [[ -z $found ]] || { echo "${found%%$'\n'*}"; return 0; }
    done
}

# ompi_problem MPICC: why this installation cannot be used; prints nothing when it can.
ompi_problem() {
    local mpicc=$1 bin version headers

    bin=$(dirname "$mpicc")
    version=$(mpicc_version "$mpicc")
    if [[ -z $version ]]; then
        echo "it is not Open MPI"
    elif ! version_at_least "$version" 5; then
        echo "Open MPI $version is older than 5"
    elif [[ ! -x $bin/ompi_info ]]; then
        echo "there is no ompi_info beside it"
    else
        headers=$("$bin/ompi_info" --path pkgincludedir --parsable 2>/dev/null |
            sed -n 's/^path:pkgincludedir://p')
        [[ -r $headers/ompi_config.h ]] || echo "its internal headers are not installed"
    fi
}

# other_ucx BINDIR: succeeds if this Open MPI uses another UCX than the one asked for.
other_ucx() {
    local libucp

    [[ -n $ucx_dir ]] || return 1
    libucp=$(libucp_of "$1")
    [[ -n $libucp && $(readlink -f "$libucp") != "$(readlink -f "$(ucx_libdir)/libucp.so.0")" ]]
}

# try_mpicc MPICC HOW: take this installation if it can be used, else say why not.
try_mpicc() {
    local problem

    problem=$(ompi_problem "$1")
    if [[ -z $problem ]] && other_ucx "$(dirname "$1")"; then
        problem="it uses another UCX than $ucx_dir"
    elif [[ -z $problem ]] && (( want_fortran )) && ! has_fortran "$(dirname "$1")"; then
        problem="it was built without Fortran"
    fi
    if [[ -n $problem ]]; then
        say "$1 ($2) cannot be used: $problem"
        return 1
    fi
    ompi_bin=$(dirname "$1")
    ompi_version=$(mpicc_version "$1")
    ompi_how=$2
}

# ompi_on_path: the first mpicc on PATH that can be used.
ompi_on_path() {
    local mpicc file seen=" "

    while read -r mpicc; do
        # The same program is often there under several names.
        file=$(readlink -f "$mpicc")
        [[ -n $file && $mpicc != "$cache"/* && $seen != *" $file "* ]] || continue
        seen+="$file "
        if try_mpicc "$mpicc" "on PATH"; then
            ompi_prefix=""
            return 0
        fi
    done < <(type -ap mpicc mpicc.openmpi)
    return 1
}

# ompi_from_packages: only where the distribution has one that is new enough, and only with the
# distribution's own UCX, against which it was built.
ompi_from_packages() {
    have_apt && [[ -z $ucx_dir ]] || return 1
    [[ -n $(candidate_version libopenmpi-dev) ]] || refresh_package_lists
    version_at_least "$(candidate_version libopenmpi-dev)" 5 || return 1
    need_packages openmpi-bin libopenmpi-dev libpmix-dev libucx-dev
    hash -r
    ompi_on_path
}

# ompi_stamp: what a built stack was made from; one that was made differently is not used.
ompi_stamp() {
    echo "openmpi $ompi_pinned $ompi_debian_sum"
    echo "ucx $ucx_version ${ucx_dir:-system}"
    echo "options ${ompi_options[*]}"
}

# fetch_debian_source FILE: with an APT configuration of our own, so that the machine's stays as it
# is.
fetch_debian_source() {
    local apt=$temp_dir/apt entry

    [[ $(. /etc/os-release && echo "$ID") == debian ]] && have_apt || return 1
    entry=$(apt_source_entry "$ompi_suite") || return 1
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/source"
    echo "$entry" >"$apt/sources.list"
    (
        cd "$apt/source"
        options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
            -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt"
            -o APT::Sandbox::User="$(id -un)")
        apt-get "${options[@]}" update -qq
        apt-get "${options[@]}" source --download-only -qq "openmpi=$ompi_pinned-*" ||
            apt-get "${options[@]}" source --download-only -qq openmpi
    ) >>"$log_dir/source.log" 2>&1 || return 1
    mv "$apt/source"/openmpi_"$ompi_pinned".orig.tar.* "$1" 2>/dev/null
}

# fetch_upstream_source FILE
fetch_upstream_source() {
    if command -v curl >/dev/null; then
        curl -fsSL --retry 2 -o "$1" "$ompi_upstream_url" >>"$log_dir/source.log" 2>&1
    elif command -v wget >/dev/null; then
        wget -q -O "$1" "$ompi_upstream_url" >>"$log_dir/source.log" 2>&1
    else
        return 1
    fi
}

# source_is_good FILE
source_is_good() {
    local sum

    [[ -r $1 ]] || return 1
    sum=$(sha256sum <"$1")
    [[ ${sum%% *} == "$ompi_debian_sum" || ${sum%% *} == "$ompi_upstream_sum" ]]
}

# fetch_ompi_source: sets ompi_source, a tarball whose sum was checked.
fetch_ompi_source() {
    local fetched=$temp_dir/openmpi.tar how

    mkdir -p "$cache/src"
    for ompi_source in "$cache/src/openmpi_$ompi_pinned.orig.tar.xz" \
                       "$cache/src/openmpi-$ompi_pinned.tar.bz2"; do
        ! source_is_good "$ompi_source" || return 0
    done
    say "fetching the source of Open MPI $ompi_pinned"
    for how in debian upstream; do
        if "fetch_${how}_source" "$fetched" && source_is_good "$fetched"; then
            [[ $how == upstream ]] || ompi_source=$cache/src/openmpi_$ompi_pinned.orig.tar.xz
            mv "$fetched" "$ompi_source"
            return 0
        fi
    done
    die "the source of Open MPI $ompi_pinned could not be fetched, or its sum is wrong
       ($log_dir/source.log). Put $ompi_upstream_url
       into $cache/src by hand and run this again."
}

# need_space MEGABYTES DIR
need_space() {
    local have

    have=$(( $(df -Pk "$2" | awk 'NR == 2 { print $4 }') / 1024 ))
    (( have >= $1 )) ||
        die "building Open MPI needs $1 MB in $2, there are $have"
}

# build_ompi PREFIX: into a folder of its own, moved to PREFIX only when it is complete.
build_ompi() {
    local prefix=$1 build=$temp_dir/build root=$temp_dir/root ucx=(--with-ucx) name

    name=$(basename "$prefix")
    need_space 1500 "$cache"
    need_packages g++ perl libevent-dev zlib1g-dev xz-utils bzip2
    need_commands gcc make perl tar
    fetch_ompi_source
    say "building Open MPI $ompi_pinned for UCX $ucx_version in 4 steps; on 2 cores it takes 5 min"
    # The libraries must find this UCX again, and before the system's.
    [[ -z $ucx_dir ]] || ucx=("--with-ucx=$ucx_dir" "LDFLAGS=-Wl,-rpath,$(ucx_libdir)")
    mkdir -p "$build"
    run_step "[1/4] unpack" 1 "$log_dir/$name-unpack.log" \
        tar -xf "$ompi_source" --strip-components=1 -C "$build"
    run_step "[2/4] configure" "$ompi_lines_configure" "$log_dir/$name-configure.log" \
        env -C "$build" ./configure "--prefix=$prefix" "${ompi_options[@]}" "${ucx[@]}"
    run_step "[3/4] make" "$ompi_lines_make" "$log_dir/$name-make.log" \
        make -C "$build" -j"$(nproc)"
    run_step "[4/4] install" "$ompi_lines_install" "$log_dir/$name-install.log" \
        make -C "$build" install "DESTDIR=$root"
    ompi_stamp >"$root$prefix/mpix-stack.stamp"
    rm -rf "$prefix"
    mkdir -p "$(dirname "$prefix")"
    mv "$root$prefix" "$prefix"
    rm -rf "$build" "$root"
}

# stack_is_built PREFIX
stack_is_built() {
    [[ $(cat "$1/mpix-stack.stamp" 2>/dev/null) == "$(ompi_stamp)" ]]
}

# current_suits NAME: "current", where configure looks, is the stack for the system's UCX without
# Fortran, or another one as long as there is none such.
current_suits() {
    local link=$cache/stack/current

    [[ $(readlink "$link" 2>/dev/null) == "$1" ]] || [[ -n $ucx_dir$ompi_suffix && -e $link ]]
}

# make_current NAME: replaced in one step, so that it always leads somewhere.
make_current() {
    current_suits "$1" && return 0
    lock_cache
    current_suits "$1" && return 0
    ln -s "$1" "$temp_dir/current"
    mv -T "$temp_dir/current" "$cache/stack/current"
}

# ompi_from_cache: the stack that was built earlier, or is built now.
ompi_from_cache() {
    local prefix=$cache/stack/openmpi-$ompi_pinned+ucx-$ucx_version$ompi_suffix

    if ! stack_is_built "$prefix"; then
        lock_cache
        # Another stack.sh may have built it while this one waited.
        stack_is_built "$prefix" || build_ompi "$prefix"
    fi
    try_mpicc "$prefix/bin/mpicc" "built by stack.sh" || return 1
    ompi_prefix=$prefix
    make_current "$(basename "$prefix")"
}
