"""A trained network labels the sequences of a document together, with its rows worked out before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from crfdeid.errors import ModelError
from crfdeid.files import open_whole
from crfdeid.systems.rnn.network import NETWORKS, Network, batches
from crfdeid.systems.rnn.training import threads


class Labeller:
    """``bias`` [labels] is added to the scores of the labels."""

    def __init__(self, network: Network, bias: Sequence[float], count: int) -> None:
        self.network, self.bias, self.threads = network.eval(), torch.tensor(bias), count
        with torch.inference_mode(), threads(count):
            self.rows = network.rows()

    def best(self, sequences: Sequence[Sequence[int]]) -> list[list[int]]:
        """The labels' numbers of each sequence of word numbers."""
        found: list[list[int]] = [[]] * len(sequences)
        with torch.inference_mode(), threads(self.threads):
            for indices, words in batches(sequences):
                scores = self.network.summed(self.rows, words) + self.bias
                for index, path in zip(indices, scores.argmax(2).T.tolist()):
                    found[index] = path[: len(sequences[index])]
        return found


def write(network: Network, path: Path) -> None:
    """The weights, in safetensors' format."""
    with open_whole(path, "wb") as file:
        file.write(save({name: weights.contiguous() for name, weights in network.state_dict().items()}))


def read(path: Path, options: Any, words: int, labels: int) -> Network:
    """The network of that file. Raises :class:`ModelError` where it is none, or one of other sizes."""
    vectors = torch.empty(words, options.size)
    network = NETWORKS[options.network](vectors, labels, options.window, options.hidden, options.layers)
    try:
        network.load_state_dict(load(path.read_bytes()))
    except (OSError, SafetensorError, RuntimeError):
        raise ModelError(f"{path}: damaged, or no network of this model's words and settings") from None
    return network
