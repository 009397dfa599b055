# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What persistent.py makes of numbers that are known. Run by bench/check.sh; python3 -m unittest
discover -s bench/scripts does, too."""

import unittest

import persistent


def row(collective, size, served, gain):
    return {"_program": collective, "_size": size, "served": served, "gain": gain}


def measured(*rows):
    numbers = persistent.Measured()
    numbers.add("8x1", rows)
    return numbers


class Tables(unittest.TestCase):
    def test_what_is_handed_on_is_no_gain_and_no_loss(self):
        numbers = measured(row("bcast", 8, 0.0, 0.0), row("bcast", 512, 1.0, 2.5))
        self.assertEqual({("bcast", 512): 2.5}, numbers.gains("8x1"))
        self.assertIn("| bcast | - | 2.50 |", persistent.table_of("8x1", numbers))

    def test_medians_of_runs_count(self):
        numbers = measured(*(row("scan", 8, 1.0, gain) for gain in (0.5, 1.2, 9.0)))
        self.assertEqual({("scan", 8): 1.2}, numbers.gains("8x1"))

    def test_what_is_slower_is_bold_and_breaks_the_claim(self):
        numbers = measured(row("bcast", 8, 1.0, 0.96), row("reduce", 8, 1.0, 3.0))
        self.assertIn("| bcast | **0.96** |", persistent.table_of("8x1", numbers))
        (_, _, seen, holds), = persistent.claims_of(numbers)
        self.assertFalse(holds)
        self.assertIn("0.960 (bcast, 8 B)", seen)

    def test_where_nothing_is_served_the_claim_holds(self):
        (_, _, seen, holds), = persistent.claims_of(measured(row("bcast", 8, 0.0, 0.0)))
        self.assertTrue(holds)
        self.assertEqual("nothing is served", seen)

    def test_buffers_of_all_ranks_are_not_too_large(self):
        names = ["bcast", "alltoall"]
        self.assertEqual(names, persistent.fitting(names, persistent.MOST // 8, 8))
        self.assertEqual(["bcast"], persistent.fitting(names, persistent.MOST // 4, 8))
        self.assertEqual([], persistent.fitting(names, 2 * persistent.MOST, 2))


if __name__ == "__main__":
    unittest.main()
