# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the targets of the fuzzer, and of the component what they need, with clang and its
# sanitizers. `make fuzz` in the test folder of a build (test/Makefile.am) gives the variables.

component = $(top)/ompi/mca/part/ucx
unit = $(top)/test/unit
# Open MPI calls constructors of its classes through pointers of another type.
sanitizers = -fsanitize=address,undefined -fno-sanitize=function -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
# A type of Open MPI's headers, which nothing here uses and clang 14 does not have.
short_float := $(shell echo '_Float16 a;' | $(CLANG) -x c -fsyntax-only - 2>/dev/null || \
	echo -D_Float16=float)
compile = $(CLANG) -std=gnu11 -g -O1 $(sanitizers) -fsanitize=fuzzer-no-link \
	-Wno-unknown-warning-option $(short_float) $(CPPFLAGS) -I$(build) -I$(unit) -I$(component) -MMD -MP -c

pure = $(addprefix component/, wireup/part_ucx_read.o path/part_ucx_business_card.o channel/part_ucx_map.o)
all_sources = $(wildcard $(component)/*/*.c)
objects = $(all_sources:$(component)/%.c=component/%.o) help/part_ucx_help_text.o
stand_ins = unit/channel.o unit/fakeucx.o unit/fakeucx_calls.o unit/unit.o
twins = unit/channel.o unit/fakecables.o unit/fakehelp.o unit/fakesystem.o unit/line.o unit/twins.o \
	unit/unit.o

all: setup messages failover

setup: fuzz/setup.o $(pure)
	@echo "  FUZZLD   $@"; $(CLANG) $(sanitizers) -fsanitize=fuzzer $^ -o $@

messages: fuzz/messages.o $(stand_ins) $(objects)
	@echo "  FUZZLD   $@"; $(CLANG) $(sanitizers) -fsanitize=fuzzer $(LDFLAGS) $^ $(LIBS) -o $@

failover: fuzz/failover.o $(twins) $(objects)
	@echo "  FUZZLD   $@"; $(CLANG) $(sanitizers) -fsanitize=fuzzer $(LDFLAGS_TWINS) $^ $(LIBS) -o $@

seeds: $(top)/test/fuzz/seeds.c
	@echo "  FUZZLD   $@"; $(CLANG) -std=gnu11 $(CPPFLAGS) -I$(component) $< -o $@

fuzz/%.o: $(top)/test/fuzz/%.c
	@mkdir -p $(@D)
	@echo "  FUZZ     $@"; $(compile) $< -o $@

unit/%.o: $(unit)/%.c
	@mkdir -p $(@D)
	@echo "  FUZZ     $@"; $(compile) $< -o $@

help/part_ucx_help_text.o: $(build)/ompi/mca/part/ucx/part_ucx_help_text.c
	@mkdir -p $(@D)
	@echo "  FUZZ     $@"; $(compile) $< -o $@

component/%.o: $(component)/%.c
	@mkdir -p $(@D)
	@echo "  FUZZ     $@"; $(compile) $< -o $@

-include $(wildcard */*.d */*/*.d)
.PHONY: all
