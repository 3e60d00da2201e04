"""Compares a grid with the pattern of write-big-grid.ts. Argument: the file."""

import json
import sys

import netCDF4
import numpy as np

with netCDF4.Dataset(sys.argv[1]) as dataset:
    dataset.set_auto_maskandscale(False)
    issr = dataset["issr"]
    cell = np.arange(1440 * 721)
    wrong = 0
    for level in range(18):
        expected = ((cell + 977 * level) % 5000 < 700).astype(np.float32)
        expected[0] = np.nan
        found = issr[:, :, level, 0].reshape(-1)
        wrong += int((~((found == expected) | (np.isnan(found) & np.isnan(expected)))).sum())
    json.dump({"shape": issr.shape, "chunks": issr.chunking(), "wrong": wrong}, sys.stdout)
