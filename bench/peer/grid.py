"""What pycontrails takes for what bench/grid.ts measures. Arguments: weather file, time, model, file to write. Prints one line of JSON."""

import json
import resource
import sys
import time
import warnings

import numpy as np
import xarray as xr
from pycontrails import MetDataset
from pycontrails.models.humidity_scaling import ExponentialBoostLatitudeCorrectionHumidityScaling
from pycontrails.models.issr import ISSR
from pycontrails.models.pcr import PCR
from pycontrails.models.sac import SAC
from pycontrails.physics import units

warnings.filterwarnings("ignore")
RENAME = {"valid_time": "time", "pressure_level": "level", "t": "air_temperature", "q": "specific_humidity"}
weather, when, model, output = sys.argv[1:]

started = time.perf_counter()
flight_levels = np.arange(270, 441, 10)
met = MetDataset(xr.open_dataset(weather).rename(RENAME), wrap_longitude=True)
met.data.load()
source = MetDataset.from_coords(
    longitude=np.arange(-180, 180, 0.25),
    latitude=np.arange(-90, 90.1, 0.25),
    level=units.ft_to_pl(flight_levels * 100.0),
    time=[np.datetime64(when)],
)
grid = {"sac": SAC, "issr": ISSR, "pcr": PCR}[model](
    met, humidity_scaling=ExponentialBoostLatitudeCorrectionHumidityScaling()
).eval(source)
array = grid.data[model].astype("f4")
array.to_netcdf(
    output,
    encoding={model: {"zlib": True, "complevel": 1, "shuffle": True, "chunksizes": (1440, 721, 1, 1)}},
)
seconds = time.perf_counter() - started
usage = resource.getrusage(resource.RUSAGE_SELF)
answer = {
    "seconds": seconds,
    "cpuSeconds": usage.ru_utime + usage.ru_stime,
    "peakBytes": usage.ru_maxrss * 1024,
    "ones": int((array == 1).sum()),
}

if model == "issr":
    options = {"fill_value": 0.0, "iso_value": 0.5, "min_area": 0.3, "epsilon": 0.05, "precision": 2, "interiors": True}
    started = time.thread_time()
    features = [grid[model].to_polygon_feature(level=level, **options) for level in source.data["level"].values]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    answer["polygonSeconds"] = time.thread_time() - started
    answer["polygonBytes"] = len(text)
print(json.dumps(answer))
