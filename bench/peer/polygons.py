"""Peer of bench/polygons.ts: the same planes through pycontrails' polygons and GeoJSON. Prints ms of CPU per level."""

import json
import time
import warnings

import numpy as np
from pycontrails.core.polygon import find_multipolygon, multipolygon_to_geojson

warnings.filterwarnings("ignore")

LEVELS = 18
TOLERANCES = {0: 0.0, 3: 0.05, 10: 0.5}
WAVES = [(2, 3, 1), (11, 7, 0.8), (29, 23, 0.6), (83, 61, 0.4), (161, 131, 0.25)]


def plane(level, longitude, latitude):
    lon, lat = np.meshgrid(longitude, latitude, indexing="ij")
    total = sum(
        size * np.sin((a * lon + 7 * level) / 57.3) * np.cos((b * lat + 11 * level + 0.3 * lon) / 57.3)
        for a, b, size in WAVES
    )
    return (total > 0.7).astype(np.float32)


def write(values, longitude, latitude, simplify):
    found = find_multipolygon(
        values,
        0.5,
        simplify / 10,
        TOLERANCES[simplify],
        longitude=longitude,
        latitude=latitude,
        precision=3 if simplify == 0 else 2,
    )
    return len(json.dumps(multipolygon_to_geojson(found, 10668, {"level": 350})))


def milliseconds(runs, work):
    started = time.thread_time()
    for run in range(runs):
        work(run)
    return (time.thread_time() - started) / runs * 1e3


longitude, latitude = np.arange(-180, 180, 0.25), np.arange(-90, 90.1, 0.25)
planes = [plane(level, longitude, latitude) for level in range(LEVELS)]
belt = np.arange(-30, -9.9, 0.25), np.arange(40, 60.1, 0.25)
small = plane(0, *belt)

timings = {
    f"global level, simplify {simplify}": milliseconds(
        LEVELS, lambda run, simplify=simplify: write(planes[run], longitude, latitude, simplify)
    )
    for simplify in TOLERANCES
}
timings["20° × 20°, simplify 3"] = milliseconds(50, lambda run: write(small, *belt, 3))
print(json.dumps(timings))
