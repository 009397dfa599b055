# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Turns a help file into C: a table of topics and their texts, of the type in part_ucx_show.h. Lines
# that start with # are comments, [name] starts a topic; blank lines at the end of a topic are
# dropped.
#
#     awk -v header=part_ucx_help.h -v table=mca_part_ucx_help_topics -f help-to-c.awk FILE

function emit_topic()
{
    if (topic != "") {
        printf "    {\"%s\",\n%s    },\n", topic, text
    }
    text = ""
    blank = ""
}

function quoted(line)
{
    gsub(/\\/, "\\\\", line)
    gsub(/"/, "\\\"", line)
    return "     \"" line "\\n\"\n"
}

BEGIN {
    print "/* Made by help-to-c.awk from the help file of this folder: edit that. */"
    print "#include \"" header "\"\n"
    print "const mca_part_ucx_help_topic_t " table "[] = {"
}

/^#/ { next }

/^\[.+\]$/ {
    emit_topic()
    topic = substr($0, 2, length($0) - 2)
    next
}

topic == "" { next }

/^$/ {
    blank = blank quoted("")
    next
}

{
    text = text blank quoted($0)
    blank = ""
}

END {
    emit_topic()
    print "    {0, 0},\n};"
}
