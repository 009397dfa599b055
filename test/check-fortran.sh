#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Fortran modules as a compiler sees them: what must not compile does not, and says why; both names
# of a function; what is installed; which symbols the library has; what configure says where there is
# no Fortran. Prints TAP. Runs in test/ of a build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
output=$work/output
shown=("$output")
fortran=$(make_variable MPIFORT)
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# compiles FILE [LIBRARIES]: as a user compiles it, but for the program.
compiles() {
    local flags
    read -ra flags <<<"$(pkg-config --cflags --libs mpix_partitioned_fortran)"
    (cd "$work" && "$fortran" -o program "$1" "${flags[@]}") >"$output" 2>&1 </dev/null
}

refuses_copies() {
    ! compiles "$here/fortran/copied.f90" && grep -qi 'vector subscript' "$output"
}

# The same program with a section that is one range of memory: it was the section that was refused.
takes_sections() {
    sed 's/a(which)/a(3:6)/' "$here/fortran/copied.f90" >"$work/section.f90"
    compiles section.f90
}

# program_with MODULE MPI-MODULE REQUEST-TYPE: calls a function by both of its names.
program_with() {
    cat >"$work/names.f90" <<END
program names
   use $2
   use $1
   implicit none
   integer, asynchronous :: buffer(4)
   integer :: ierror
   $3 :: request
   call MPI_Pbcast_init(buffer, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, 0, MPI_COMM_WORLD, &
      MPI_INFO_NULL, request, ierror)
   call MPIX_Pbcast_init(buffer, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, 0, MPI_COMM_WORLD, &
      MPI_INFO_NULL, request, ierror)
end program names
END
    compiles names.f90
}

# make_ompi DIR: the Open MPI of this build, without its mpifort.
make_ompi() {
    local program
    mkdir -p "$1/bin"
    for program in mpicc ompi_info mpirun; do
        ln -s "$(make_variable OMPI_BINDIR)/$program" "$1/bin/$program"
    done
}

# configures OMPI OPTION...: from nothing but what this build was told of UCX.
configures() {
    local options
    eval "options=($(../config.status --config))"
    mkdir -p "$work/build"
    (cd "$work/build" && "$here/../configure" "${options[@]}" --with-ompi="$1" "${@:2}") \
        >"$output" 2>&1 </dev/null
}

# The rest is built as before, which the summary says; whoever wants the modules hears why not.
goes_without() {
    make_ompi "$work/without"
    configures "$work/without" &&
        grep -qE 'Fortran +no: this Open MPI was built without Fortran' "$output" &&
        [[ -r $work/build/Makefile ]] && rm -r "$work/build" &&
        ! configures "$work/without" --enable-fortran &&
        grep -q 'enable-fortran: no: this Open MPI was built without Fortran' "$output"
}

names_missing_compiler() {
    make_ompi "$work/missing"
    printf '#!/bin/sh\necho no-such-fortran\n' >"$work/missing/bin/mpifort"
    chmod +x "$work/missing/bin/mpifort"
    rm -rf "$work/build"
    ! configures "$work/missing" --enable-fortran && grep -q \
        'enable-fortran: no: no-such-fortran, the compiler of this Open MPI, is missing' "$output"
}

is_installed() {
    local module
    make -C .. install "DESTDIR=$work/root" >"$output" 2>&1 </dev/null || return 1
    for module in mpix_partitioned{,_names,_f08,_f08_names}; do
        [[ -s $work/root$(make_variable MPIX_FORTRAN_MODDIR)/$module.mod ]] || return 1
    done
    [[ -s $work/root$(make_variable libdir)/libmpix_partitioned_fortran.so ]] &&
        [[ -s $work/root$(make_variable pkgconfigdir)/mpix_partitioned_fortran.pc ]]
}

leaves_nothing() {
    local left
    make -C .. uninstall "DESTDIR=$work/root" >"$output" 2>&1 </dev/null
    left=$(find "$work/root" ! -type d -o -name fortran)
    [[ -z $left ]] || { echo "left: $left" >>"$output"; return 1; }
}

# Each C function of the headers twice; and Open MPI's common blocks, which must be visible.
has_all_functions() {
    local library=../ompi/mpiext/partitioned/fortran/.libs/libmpix_partitioned_fortran.so other
    nm -D --defined-only "$library" | awk '{ print $3 }' >"$work/symbols"
    other=$(grep -Ev '^p?mpix_[a-z_]+_f$|^mpix_fortran_|mpix_partitioned|^mpi_fortran_' \
        "$work/symbols" || true)
    [[ $(grep -cE '^p?mpix_p[a-z_]+_f$' "$work/symbols") -eq 50 && -z $other ]] ||
        { echo "others: $other" >"$output"; return 1; }
}

if [[ -z $(make_variable MPIX_FORTRAN_MODDIR) ]]; then
    skip 'Fortran' 'this Open MPI was built without Fortran, or its compiler is missing'
else
    check 'sections by a list of subscripts do not compile' refuses_copies
    check 'sections that are one range of memory compile' takes_sections
    check 'both names of a function, beside mpi_f08' \
        program_with mpix_partitioned_f08_names mpi_f08 'type(MPI_Request)'
    check 'both names of a function, beside mpi' \
        program_with mpix_partitioned_names mpi integer
    check 'the modules are installed' is_installed
    check 'make uninstall leaves no file' leaves_nothing
    check 'the library has all functions, and nothing else' has_all_functions
    if [[ -e $here/../config.status ]]; then
        skip 'without Fortran' 'a source folder that is configured cannot be configured elsewhere'
    else
        check 'an Open MPI without Fortran: configure says so, and goes on' goes_without
        check 'its compiler is missing: configure names it' names_missing_compiler
    fi
fi
tap_end
