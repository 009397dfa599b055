#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks what no compiler does: length of files, functions and lines, headers of files, calls that a
# library must not make, and that the messages to users and the calls that show them belong together.
set -euo pipefail

max_c=500          # lines of a .c file
max_h=250          # lines of a .h file
max_function=60    # lines of a function
max_columns=100

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
problems=0

problem() {
    echo "check-style: $*"
    problems=$(( problems + 1 ))
}

mapfile -t files < <(config/sources.sh)
(( ${#files[@]} )) || problem "no files found in $top"

# files_matching EXPRESSION: of the existing ones.
files_matching() {
    local file

    for file in "${files[@]}"; do
        if [[ $file =~ $1 && -f $file ]]; then
            echo "$file"
        fi
    done
}

# Texts that others have written, under data/, stay as they are.
check_headers() {
    local file

    while read -r file; do
        head -n 8 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
            problem "$file: no SPDX line in its first 8 lines"
    done < <(files_matching '\.(c|h|sh|py|pl|am|ac|m4|awk|f90|F90|inc|md|in|txt|supp|toml|[1-9])$' |
        grep -v '/data/')
}

check_scripts() {
    local file

    while read -r file; do
        [[ $(head -n 1 "$file") != '#!'*bash ]] || grep -q '^set -euo pipefail' "$file" ||
            problem "$file: no 'set -euo pipefail'"
    done < <(files_matching '(\.sh|^\.ci/run|^test/vcluster)$')
}

check_lengths() {
    local file limit lines

    while read -r file; do
        limit=$max_c
        [[ $file != *.h ]] || limit=$max_h
        lines=$(wc -l <"$file")
        (( lines <= limit )) || problem "$file: $lines lines, the limit is $limit"
        # A function begins with its signature, at the first column, and ends with a brace there.
        while read -r lines; do
            problem "$file: $lines"
        done < <(awk -v max="$max_function" -v columns="$max_columns" '
            length($0) > columns { print "line " NR " has " length($0) " columns, the limit is " columns }
            /\t/ { print "line " NR " has a tab" }
            /^[A-Za-z_]/ && ! inside && ! start { start = NR }
            /;[ \t]*$/ && ! inside { start = 0 }
            /^$/ && ! inside { start = 0 }
            /^{/ { inside = 1 }
            /^}/ {
                if (inside && start && NR - start + 1 > max)
                    print "function at line " start " has " NR - start + 1 " lines, the limit is " max
                inside = start = 0
            }' "$file")
    done < <(files_matching '\.[ch]$')
}

# without_comments FILE: the same number of lines, comments and strings blanked.
without_comments() {
    perl -0777 -pe 's{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"}{my $t = $&; $t =~ s/[^\n]/ /g; $t}gse' \
        "$1"
}

# Code that runs in somebody else's program neither writes to its output nor ends it.
check_calls() {
    local file line

    while read -r file; do
        while read -r line; do
            problem "$file:$line"
        done < <(without_comments "$file" |
            grep -nE '(^|[^A-Za-z0-9_>.])(printf|fprintf|vprintf|vfprintf|puts|fputs|perror|abort|exit|_exit|assert)[ ]*\(')
    done < <(files_matching '^ompi/.*\.[ch]$')
}

# Epoch numbers go round: one place knows how they are compared.
check_epochs() {
    local file line

    while read -r file; do
        while read -r line; do
            problem "$file:$line (see api/part_ucx_epoch.h)"
        done < <(without_comments "$file" | grep -nE '\(int32_t\) \(.* - ')
    done < <(files_matching '^ompi/mca/part/ucx/.*\.[ch]$' | grep -v 'api/part_ucx_epoch\.h')
}

# help_report TEXTS FUNCTION SOURCES: what does not fit between the topics and the calls, a line each.
help_report() {
    perl - "$@" <<'END'
use strict;
use warnings;

my ($help, $function, @sources) = @ARGV;
my (%wanted, %named, $topic);

open(my $in, '<', $help) or die "$help: $!\n";
while (<$in>) {
    next if /^#/;
    if (/^\[(.+)\]$/) {
        $topic = $1;
        print "$help: topic $topic is there twice\n" if exists $wanted{$topic};
        $wanted{$topic} = 0;
    } elsif (defined $topic) {
        s/%%//g;
        $wanted{$topic} += () = /%[-+ #0-9.]*(?:hh|h|ll|l|z|j|t)?[diouxXcsp]/g;
    }
}

# arguments TEXT, POSITION: the arguments of a call, from the one after its parenthesis on.
sub arguments {
    my ($text, $at) = @_;
    my ($depth, $word, @list) = (1, '');
    while ($at < length $text) {
        if (substr($text, $at) =~ /^("(?:\\.|[^"\\])*")/) {
            $word .= $1;
            $at += length $1;
            next;
        }
        my $c = substr($text, $at++, 1);
        $depth++ if $c eq '(';
        if ($c eq ')' && --$depth == 0) {
            push @list, $word;
            last;
        }
        if ($c eq ',' && $depth == 1) {
            push @list, $word;
            $word = '';
        } else {
            $word .= $c;
        }
    }
    return @list;
}

for my $file (@sources) {
    open(my $c, '<', $file) or die "$file: $!\n";
    my $text = do { local $/; <$c> };
    $text =~ s{/\*.*?\*/}{}gs;
    $named{$1} = 1 while $text =~ /"([a-z0-9-]+)"/g;
    while ($text =~ /\b$function\s*\(/g) {
        my @list = arguments($text, pos $text);
        next unless @list && $list[0] =~ /^\s*"(.*)"\s*$/;
        my ($name, $given) = ($1, @list - 1);
        if (!exists $wanted{$name}) {
            print "$file: topic \"$name\" is not in $help\n";
        } elsif ($given != $wanted{$name}) {
            print "$file: topic \"$name\" takes $wanted{$name} values, the call has $given\n";
        }
    }
}
for my $name (sort keys %wanted) {
    print "$help: topic $name is never shown\n" unless $named{$name};
}
END
}

# check_help FOLDER TEXTS FUNCTION
check_help() {
    local line sources=()

    mapfile -t sources < <(files_matching "^$1/.*\\.c\$" | grep -v help_text)
    (( ${#sources[@]} )) || problem "$1: no sources"
    while read -r line; do
        problem "$line"
    done < <(help_report "$1/$2" "$3" "${sources[@]}")
}

check_headers
check_scripts
check_lengths
check_calls
check_epochs
check_help ompi/mca/part/ucx help-part-ucx.txt mca_part_ucx_help
check_help ompi/mca/coll/pschedule help-coll-pschedule.txt mca_coll_pschedule_help

if (( problems )); then
    echo "check-style: $problems problems"
    exit 1
fi
echo "check-style: ${#files[@]} files, no problem"
