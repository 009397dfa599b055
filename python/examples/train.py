# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Data-parallel training of a small network in numpy: each rank has a part of every batch, and all
add up their gradients in each step.

    mpirun -n 2 --mca part ucx python train.py                           # layer by layer
    mpirun -n 2 python train.py --exchange allreduce                     # all, after the backward pass

With "partitioned" a layer's gradients leave as soon as the backward pass has them, and travel while
it computes those of the layers before. It is the same training: the losses are the same, but for
the order in which numbers are added.
"""

import argparse
import time

import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD


class Network:
    """Layers of width x width weights and tanh. Weights and gradients are one array each, so that
    all gradients are one message; its partitions are the layers."""

    def __init__(self, layers, width):
        random = np.random.default_rng(seed=1)
        self.weights = random.standard_normal((layers, width, width), dtype="f4") / width**0.5
        self.gradients = np.zeros_like(self.weights)
        self.outputs = []

    def forward(self, values):
        """What the network makes of a batch; the outputs of all layers are kept."""
        self.outputs = [values]
        for weights in self.weights:
            values = np.tanh(values @ weights)
            self.outputs.append(values)
        return values

    def backward(self, error):
        """Computes the gradients, from the last layer to the first, and yields each layer when its
        gradients are there."""
        for layer in reversed(range(len(self.weights))):
            error = error * (1 - self.outputs[layer + 1] ** 2)
            np.matmul(self.outputs[layer].T, error, out=self.gradients[layer])
            yield layer
            error = error @ self.weights[layer].T

    def update(self, rate):
        """A step against the gradients."""
        self.weights -= rate * self.gradients


class Alone:
    """No exchange: what a step costs by itself."""

    def __init__(self, network):
        self.network = network

    def backward(self, error):
        """All gradients, of this rank only."""
        for _ in self.network.backward(error):
            pass


class Allreduce(Alone):
    """MPI's own collective, when all gradients are there."""

    def backward(self, error):
        """All gradients, summed over the ranks."""
        super().backward(error)
        COMM.Allreduce(MPI.IN_PLACE, self.network.gradients)


class Partitioned(Alone):
    """A partitioned collective, which gets each layer when it is there."""

    def __init__(self, network):
        import mpix_partitioned as mpix  # only here: the others run without it

        super().__init__(network)
        self.request = mpix.Pallreduce_init(
            COMM, MPI.IN_PLACE, network.gradients, partitions=len(network.weights), op=MPI.SUM
        )

    def backward(self, error):
        """The same sums. No gradients are touched between its Pready and Wait."""
        self.request.Start()
        for layer in self.network.backward(error):
            self.request.Pready(layer)
        self.request.Wait()


EXCHANGES = {"partitioned": Partitioned, "allreduce": Allreduce, "none": Alone}


def train(options):
    """The losses and the seconds of all steps, those of the slowest rank."""
    network = Network(options.layers, options.width)
    exchange = EXCHANGES[options.exchange](network)
    random = np.random.default_rng(seed=2 + COMM.rank)
    losses, times = np.zeros(options.steps), np.zeros(options.steps)
    for step in range(options.steps):
        batch = random.standard_normal((options.batch, options.width), dtype="f4")
        wanted = np.sin(batch)
        COMM.Barrier()
        started = time.perf_counter()
        error = network.forward(batch) - wanted
        exchange.backward(error / (options.batch * COMM.size))
        network.update(rate=0.1)
        times[step] = time.perf_counter() - started
        losses[step] = np.mean(error**2)
    COMM.Allreduce(MPI.IN_PLACE, losses)
    COMM.Allreduce(MPI.IN_PLACE, times, MPI.MAX)
    return losses / COMM.size, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exchange", choices=EXCHANGES, default="partitioned")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch", type=int, default=256, help="of each rank")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    losses, times = train(options)
    if COMM.rank == 0:
        late = times[options.steps // 4 :]  # connections and memory are there
        print(
            f"{options.exchange}, {COMM.size} ranks: loss {losses[0]:.4f} to {losses[-1]:.4f}, "
            f"{1e3 * np.median(late):.2f} ms per step"
        )


main()
