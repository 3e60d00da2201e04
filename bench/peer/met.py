"""What pycontrails and xarray take for what bench/met.ts measures. Prints one line of JSON."""

import json
import resource
import sys
import time

import numpy as np
import xarray as xr
from pycontrails import MetDataset
from pycontrails.core.interpolation import interp

RENAME = {
    "valid_time": "time", "pressure_level": "level", "t": "air_temperature", "q": "specific_humidity", "u": "eastward_wind",
    "v": "northward_wind", "w": "lagrangian_tendency_of_air_pressure", "ciwc": "specific_cloud_ice_water_content",
    "z": "geopotential", "gh": "geopotential_height", "tsr": "top_net_solar_radiation", "ttr": "top_net_thermal_radiation",
}


LEVELS = [150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600]


def open_data(directory, layout):
    """What is on levels, and radiation."""
    if layout == "zarr":
        data = xr.open_zarr(f"{directory}/era5.zarr", chunks={"time": 1})
        radiation = ["tsr", "ttr"]
        return data.drop_vars(radiation).sel(level=LEVELS), data[radiation]
    options = {"chunks": {"time" if layout == "packed" else "valid_time": 1}, "engine": "netcdf4"}
    levels = xr.open_mfdataset([f"{directory}/era5-pl-a.nc", f"{directory}/era5-pl-b.nc"], **options)
    return levels, xr.open_mfdataset([f"{directory}/era5-sl.nc"], **options)


def load(directory, layout, hours):
    """From files to what a model interpolates in, as `ERA5.open_metdataset` does it with files at hand."""
    started = time.perf_counter()
    levels, single = (
        data.rename({old: new for old, new in RENAME.items() if old in data.variables}).isel(time=slice(0, hours))
        for data in open_data(directory, layout)
    )
    sets = [MetDataset(data, wrap_longitude=True) for data in (levels, single.expand_dims({"level": [-1.0]}))]
    for one in sets:
        one.data.load()
    seconds = time.perf_counter() - started
    values = sum(variable.size for one in sets for variable in one.data.data_vars.values())
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    return {"seconds": seconds, "cpuSeconds": cpu, "peakBytes": usage.ru_maxrss * 1024, "values": values}


def interpolate(points_file, variables):
    """Nine float32 variables on a global 0.25° grid with 12 levels and 2 times, at the points of a file of doubles."""
    longitude, latitude, level, hour = np.fromfile(points_file).reshape(4, -1)
    coordinates = {
        "longitude": np.arange(-180, 180.1, 0.25),
        "latitude": np.arange(-90, 90.1, 0.25),
        "level": np.array([150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600], "f8"),
        "time": np.array(["2024-04-01T00", "2024-04-01T01"], "datetime64[ns]"),
    }
    shape = tuple(len(values) for values in coordinates.values())
    plane = np.random.default_rng(1).random(shape, "f4")
    fields = [xr.DataArray(plane + i, dims=list(coordinates), coords=coordinates) for i in range(variables)]
    when = coordinates["time"][0] + (hour * 3.6e12).astype("timedelta64[ns]")
    options = {"method": "linear", "bounds_error": False, "fill_value": np.nan, "localize": False}
    where = (longitude, latitude, level, when)

    def plain():
        for field in fields:
            interp(*where, field, **options)

    def shared():
        _, indices = interp(*where, fields[0], return_indices=True, **options)
        for field in fields[1:]:
            interp(*where, field, indices=indices, **options)

    return {"plainNs": best_of(plain, len(longitude)), "sharedNs": best_of(shared, len(longitude))}


def best_of(work, points):
    """Nanoseconds per point of the best of three runs."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds) / points * 1e9


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    answer = load(*arguments[:2], int(arguments[2])) if command == "load" else interpolate(arguments[0], int(arguments[1]))
    print(json.dumps(answer))
