#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Do the tables of tuning.md agree with the sources? Every MCA variable must have a row with its
# default, every row must be a variable, and every constant must have the value that is documented.
# The table of states of protocol.md must be that of the sources. Links between the documents must
# lead somewhere. Source files, functions, types and constants that documents and comments name must
# be there. Lines must not be too long. What collectives.md and adding-a-delivery-method.md quote must
# be in the programs, and collectives.md must agree with the table of algorithms. Manual pages show the
# Fortran interfaces as they are made. Silent when all is well.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
component=$top/ompi/mca/part/ucx
problems=0

problem() {
    echo "docs/check.sh: $*" >&2
    problems=$((problems + 1))
}

# Names and defaults from part_ucx_variables.c: "name default", default "?" where it is not a number.
source_variables() {
    awk '
        /^ *\{"[a-z_]+", &mca_part_ucx_params\./ {
            split($0, quoted, "\""); n = split($0, field, ", ")
            value = field[3]; gsub(/[ ,]/, "", value)
            if (value == "" || /_values,/) value = "?"
            print quoted[2], value }' "$component/mpi/part_ucx_variables.c"
}

# The same from the table of section 2.
documented_variables() {
    awk -F'|' '/^\| `part_ucx_[a-z_]+` \| / && NF >= 8 {
        name = $2; gsub(/[ `]|part_ucx_/, "", name); value = $3; gsub(/ /, "", value)
        print name, value }' "$top/docs/tuning.md"
}

check_variables() {
    local name value found documented
    documented=$(documented_variables)
    while read -r name value; do
        found=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$documented")
        if [[ -z $found ]]; then
            problem "tuning.md has no row for part_ucx_$name"
        elif [[ $value != "?" && $value != "$found" ]]; then
            problem "tuning.md says part_ucx_$name is $found by default, the sources say $value"
        fi
    done < <(source_variables)
    while read -r name value; do
        source_variables | grep -q "^$name " ||
            problem "tuning.md describes part_ucx_$name, which does not exist"
    done <<<"$documented"
}

check_constants() {
    local name file value found rows=0
    while read -r name file value; do
        rows=$((rows + 1))
        found=$(sed -nE "s/^#define +$name +(UINT64_C\()?([0-9.]+)u?\)?\$/\2/p" $component/*/$file ||
            true)
        [[ $found == "$value" ]] ||
            problem "tuning.md says $name is $value, $file says ${found:-nothing}"
    done < <(awk -F'|' '/^\| `[A-Z_]+` \| `part_ucx_[a-z_]+\.[ch]` / {
        gsub(/[ `]/, "", $2); gsub(/[ `]/, "", $3); gsub(/ /, "", $4); print $2, $3, $4 }' \
        "$top/docs/tuning.md")
    ((rows >= 35)) || problem "tuning.md: only $rows constants found"
}

# The transitions of part_ucx_state.c: "from on to", without PART_UCX_.
source_transitions() {
    sed -nE 's/^ *\{PART_UCX_([A-Z_]+), PART_UCX_(ON_[A-Z_]+), PART_UCX_([A-Z_]+)\},$/\1 \2 \3/p' \
        "$component/channel/part_ucx_state.c"
}

documented_transitions() {
    awk -F'|' '$3 ~ /^ *ON_[A-Z_]+ *$/ {
        gsub(/ /, "", $2); gsub(/ /, "", $3); gsub(/ /, "", $4); print $2, $3, $4 }' \
        "$top/docs/protocol.md"
}

check_states() {
    local side from on to
    (($(source_transitions | wc -l) >= 10)) || problem "cannot read the table of part_ucx_state.c"
    (($(documented_transitions | wc -l) >= 10)) || problem "cannot read the states in protocol.md"
    while read -r side from on to; do
        if [[ $side == "<" ]]; then
            problem "protocol.md, section 5, lacks: $from | $on | $to"
        else
            problem "protocol.md, section 5, has a row that part_ucx_state.c has not: $from | $on | $to"
        fi
    done < <(diff <(source_transitions | sort) <(documented_transitions | sort) | grep '^[<>]')
}

# "file:line:name" of every source of the components that is named somewhere, also several at once:
# part_ucx_map.[ch], part_ucx_deliver_*.c. What the build makes is in no list.
named_sources() {
    cd "$top" && config/sources.sh | grep -E '\.(md|[ch]|am|ac|m4|sh|py|pl|awk|txt|toml)$' |
        xargs grep -HInoE '\b(part_ucx|coll_pschedule)(_[a-z0-9_*]*)?\.(\[ch\]|\*|[ch]\b)' |
        grep -v '_help_text\.c$'
}

check_names() {
    local name file line names=0 all
    local -A problems_of=()
    all=$(cd "$top" && config/sources.sh | sed 's,.*/,,' | grep -E '\.[ch]$' | sort -u)
    while read -r name; do
        names=$((names + 1))
        exists "$name" "$all" || problems_of[$name]=1
    done < <(named_sources | cut -d: -f3 | sort -u)
    ((names >= 100)) || problem "only $names names of sources found"
    ((${#problems_of[@]} > 0)) || return 0
    while IFS=: read -r file line name; do
        [[ -z ${problems_of[$name]:-} ]] || problem "$file line $line: there is no $name"
    done < <(named_sources)
}

# Are there files of that name, or of both names that .[ch] stands for?
exists() {
    local name=$1 all=$2 ending pattern
    for ending in c h; do
        pattern=${name//\[ch\]/$ending}
        pattern=${pattern//./\\.}
        pattern=${pattern//\*/[a-z0-9_.]*}
        grep -qx -- "$pattern" <<<"$all" || return 1
    done
}

# "file name" of each function, type or constant of the components that is named in a document or a
# comment, and that is nowhere in code.
unknown_names() {
    cd "$top" && config/sources.sh | grep -E '\.(md|[ch])$' | perl -ne '
        BEGIN { $name = qr/\b(?:mca_(?:part_ucx|coll_pschedule)_[a-z]\w*|PART_UCX_[A-Z]\w*)/ }
        chomp($file = $_);
        open(my $in, "<", $file) or die "$file: $!";
        $text = do { local $/; <$in> };
        $said{$file}{$_} = 1 for $file =~ /md$/ ? $text =~ /$name/g
                                                : map { /$name/g } $text =~ m{/\*.*?\*/}gs;
        $text =~ s{/\*.*?\*/|//[^\n]*}{}gs;
        $file =~ /md$/ or $known{$_} = 1 for $text =~ /$name/g;
        END { for $file (sort keys %said) {
            $known{$_} or print "$file $_\n" for sort keys %{$said{$file}} } }'
}

check_code() {
    local file name
    while read -r file name; do
        problem "$file: there is no $name"
    done < <(unknown_names)
}

check_links() {
    local page link
    while read -r page; do
        while read -r link; do
            [[ -e $top/$(dirname "$page")/$link ]] || problem "$page links to $link"
        done < <(grep -oE '\]\([^):]+\)' "$top/$page" | sed -E 's/^\]\(([^)#]*).*/\1/' | grep . ||
            true)
    done < <(cd "$top" && config/sources.sh | grep '\.md$')
}

# Lines of text, not of tables: those cannot be broken.
check_columns() {
    local problem
    while read -r problem; do
        problem "$problem"
    done < <(cd "$top" && config/sources.sh | grep '\.md$' | xargs awk '
        length($0) > 100 && !/^\|/ && FILENAME !~ /^docs\/results\// { print FILENAME " line " FNR ": " length($0) " columns" }')
}

# What PAGE quotes must be in the programs, which are compiled and run by the tests.
check_quotations() {
    local page=$1 file block quotes=0
    while read -r file; do
        quotes=$((quotes + 1))
        block=$(awk -v wanted="$quotes" '
            /^<!-- quoted: / { seen++ }
            /^```$/ { inside = 0 }
            inside && seen == wanted { print }
            /^```(c|fortran)$/ { inside = 1 }' "$top/docs/$page")
        [[ -n $block && $(<"$top/$file") == *"$block"* ]] ||
            problem "$page: quotation $quotes is not in $file"
    done < <(sed -n 's/^<!-- quoted: \(.*\) -->$/\1/p' "$top/docs/$page")
    ((quotes > 0)) || problem "$page: no quotations found"
}

# The manual pages show the interfaces of Fortran as they are made.
check_synopses() {
    local extension=$top/ompi/mpiext/partitioned function shown pages=0
    local made
    made=$(awk -v output=synopsis -f "$extension/fortran/generate.awk" \
        "$extension"/c/mpix_partitioned{,_collectives,_neighbors}.h)
    while read -r function; do
        pages=$((pages + 1))
        shown=$(synopsis_of "$function")
        [[ $shown == "$(sed -n "s/^$function: //p" <<<"$made")" ]] ||
            problem "the manual page of $function has another Fortran synopsis than generate.awk makes"
    done < <(cut -d: -f1 <<<"$made" | sort -u)
    ((pages == 25)) || problem "generate.awk makes $pages interfaces"
}

# synopsis_of FUNCTION: the lines of its interface in the manual, which may be another's page.
synopsis_of() {
    local page=$top/docs/man/man3/$1.3 other
    other=$(sed -n 's/^\.so //p' "$page")
    sed -n "/^subroutine $1(/,/ ierror\$/p" "${other:+$top/docs/man/}${other:-$page}" |
        sed 's/\\\\-/-/g; s/\\-/-/g'
}

# check_recipes VERSION: packaging/ is for that release, and names no address but the placeholder of
# releasing.md.
check_recipes() {
    local version=$1 line
    [[ -r $(echo "$top"/packaging/easybuild/mpix-partitioned-"$version"-*.eb) ]] ||
        problem "packaging/easybuild has no file for $version"
    while read -r line; do
        problem "packaging/$line is not for $version"
    done < <(cd "$top/packaging" && grep -L -e "^version = '$version'\$" -e "^Version: *$version\$" \
        -e "^ *version(\"$version\"" -e "^mpix-partitioned ($version-" easybuild/*.eb rpm/*.spec \
        spack/package.py debian/changelog)
    while read -r line; do
        problem "packaging/$line: another address than the placeholder of releasing.md"
    done < <(cd "$top/packaging" && grep -rnoE 'https?://[^ ">]+|[^ <]+@[a-z.-]+\.[a-z]+' . |
        grep -vE '//mpix-partitioned\.example/|@mpix-partitioned\.example|//www\.debian\.org/doc/')
}

# The number of the release, wherever it stands; and what CHANGELOG.md says of the sources.
check_release() {
    local version file name number
    version=$(sed -n 's/^AC_INIT(\[mpix-partitioned\], \[\(.*\)\])$/\1/p' "$top/configure.ac")
    [[ $(sed -n 's/^## \([0-9.]*\) .*/\1/p' "$top/CHANGELOG.md" | head -n 1) == "$version" ]] ||
        problem "CHANGELOG.md does not begin with $version"
    grep -qx "version = \"$version\"" "$top/python/pyproject.toml" ||
        problem "python/pyproject.toml has another version than $version"
    grep -qx "__version__ = \"$version\"" "$top/python/src/mpix_partitioned/__init__.py" ||
        problem "python/src/mpix_partitioned/__init__.py has another version than $version"
    for file in part/ucx/mpi/part_ucx_component.c coll/pschedule/coll_pschedule_component.c; do
        grep -qF "MCA_BASE_MAKE_VERSION(component, ${version//./, })" "$top/ompi/mca/$file" ||
            problem "$file has another version than $version"
    done
    [[ $(sed -n 's/^#define MPIX_PARTITIONED_VERSION_[A-Z]* //p' \
        "$top/ompi/mpiext/partitioned/c/mpix_partitioned.h" | paste -sd.) == "$version" ]] ||
        problem "mpix_partitioned.h has another version than $version"
    while read -r file; do
        problem "$file has another version than $version"
    done < <(cd "$top" && grep -L -e "mpix-partitioned $version" -e '^\.so ' docs/man/man*/*)
    check_recipes "$version"
    while read -r name number; do
        grep -rqE "^#define $name +$number\$" "$top/ompi" ||
            problem "CHANGELOG.md says that $name is $number"
    done < <(sed -nE 's/^\| .*\(`([A-Z_]+)`\) \| [0-9]+ \| ([0-9]+) \|.*/\1 \2/p' "$top/CHANGELOG.md")
}

# Every file of a component's folder has a row in the folder's README. Algorithms have one together.
check_folders() {
    local folder file name
    for folder in "$top"/ompi/mca/{part/ucx,coll/pschedule}/*/; do
        for file in "$folder"*.[ch]; do
            name=${file##*/}
            name=${name#part_ucx_}
            name=${name#coll_pschedule_}
            name=${name%.[ch]}
            [[ $folder == */algorithms/ && ! -e ${file%.c}.h ]] && continue
            grep -qF -e "\`$name.[ch]\`" -e "\`$name.c\`" -e "\`$name.h\`" -e "\`${name%_*}_*.c\`" \
                "${folder}README.md" || problem "${folder#"$top/"}README.md does not name $name"
        done
    done
}

# The table of algorithms in collectives.md must be that of the sources.
check_collectives() {
    local page=$top/docs/collectives.md line rows=0
    while read -r line; do
        rows=$((rows + 1))
        grep -qFx "$line" "$page" || problem "collectives.md lacks this row (docs/algorithms.sh --write): $line"
    done < <("$top/docs/algorithms.sh")
    ((rows >= 20)) || problem "docs/algorithms.sh prints only $rows rows"
}

# The variables of coll/pschedule with their defaults, on both sides: "name default".
check_collective_variables() {
    local difference
    difference=$(diff \
        <(awk -F'"' '/^ +(\{"[a-z_]+", MCA_BASE_VAR_TYPE_|component, "[a-z_]+",$)/ { name = $2 }
            name != "" && match($0, /Default: ([0-9]+|none|auto|false)/) {
                print name, substr($0, RSTART + 9, RLENGTH - 9); name = "" }' \
            "$top/ompi/mca/coll/pschedule/coll_pschedule_params.c" | sort) \
        <(awk -F'|' '/^\| `coll_pschedule_[a-z_]+` \|/ {
            gsub(/[ `]|coll_pschedule_/, "", $2); gsub(/ /, "", $3); print $2, $3 }' \
            "$top/docs/collectives.md" | sort) | grep '^[<>]' | tr '\n' ' ') || true
    [[ -z $difference ]] ||
        problem "collectives.md and coll_pschedule_params.c (<) differ in variables: $difference"
}

[[ $(source_variables | wc -l) -ge 10 && $(documented_variables | wc -l) -ge 10 ]] ||
    problem "cannot read part_ucx_variables.c or tuning.md"
check_variables
check_constants
check_states
check_names
check_code
check_links
check_columns
check_quotations collectives.md
check_quotations adding-a-delivery-method.md
check_quotations fortran.md
check_synopses
check_release
check_folders
check_collectives
check_collective_variables
((problems == 0))
