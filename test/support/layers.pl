#!/usr/bin/env perl
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What in a tree breaks the order of the layers, a line each; lines with # are remarks. For
# test/check-layers.sh.
#
#   layers.pl upwards ROOT      includes of a higher layer; folders that are no layer
#   layers.pl elsewhere ROOT    includes of another component, but for what is meant for others
#   layers.pl barred ROOT       includes, also indirect ones, of what a folder must not know
#   layers.pl includes ROOT     large circles of files by includes
#   layers.pl calls ROOT        large circles by calls; standard input: nm -A -g, run in the build
#   layers.pl unneeded ROOT     includes of public headers that are not needed there
#   layers.pl public ROOT       the public headers
#
# With one argument more there are more remarks: what makes each large circle, calls upwards.
use strict;
use warnings;

# ---- The order ----

# A component's folders, the lowest first; "." is its own. A file may include its layer and those
# below.
my %layers = (
    'ompi/mca/part/ucx'         => [qw(base api process path channel wireup mpi)],
    'ompi/mca/coll/pschedule'   => [qw(plan patterns algorithms call persistent .)],
    'ompi/mpiext/partitioned/c' => ['.'],
    'ompi/mpiext/partitioned/fortran' => ['.'],
);
# Who may include what of others: the beginnings of names.
my %doors = (
    'ompi/mca/coll/pschedule'   => ['ompi/mca/part/ucx/api/'],
    'ompi/mpiext/partitioned/c' =>
        ['ompi/mca/part/ucx/api/', 'ompi/mca/coll/pschedule/call/coll_pschedule_call.h'],
    'ompi/mpiext/partitioned/fortran' => ['ompi/mca/coll/pschedule/call/coll_pschedule_call.h'],
    'tools' =>
        ['ompi/mca/part/ucx/api/', 'ompi/mca/part/ucx/base/part_ucx_memory_size.h',
         'ompi/mpiext/partitioned/c/mpix_partitioned', 'bench/common/'],
    'bench' => ['ompi/mpiext/partitioned/c/mpix_partitioned'],
);
# What nothing in a folder may reach.
my $ucx = qr{^(?:ucp|uct|ucs|opal/mca/common/ucx)/};
my $mpi = qr{^(?:ompi|opal)/|^(?:ompi|opal)_config\.h$|^mpi\.h$};
my %barred = (
    'ompi/mca/part/ucx/base/'             => $ucx,
    'ompi/mca/part/ucx/api/'              => $ucx,
    'ompi/mca/coll/pschedule/plan/'       => qr{$ucx|$mpi},
    'ompi/mca/coll/pschedule/patterns/'   => qr{$ucx|$mpi},
    'ompi/mca/coll/pschedule/algorithms/' => qr{$ucx|$mpi},
);
my $public = qr{^ompi/(?:mpiext/partitioned/c/mpix_partitioned\w*|mca/part/ucx/api/\w+)\.h$};
# Headers that only pass others on to users.
my %passes_on = ('ompi/mpiext/partitioned/c/mpix_partitioned.h' => qr{^mpix_partitioned_\w+\.h$});
my $max_circle = 4;

# ---- The tree ----

my @components = (sort(keys %layers), 'tools', 'bench');
my (%text, %includes);    # by file: its text without comments; [name, target or undef]...

sub component_of {
    my ($file) = @_;
    return (grep { index($file, "$_/") == 0 } @components)[0] // '';
}

# Where compilers look, by the components' Makefile.am.
sub target_of {
    my ($file, $name) = @_;
    my ($folder) = $file =~ m{^(.*)/};
    my @folders = ($folder, component_of($file), @components);
    return (grep { exists $text{$_} } (map { "$_/$name" } @folders), $name)[0];
}

sub read_tree {
    # A build in the sources makes the texts of help there.
    my @files = grep { !/_help_text\.c$/ }
        sort(split(/\n/, qx(find ompi tools bench -name '*.[ch]' 2>/dev/null)));
    for my $file (@files) {
        open(my $in, '<', $file) or die "$file: $!\n";
        $text{$file} = do { local $/; <$in> };
        $text{$file} =~ s{/\*.*?\*/|//[^\n]*}{ }gs;
    }
    for my $file (@files) {
        while ($text{$file} =~ /^\s*#\s*include\s*[<"]([^>"\n]+)[>"]/gm) {
            push @{$includes{$file}}, [$1, target_of($file, $1)];
        }
    }
}

# each_include FUNCTION: called with file, name, target of all that are in the tree.
sub each_include {
    my ($function) = @_;
    for my $file (sort keys %includes) {
        $function->($file, @$_) for grep { defined $_->[1] } @{$includes{$file}};
    }
}

# ---- Includes ----

# The number of a file's layer, undef if it is in none.
sub layer_of {
    my ($file) = @_;
    my $component = component_of($file);
    my $folder = substr($file, length($component) + 1) =~ m{^(.*)/} ? $1 : '.';
    my @names = @{$layers{$component} // [$folder]};
    return (grep { $names[$_] eq $folder } 0 .. $#names)[0];
}

sub upwards {
    for my $file (sort keys %text) {
        print "$file: its folder is no layer\n" unless defined layer_of($file);
    }
    each_include(sub {
        my ($file, $name, $target) = @_;
        return if component_of($file) ne component_of($target);
        return unless (layer_of($file) // 0) < (layer_of($target) // 0);
        print "$file: includes $name, upwards\n";
    });
}

sub elsewhere {
    each_include(sub {
        my ($file, $name, $target) = @_;
        my $component = component_of($file);
        return if $component eq component_of($target);
        return if grep { index($target, $_) == 0 } @{$doors{$component} // []};
        print "$file: includes $name of another component\n";
    });
}

# way_to FILE PATTERN: the includes by which a file reaches a header that is not of the tree.
sub way_to {
    my ($file, $pattern) = @_;
    my @queue = [$file];
    my %seen = ($file => 1);
    while (my $way = shift @queue) {
        for my $include (@{$includes{$way->[0]} // []}) {
            my ($name, $target) = @$include;
            my @names = (@$way[1 .. $#$way], $name);
            return @names if !defined $target && $name =~ $pattern;
            push @queue, [$target, @names] if defined $target && !$seen{$target}++;
        }
    }
    return ();
}

sub barred {
    for my $file (sort keys %includes) {
        for my $folder (grep { index($file, $_) == 0 } sort keys %barred) {
            my @way = way_to($file, $barred{$folder}) or next;
            print "$file: must not reach $way[-1]", @way > 1 ? " (by $way[0])" : '', "\n";
        }
    }
}

# ---- Circles ----

# A file's .c and .h are one.
sub node_of {
    my ($file) = @_;
    return $file =~ s/\.[ch]$//r;
}

sub reached_from {
    my ($edges, $start) = @_;
    my @queue = ($start);
    my %seen;
    while (defined(my $node = shift @queue)) {
        push @queue, grep { !$seen{$_}++ } sort keys %{$edges->{$node} // {}};
    }
    return \%seen;
}

# circles EDGES: lists of files each of which reaches all of its list.
sub circles {
    my ($edges) = @_;
    my %reached = map { $_ => reached_from($edges, $_) } keys %$edges;
    my (%done, @circles);
    for my $node (sort keys %reached) {
        next if $done{$node} || !$reached{$node}{$node};
        my @circle = grep { $reached{$_}{$node} && $reached{$node}{$_} } sort keys %reached;
        $done{$_} = 1 for @circle;
        push @circles, \@circle;
    }
    return @circles;
}

# print_circles HOW EDGES: EDGES is {from}{to} = why. Small ones are remarks.
sub print_circles {
    my ($how, $edges) = @_;
    for my $circle (circles($edges)) {
        my $large = @$circle > $max_circle;
        my $names = join(' ', map { s{^ompi/mca/}{}r } @$circle);
        print $large ? '' : '# ', 'circle of ', scalar @$circle, " files by $how: $names\n";
        next unless $large && @ARGV > 2;
        for my $from (@$circle) {
            for my $to (grep { exists $edges->{$from}{$_} } @$circle) {
                my @short = map { m{([^/]+)$} } $from, $to;
                print "#   $short[0] -> $short[1]: $edges->{$from}{$to}\n";
            }
        }
    }
}

sub include_circles {
    my %edges;
    each_include(sub {
        my ($from, $to) = map { node_of($_) } @_[0, 2];
        $edges{$from}{$to} = "by $_[0]" if $from ne $to;
    });
    print_circles('includes', \%edges);
}

# node_of_object NAME: libtool puts objects into .libs/, Automake may put the library's name before
# theirs.
sub node_of_object {
    my ($object) = @_;
    my $node = $object =~ s{^\./}{}r =~ s{\.libs/}{}r =~ s{/lib\w*?_la-}{/}r =~ s{\.l?o$}{}r;
    return exists $text{"$node.c"} ? $node : undef;
}

# A prototype that stands in a lower layer hides them from upwards().
sub remark_upward_calls {
    my ($edges) = @_;
    for my $from (sort keys %$edges) {
        for my $to (sort keys %{$edges->{$from}}) {
            next if component_of("$from.c") ne component_of("$to.c");
            next unless (layer_of("$from.c") // 0) < (layer_of("$to.c") // 0);
            print "# $from.c: calls $edges->{$from}{$to}, upwards\n";
        }
    }
}

sub call_circles {
    my (%defined, @wanted, %edges);
    while (<STDIN>) {
        /^(.+?):[0-9a-fA-F]*\s+([A-Za-z])\s+(\S+)$/ or next;
        my ($kind, $symbol) = ($2, $3);
        my $node = node_of_object($1) // next;
        $defined{$symbol} = $node if $kind =~ /[TW]/;
        push @wanted, [$node, $symbol] if $kind eq 'U';
    }
    for (@wanted) {
        my ($from, $symbol) = @$_;
        my $to = $defined{$symbol} // next;
        my $why = $edges{$from}{$to};
        $edges{$from}{$to} = defined $why ? "$why $symbol" : $symbol if $from ne $to;
    }
    print_circles('calls', \%edges);
    remark_upward_calls(\%edges) if @ARGV > 2;
}

# ---- Public headers ----

# What a C header is for; others, Open MPI's among them, are not looked at.
my %needed_for = (
    'stdarg.h'    => qr/\bva_(?:list|start|end|arg|copy)\b/,
    'stdatomic.h' => qr/\batomic_\w+|\b_Atomic\b|\bmemory_order/,
    'stdbool.h'   => qr/\b(?:bool|true|false)\b/,
    'stddef.h'    => qr/\b(?:size_t|NULL|offsetof|ptrdiff_t|max_align_t|wchar_t)\b/,
    'stdint.h'    => qr/\bu?int\w*_t\b|\bU?INT\w*_(?:MAX|MIN|C)\b|\bSIZE_MAX\b/,
);

# code_of FILE: without its includes and without what is in strings.
sub code_of {
    my ($file) = @_;
    return $text{$file} =~ s/^\s*#\s*include\b[^\n]*//gmr =~ s/"(?:\\.|[^"\\\n])*"/""/gr;
}

# outermost TEXT: declarations, with \x01 in the place of what is in braces.
sub outermost {
    my ($text) = @_;
    $text =~ s/^\s*#(?:[^\n]*\\\n)*[^\n]*//gm;
    $text =~ s/\bextern\s*""\s*\{//g;
    1 while $text =~ s/\{[^{}]*\}/\x01/g;
    $text =~ s/\b__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)//g;
    return $text =~ s/\)\s*\x01/);/gr;
}

# name_in DECLARATION: of a function, of a pointer to one, of a type or a variable.
sub name_in {
    my ($declaration) = @_;
    return undef if $declaration =~ /^\s*(?:struct|union|enum)\s+\w+\s*$/;
    return $2 // $1 if $declaration =~ /\b(\w+)\s*\(\s*(?:\*\s*(\w+))?/;
    return $declaration =~ /\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$/s ? $1 : undef;
}

# declared_by FILE: macros, tags, types, constants of enumerations, functions, variables.
sub declared_by {
    my ($file) = @_;
    my $text = code_of($file);
    my %names = map { $_ => 1 } $text =~ /^\s*#\s*define\s+(\w+)/gm;
    while ($text =~ /\benum\b[^{};]*\{([^{}]*)\}/g) {
        $names{$_} = 1 for map { /^\s*(\w+)/ } split(/,/, $1);
    }
    my $declarations = outermost($text);
    $names{$_} = 1 for $declarations =~ /\b(?:struct|union|enum)\s+(\w+)\s*\x01/g;
    # What is written in capitals is a macro's use: OBJ_CLASS_DECLARATION.
    $names{$_} = 1 for grep { defined && /[a-z]/ && $_ ne '_Static_assert' }
        map { name_in($_) } split(/;/, $declarations);
    return \%names;
}

sub is_needed {
    my ($file, $name, $target) = @_;
    my $code = code_of($file);
    return $code =~ $needed_for{$name} if !defined $target && exists $needed_for{$name};
    return 1 if !defined $target || $name =~ ($passes_on{$file} // qr/^$/);
    my $names = declared_by($target);
    return scalar grep { $names->{$_} } $code =~ /\b([A-Za-z_]\w*)\b/g;
}

sub public_headers {
    return grep { $_ =~ $public } sort keys %text;
}

sub unneeded {
    for my $file (public_headers()) {
        for (@{$includes{$file} // []}) {
            print "$file: does not need $_->[0]\n" unless is_needed($file, @$_);
        }
    }
}

my %commands = (
    upwards   => \&upwards,
    elsewhere => \&elsewhere,
    barred    => \&barred,
    includes  => \&include_circles,
    calls     => \&call_circles,
    unneeded  => \&unneeded,
    public    => sub { print "$_\n" for public_headers() },
);
my ($command, $root) = @ARGV;
die "usage: layers.pl COMMAND ROOT [details]\n" unless @ARGV > 1 && $commands{$command};
chdir($root) or die "$root: $!\n";
read_tree();
$commands{$command}->();
