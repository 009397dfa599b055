# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Fortran interface, made from the prototypes of the C headers, so that the two cannot differ.
#
#     awk -f generate.awk -v output=f08 HEADER...
#
# output   what is printed
# f08      interface bodies for the module mpix_partitioned_f08: handles are derived types
# mpi      interface bodies for the module mpix_partitioned: handles are integers
# c        the C functions that both modules call
# synopsis interfaces of mpix_partitioned_f08 as manual pages show them, "FUNCTION: LINE" each
#
# With -v names=1 (f08 and mpi): only initialisations, under the names MPI_X.
#
# Every function exists twice: MPIX_X calls C's MPIX_X, PMPIX_X calls C's PMPIX_X. A tool that
# intercepts the C functions so sees the calls of Fortran programs, too.

# ---- prototypes ----

/^int MPIX_/ { prototype = "" }
/^int MPIX_/, /;/ {
    prototype = prototype " " $0
    if (/;/) {
        read_prototype(prototype)
        write_function()
    }
}

# read_prototype TEXT: sets function_name, arguments, and kind[], handle[] and name[] of each.
function read_prototype(text,   list, i) {
    gsub(/[ \t\n]+/, " ", text)
    match(text, /MPIX_[A-Za-z_]+/)
    function_name = substr(text, RSTART, RLENGTH)
    sub(/^[^(]*\(/, "", text)
    sub(/\).*/, "", text)
    arguments = split(text, list, /, */)
    for (i = 1; i <= arguments; i++)
        read_argument(i, list[i])
}

function read_argument(i, text) {
    constant = sub(/^ *const /, "", text)
    array = sub(/\[\]/, "", text)
    pointer = sub(/\*/, "", text)
    split(text, word, " ")
    name[i] = word[2]
    handle[i] = word[1] ~ /^MPI_(Datatype|Op|Comm|Info|Request)$/ ? word[1] : ""
    kind[i] = kind_of(word[1])
    if (kind[i] == "") {
        print "generate.awk: " function_name ": no rule for " text >"/dev/stderr"
        exit 1
    }
}

# kind_of TYPE: how the argument that is being read goes from Fortran to C.
function kind_of(type) {
    if (type == "void" && pointer) return constant ? "contribution" : "buffer"
    if (type == "int" && pointer) return "integer_out"
    if (type == "int" && array) return constant ? "integers" : "integers_out"
    if (type == "int") return "integer"
    if (type == "MPI_Count") return array ? "counts" : "count"
    if (type == "MPI_Aint" && array) return "displacements"
    if (type == "MPI_Request" && array) return "requests"
    if (type == "MPI_Request" && pointer) return is_init() ? "request_out" : "request_inout"
    if (type == "MPI_Datatype" && array) return "datatypes"
    if (type ~ /^MPI_(Datatype|Op|Comm|Info|Request)$/) return "handle"
    return ""
}

function is_init() {
    return function_name ~ /_init$/
}

function write_function() {
    if (output == "c") {
        write_c("MPIX_", "mpix_")
        write_c("PMPIX_", "pmpix_")
    } else if (names) {
        if (is_init())
            write_interface("MPI_", "      ", "mpix_")
    } else if (output == "synopsis") {
        write_interface("MPIX_", function_name ": ", "")
    } else {
        write_interface("MPIX_", "      ", "mpix_")
        write_interface("PMPIX_", "      ", "pmpix_")
    }
}

# bare: the name without MPIX_.
function bare() { return substr(function_name, 6) }

# ---- Fortran ----

# Functions with a logical are written by hand: bind(C) has none of default kind. Theirs are
# mpix_parrived_any_f and so on, with an integer.
function by_hand(   i) {
    for (i = 1; i <= arguments; i++)
        if (name[i] == "flag") return 1
    return 0
}

# write_interface PREFIX START SYMBOL: every line begins with START; no SYMBOL: as a manual shows it.
function write_interface(prefix, start, symbol,   i, own_name, imported) {
    own_name = by_hand() && symbol != "" ? symbol tolower(bare()) "_f" : prefix bare()
    write_wrapped(start "subroutine " own_name "(" dummy_list() ")", symbol == "" ? "" : \
        " bind(C, name=\"" symbol tolower(bare()) "_f\")", start)
    imported = imports()
    if (symbol != "" && imported != "")
        print start "   import :: " imported
    for (i = 1; i <= arguments; i++)
        print start "   " declaration(i, symbol == "")
    print start "   integer, " (output == "mpi" ? "" : "optional, ") "intent(out) :: ierror"
    if (symbol != "")
        print start "end subroutine " own_name
}

function dummy_list(   i, list) {
    for (i = 1; i <= arguments; i++)
        list = list name[i] ", "
    return list "ierror"
}

# write_wrapped TEXT END START: in lines of at most 90 columns; END is not cut.
function write_wrapped(text, end, start,   cut) {
    while (length(text) > 90) {
        for (cut = 88; substr(text, cut, 1) != " "; cut--) ;
        print substr(text, 1, cut) "&"
        text = start "      " substr(text, cut + 1)
    }
    if (end == "" || length(text end) <= 90) {
        print text end
    } else {
        print text " &"
        print start "     " end
    }
}

# imports: what the interface body takes from its module, once each.
function imports(   i, type, list, seen) {
    for (i = 1; i <= arguments; i++) {
        type = kind[i] ~ /^counts?$/ ? "MPI_COUNT_KIND" : \
               kind[i] == "displacements" ? "MPI_ADDRESS_KIND" : \
               output == "mpi" ? "" : handle[i]
        if (type != "" && index(seen, " " type " ") == 0) {
            list = list (list == "" ? "" : ", ") type
            seen = seen " " type " "
        }
    }
    return list
}

function declaration(i, manual,   type) {
    type = handle[i] == "" || output == "mpi" ? "integer" : "type(" handle[i] ")"
    if (kind[i] == "contribution") return "type(*), dimension(..), intent(in), asynchronous :: " name[i]
    if (kind[i] == "buffer") return "type(*), dimension(..), asynchronous :: " name[i]
    if (kind[i] == "integer") return "integer, intent(in) :: " name[i]
    if (kind[i] == "integers") return "integer, intent(in) :: " name[i] "(*)"
    if (kind[i] == "integer_out")
        return (manual && name[i] == "flag" ? "logical" : "integer") ", intent(out) :: " name[i]
    if (kind[i] == "integers_out") return "integer, intent(out) :: " name[i] "(*)"
    if (kind[i] == "count") return "integer(MPI_COUNT_KIND), intent(in) :: " name[i]
    if (kind[i] == "counts") return "integer(MPI_COUNT_KIND), intent(in) :: " name[i] "(*)"
    if (kind[i] == "displacements")
        return "integer(MPI_ADDRESS_KIND), intent(in) :: " name[i] "(*)"
    if (kind[i] == "datatypes") return type ", intent(in) :: " name[i] "(*)"
    if (kind[i] == "requests") return type ", intent(inout) :: " name[i] "(*)"
    if (kind[i] == "request_out") return type ", intent(out) :: " name[i]
    if (kind[i] == "request_inout") return type ", intent(inout) :: " name[i]
    return type ", intent(in) :: " name[i]
}

# ---- C ----

# write_c PREFIX SYMBOL: the function that Fortran calls, with everything by reference.
function write_c(prefix, symbol,   i, list, declared) {
    for (i = 1; i <= arguments; i++)
        list = list parameter(i) ", "
    declared = "void " symbol tolower(bare()) "_f(" list "MPI_Fint *ierror)"
    print declared ";\n" declared "\n{"
    list = ""
    for (i = 1; i <= arguments; i++) {
        write_before(i)
        list = list (i > 1 ? ", " : "") value(i)
    }
    print "    int error = " prefix bare() "(" list ");"
    for (i = 1; i <= arguments; i++)
        write_after(i)
    print "    mpix_fortran_return(ierror, error);"
    print "}\n"
}

# parameter, value: how an argument is declared, and what C's function gets for it.
function parameter(i) {
    if (kind[i] == "contribution" || kind[i] == "buffer") return "const CFI_cdesc_t *" name[i]
    if (kind[i] == "integer_out" || kind[i] == "integers_out") return "int *" name[i]
    if (kind[i] ~ /^integers?$/) return "const int *" name[i]
    if (kind[i] ~ /^counts?$/) return "const MPI_Count *" name[i]
    if (kind[i] == "displacements") return "const MPI_Aint *" name[i]
    if (kind[i] ~ /^request/) return "MPI_Fint *" name[i]
    return "const MPI_Fint *" name[i]
}

# write_before, write_after: what is made for a call, and what becomes of it.
function write_before(i,   side) {
    if (kind[i] == "request_out")
        print "    MPI_Request made = MPI_REQUEST_NULL;"
    if (kind[i] == "request_inout")
        print "    MPI_Request given = mpix_fortran_request(request);"
    if (kind[i] == "requests")
        print "    MPI_Request *given = mpix_fortran_requests(*count, requests);"
    if (kind[i] == "datatypes") {
        side = name[i] == "sendtypes" ? "MPIX_FORTRAN_SENDS" : "MPIX_FORTRAN_RECEIVES"
        print "    MPI_Datatype *c_" name[i] " = mpix_fortran_types(" name[i] ", comm, " side ","
        print "                                                  " (function_name ~ /neighbor/ ? 1 : 0) ");"
    }
}

function value(i) {
    if (kind[i] == "contribution" || kind[i] == "buffer")
        return "mpix_fortran_buffer(" name[i] ")"
    if (kind[i] == "integer" || kind[i] == "count") return "*" name[i]
    if (kind[i] == "request_out") return "&made"
    if (kind[i] == "request_inout") return "&given"
    if (kind[i] == "requests") return "given"
    if (kind[i] == "datatypes") return "c_" name[i]
    if (kind[i] == "handle") return "mpix_fortran_" tolower(substr(handle[i], 5)) "(" name[i] ")"
    return name[i]
}

function write_after(i) {
    if (kind[i] == "request_out")
        print "    *" name[i] " = PMPI_Request_c2f(made);"
    if (kind[i] == "requests")
        print "    free(given);"
    if (kind[i] == "datatypes")
        print "    free(c_" name[i] ");"
}
