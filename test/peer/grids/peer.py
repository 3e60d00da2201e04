"""Runs pycontrails' CocipGrid over the weather and the custom grids of a folder; one JSON line of cells for each grid."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pycontrails
from pycontrails import MetDataset, SAFBlend
from pycontrails.models.cocipgrid import CocipGrid
from pycontrails.models.humidity_scaling import (
    ConstantHumidityScaling,
    ExponentialBoostLatitudeCorrectionHumidityScaling,
    HistogramMatching,
)
from pycontrails.models.ps_model import PSGrid

sys.path.insert(0, str(Path(__file__).parent.parent / "trajectories"))
from peer import read_weather  # noqa: E402

warnings.filterwarnings("ignore")
folder = Path(sys.argv[1])
SCALINGS = {
    "none": lambda: None,
    "constant_scale": lambda: ConstantHumidityScaling(rhi_adj=0.97),
    "exponential_boost_latitude_customization": ExponentialBoostLatitudeCorrectionHumidityScaling,
    "histogram_matching": lambda: HistogramMatching(level_type="pressure"),
}


def run(grid: dict) -> str:
    azimuth = grid.get("azimuthDeg")
    params = {}
    if grid.get("safBlendPercent") is not None:
        params["fuel"] = SAFBlend(grid["safBlendPercent"])
    model = CocipGrid(
        met,
        rad,
        humidity_scaling=SCALINGS[grid["scaling"]](),
        aircraft_performance=PSGrid(),
        aircraft_type=grid["aircraftType"],
        dt_integration=np.timedelta64(round(60 * (grid.get("dtIntegrationMinutes") or 5)), "s"),
        max_age=np.timedelta64(round(3600 * (grid.get("maxAgeHours") or 12)), "s"),
        azimuth=azimuth,
        segment_length=None if azimuth is None else 1000.0,
        dsn_dz_factor=0.665 if azimuth is None else 0.0,
        min_altitude_m=None,
        max_altitude_m=None,
        met_level_buffer=(1000.0, 1000.0),
        show_progress=False,
        compute_tau_cirrus_in_model_init=True,
        **params,
    )
    source = MetDataset.from_coords(
        longitude=cells["longitude"],
        latitude=cells["latitude"],
        level=cells["level"],
        time=[np.datetime64(cells["time"], "s")],
    )
    result = model.eval(source)
    axes = ("longitude", "latitude", "level", "time")
    column = lambda name: result.data[name].sel(level=cells["level"]).transpose(*axes).values.ravel().tolist()
    return json.dumps({"efPerM": column("ef_per_m"), "ageHours": column("contrail_age")})


if __name__ == "__main__":
    met, rad = read_weather()
    cells = json.loads((folder / "cells.json").read_text())
    with (folder / "grids.ndjson").open("w") as out:
        for grid in json.loads((folder / "grids.json").read_text()):
            out.write(run(grid) + "\n")
    print(pycontrails.__version__)
