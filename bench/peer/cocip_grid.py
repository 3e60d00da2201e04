"""What pycontrails takes for the cells of bench/cocip-grid.ts. Arguments: weather, cells per degree, levels, file of ours. Prints one line of JSON."""

import json
import resource
import sys
import time
import warnings

import numpy as np
import xarray as xr
from pycontrails import MetDataset
from pycontrails.models.cocipgrid import CocipGrid
from pycontrails.models.humidity_scaling import ExponentialBoostLatitudeCorrectionHumidityScaling
from pycontrails.models.ps_model import PSGrid
from pycontrails.physics import units

warnings.filterwarnings("ignore")
weather, cells_per_degree, levels, ours = sys.argv[1:]
step = 1 / float(cells_per_degree)
flight_levels = np.array([int(level) for level in levels.split(",")])

data = xr.open_dataset(weather).astype("f8")
radiation = ["toa_net_downward_shortwave_flux", "toa_outgoing_longwave_flux"]
met = MetDataset(data.drop_vars(radiation).load(), wrap_longitude=True)
rad = MetDataset(data[radiation].expand_dims(level=[-1]).load(), wrap_longitude=True)
rad.data.attrs.update(provider="Contrails", dataset="synthetic", product="demonstration")


def run(step, horizontal):
    source = MetDataset.from_coords(
        longitude=np.arange(-180, 180, step),
        latitude=np.arange(-90, 90.01, step) if horizontal is None else horizontal,
        level=units.ft_to_pl(flight_levels * 100.0),
        time=[np.datetime64("2024-01-15T12:00")],
    )
    model = CocipGrid(
        met,
        rad,
        humidity_scaling=ExponentialBoostLatitudeCorrectionHumidityScaling(),
        aircraft_performance=PSGrid(),
        aircraft_type="B738",
        dt_integration=np.timedelta64(5, "m"),
        max_age=np.timedelta64(12, "h"),
        azimuth=None,
        segment_length=None,
        dsn_dz_factor=0.665,
        min_altitude_m=None,
        max_altitude_m=None,
        # The buffer of the whole grid, whichever of its levels are computed.
        met_level_buffer=(20 + units.ft_to_pl(100 * flight_levels.max()) - units.ft_to_pl(44000), 20 + units.ft_to_pl(27000) - units.ft_to_pl(100 * flight_levels.min())),
        target_split_size=100_000,
        target_split_size_pre_SAC_boost=2.5,
        show_progress=False,
        compute_tau_cirrus_in_model_init=True,
    )
    started, cpu = time.perf_counter(), time.process_time()
    result = model.eval(source)
    return result, time.perf_counter() - started, time.process_time() - cpu


run(20, np.arange(-80, 81, 40.0))
runs = [run(step, None) for _ in range(3)]
result = runs[0][0]
seconds = min(run[1] for run in runs)
cpu_seconds = min(run[2] for run in runs)
theirs = result.data["ef_per_m"].transpose("longitude", "latitude", "level", "time")
theirs = theirs.sortby("level", ascending=False).values
mine = xr.open_dataset(ours, decode_timedelta=False)["ef_per_m"].values
both = (theirs != 0) & (mine != 0)
relative = np.abs(mine[both] - theirs[both]) / np.abs(theirs[both])
print(
    json.dumps(
        {
            "seconds": seconds,
            "cpuSeconds": cpu_seconds,
            "peakBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "contrails": int((theirs != 0).sum()),
            "flips": int(((theirs != 0) != (mine != 0)).sum()),
            "median": float(np.median(relative)),
            "p99": float(np.quantile(relative, 0.99)),
            "worst": float(relative.max()),
        }
    )
)
