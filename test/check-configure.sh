#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What configure refuses: an Open MPI or a UCX that is not there, too old, incomplete, or of another
# version than what lies beside it. They are made up, but for the Open MPI of the build where UCX is
# what is wrong. And which UCX stack.sh takes for that of such an Open MPI. Prints TAP. Runs in test/
# of the build, which knows the compiler already.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
configure=$here/../configure
build_log=$PWD/../config.log
work=$(mktemp -d "${TMPDIR:-/tmp}/mpix-configure.XXXXXX")
most=$(nproc) # configure at a time
cases=()
declare -A text words
# Set by env.sh: a component built with a sanitizer would end ompi_info.
unset OMPI_MCA_mca_base_component_path

clean_up() {
    local process
    for process in $(jobs -p); do
        kill "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}

# The value of a variable in the build's config.log.
built_with() {
    sed -n "s/^$1='\\(.*\\)'\$/\\1/p" "$build_log"
}

# What the build has found out of the compiler and its companions, and nothing of MPI and UCX.
cache() {
    sed -n '/^\(ac_cv_\(build\|host\|c_\|header_\|objext\|prog_\)\|am_cv_\|lt_cv_\)/p
        /^ac_cv_path_\(EGREP\|FGREP\|GREP\|SED\|install\|lt_DD\|mkdir\)=/p' "$build_log"
}

# script FILE: an executable from standard input.
script() {
    mkdir -p "$(dirname "$1")"
    { echo '#!/bin/sh'; cat; } >"$1"
    chmod +x "$1"
}

# make_ompi NAME [VERSION [DLOPEN [VERSION-OF-OMPI_INFO]]]: what configure asks first.
make_ompi() {
    local prefix=$work/$1 version=${2:-5.0.7}
    mkdir -p "$prefix/include/openmpi" "$prefix/lib"
    : >"$prefix/include/pmix.h"
    : >"$prefix/lib/libpmix.so"
    script "$prefix/bin/mpicc" <<END
case \$1 in
    --showme:version) echo "mpicc: Open MPI $version (Language: C)" ;;
    --showme:compile) echo "-I$prefix/include" ;;
    --showme:link) echo "-L$prefix/lib -lmpi" ;;
esac
END
    script "$prefix/bin/ompi_info" <<END
case "\$*" in
    "--path pkgincludedir --parsable") echo "path:pkgincludedir:$prefix/include/openmpi" ;;
    "--path incdir --parsable") echo "path:incdir:$prefix/include" ;;
    "--path"*) echo "path:\$2:$prefix/lib" ;;
    *) echo "ompi:version:full:${4:-$version}"
       echo "option:dlopen:${3:-yes}" ;;
esac
END
    script "$prefix/bin/mpirun" </dev/null
}

# make_source NAME RELEASE: of Open MPI 5.0.
make_source() {
    mkdir -p "$work/$1/opal/mca/threads"
    printf 'major=5\nminor=0\nrelease=%s\ngreek=\n' "$2" >"$work/$1/VERSION"
}

# make_ucx NAME VERSION-OF-HEADERS VERSION-OF-LIBRARY: as much of it as configure looks at.
make_ucx() {
    local api=$work/$1/include/ucp/api library
    mkdir -p "$api" "$work/$1/lib"
    printf '#define UCP_API_MAJOR %s\n#define UCP_API_MINOR %s\n' "${2%.*}" "${2#*.}" \
        >"$api/ucp_version.h"
    echo 'void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);' >"$api/ucp.h"
    cat >"$work/$1/ucp.c" <<END
#include "include/ucp/api/ucp.h"
void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release)
{
    *major = ${3%.*};
    *minor = ${3#*.};
    *release = 9;
}
END
    for library in ucp uct ucs; do
        "${compiler[@]}" -shared -fPIC -o "$work/$1/lib/lib$library.so" "$work/$1/ucp.c"
    done
}

# refuses NAME TEXT WORDS OPTION...: a case. The error must have the words, separated by "|".
refuses() {
    cases+=("$1")
    text[$1]=$2
    words[$1]=$3
    printf '%s\n' "${@:4}" >"$work/$1.options"
}

# run_case NAME: configure's output and status.
run_case() {
    local options=() status=0
    mapfile -t options <"$work/$1.options"
    # Which of several libucp a program finds must not depend on the environment.
    [[ $1 != ucx-* ]] || export LD_LIBRARY_PATH=$work/$1/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    mkdir -p "$work/build-$1"
    cp "$work/cache" "$work/$1.cache"
    cd "$work/build-$1"
    "$configure" --cache-file="$work/$1.cache" "${options[@]}" >"$work/$1.said" 2>&1 </dev/null ||
        status=$?
    echo "$status" >"$work/$1.status"
}

run_all() {
    local name
    for name in "${cases[@]}"; do
        while (($(jobs -rp | wc -l) >= most)); do
            wait -n || true
        done
        run_case "$name" &
    done
    wait
}

# judge NAME: configure has ended with an error that says what is wrong, and left nothing to make.
judge() {
    local word list=()
    IFS='|' read -ra list <<<"${words[$1]}"
    sed -n '/^configure: error: /,$p' "$work/$1.said" >"$work/error"
    [[ $(<"$work/$1.status") -eq 1 && ! -e $work/build-$1/Makefile ]] || return 1
    for word in "${list[@]}"; do
        grep -qF -- "$word" "$work/error" || { echo "# not said: $word"; return 1; }
    done
}

# report NAME-OF-CASE TEXT COMMAND...: a line of TAP; if it fails, after what the case has said.
report() {
    number=$((number + 1))
    if "${@:3}"; then
        echo "ok $number - $2"
    else
        tail -n 20 "$work/$1.said" | sed 's/^/# /'
        echo "not ok $number - $2"
        failed=$((failed + 1))
    fi
}

# Many of its files name libucp, and it takes the first: not a pipe that nobody reads to the end.
finds_libucp() {
    local file lib=$work/ompi-5/lib found
    # shellcheck source=config/stack.d/ompi.sh
    . "$here/../config/stack.d/ompi.sh"
    "${compiler[@]}" -shared -fPIC -o "$lib/libmpi.so" "$work/ucx-mixed/ucp.c" -Wl,--no-as-needed \
        "-Wl,-rpath,$work/ucx-mixed/lib" -L"$work/ucx-mixed/lib" -lucp
    for file in libopen-pal mca_{atomic,osc,pml,spml}_ucx; do
        cp "$lib/libmpi.so" "$lib/$file.so"
    done
    # The environment may name another UCX.
    found=$(unset LD_LIBRARY_PATH && libucp_of "$work/ompi-5/bin" 2>"$work/libucp.said") &&
        [[ $found == "$work/ucx-mixed/lib/libucp.so" ]]
}

if [[ -e $here/../config.status ]]; then
    echo "1..0 # SKIP a source folder that is configured itself cannot be configured elsewhere"
    exit 0
fi
trap clean_up EXIT
cache >"$work/cache"
read -ra compiler <<<"$(built_with CC)"
real_ompi=$(dirname "$(built_with OMPI_BINDIR)")

make_ompi ompi-5
make_ompi ompi-4 4.1.6
make_ompi ompi-mixed 5.0.7 yes 5.0.6
make_ompi ompi-static 5.0.7 no
make_ompi ompi-alone
rm "$work/ompi-alone/bin/mpirun"
: >"$work/ompi-mixed/include/openmpi/ompi_config.h"
script "$work/mpich/bin/mpicc" <<<'echo "mpicc for MPICH version 4.2.0"'
make_source source-5.0.6 6
make_ucx ucx-1.12 1.12 1.12
make_ucx ucx-mixed 1.13 1.22
mkdir "$work/nothing"
make_ucx ucx-broken 1.13 1.13
echo '#error "not for this compiler"' >"$work/ucx-broken/include/ucp/api/ucp.h"

refuses no-ompi "no Open MPI: the folder" \
    "no Open MPI: there is no mpicc in $work/nothing/bin" --with-ompi="$work/nothing"
refuses other-mpi "an mpicc of another MPI: what it is not, and what to do" \
    "$work/mpich/bin/mpicc is not Open MPI's|--with-ompi=DIR" --with-ompi="$work/mpich"
refuses ompi-4 "Open MPI 4: its version, and the one needed" \
    "Open MPI 4.1.6|is too old|Open MPI 5 or later" --with-ompi="$work/ompi-4"
refuses ompi-mixed "mpicc and ompi_info of two installations: both versions" \
    "Open MPI 5.0.7|5.0.6|two installations are mixed" --with-ompi="$work/ompi-mixed"
refuses ompi-static "Open MPI without dlopen: that, and the option" \
    "without dlopen support|--disable-dlopen" --with-ompi="$work/ompi-static"
refuses ompi-alone "Open MPI without mpirun: where" \
    "Open MPI in $work/ompi-alone/bin is incomplete" --with-ompi="$work/ompi-alone"
refuses no-headers "no internal headers: the header, and the option of Open MPI's configure" \
    "without its internal headers|$work/ompi-5/include/openmpi/ompi_config.h|--with-devel-headers" \
    --with-ompi="$work/ompi-5"
refuses named-ompi "--with-ompi counts more than MPICC" \
    "Open MPI 4.1.6|is too old" --with-ompi="$work/ompi-4" MPICC=mpicc
refuses named-mpicc "MPICC without a folder is the one on PATH" \
    "Open MPI 4.1.6 ($work/ompi-4/bin/mpicc)" MPICC=mpicc PATH="$work/ompi-4/bin:$PATH"
refuses headers-later "one on PATH without internal headers: the next one that has them" \
    "$work/ompi-mixed/bin/mpicc belongs to Open MPI 5.0.7|5.0.6" \
    PATH="$work/ompi-4/bin:$work/ompi-5/bin:$work/ompi-mixed/bin:$PATH"
refuses other-source "sources of another version: both versions, and why" \
    "holds Open MPI 5.0.6|5.0.7|would corrupt memory" \
    --with-ompi="$work/ompi-5" --with-ompi-source="$work/source-5.0.6"
refuses no-source "sources that are none: the folder" "$work/nothing is no Open MPI source tree" \
    --with-ompi="$work/ompi-5" --with-ompi-source="$work/nothing"
refuses no-ucx "no UCX: the folder" "no UCX: there is no include/ucp/api/ucp.h in $work/nothing" \
    --with-ompi="$real_ompi" --with-ucx="$work/nothing"
refuses ucx-broken "UCX that no program can be built with: that, and what to do" \
    "no UCX: a program with ucp/api/ucp.h and -lucp cannot be built|--with-ucx=DIR" \
    --with-ompi="$real_ompi" --with-ucx="$work/ucx-broken"
refuses ucx-1.12 "UCX 1.12: its version, and the one needed" \
    "UCX 1.12.9 is too old: 1.13 or later is needed" \
    --with-ompi="$real_ompi" --with-ucx="$work/ucx-1.12"
refuses ucx-mixed "headers and library of two UCX: both versions" \
    "the headers of UCX are version 1.13, its library is 1.22.9|two" \
    --with-ompi="$real_ompi" --with-ucx="$work/ucx-mixed"
refuses relative-ompi "a folder named from here: from the root, as make works in many" \
    "no Open MPI: there is no mpicc in $work/nothing/bin" --with-ompi=../nothing
refuses relative-ucx "the same of UCX" "no UCX: there is no include/ucp/api/ucp.h in $work/nothing" \
    --with-ompi="$real_ompi" --with-ucx=../nothing
refuses relative-none "and one that is not there" "--with-ompi: there is no folder ../no-such" \
    --with-ompi=../no-such

run_all
number=0 failed=0
for name in "${cases[@]}"; do
    report "$name" "${text[$name]}" judge "$name"
done
report libucp "stack.sh: several files of an Open MPI name libucp" finds_libucp
echo "1..$number"
((failed == 0))
