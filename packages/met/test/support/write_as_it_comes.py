"""Writes weather as users have it: radiation in any unit, variables on levels, grids and times of their own.

    python write_as_it_comes.py DIRECTORY

The air is the same everywhere and forms lasting contrails; what differs is in the names of the files.
"""

import datetime
import sys
from pathlib import Path

import eccodes
import numpy as np
import xarray as xr

OUT = Path(sys.argv[1])
START = np.datetime64("2024-06-01T00:00:00", "ns")
LEVELS = [100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0]
GLOBE = (np.arange(-180.0, 180.0, 15.0), np.arange(-90.0, 90.1, 15.0))
HOURS = range(0, 7)
UNITS = {"t": "K", "q": "kg kg-1", "u": "m s-1", "v": "m s-1", "w": "Pa s-1", "ciwc": "kg kg-1", "z": "m2 s-2"}


def value(name, p, x):
    """By pressure [hPa], and for the temperature also by longitude."""
    t = 216 - 0.06 * (250 - p)
    ice = np.exp(-6024.5282 / t + 29.32707 + 1.0613868e-2 * t - 1.3198825e-5 * t * t - 0.49382577 * np.log(t))
    return {
        "t": t + 0.01 * np.cos(np.radians(x)),
        "q": 1.2 * 0.622 * ice / (100 * p),
        "u": 10.0,
        "v": 0.0,
        "w": 0.0,
        "ciwc": 2e-6 * p / 250,
        "z": 9.80665 * 7000 * np.log(1013.25 / p),
    }[name]


def on_levels(names, hours=HOURS, levels=LEVELS, grid=GLOBE):
    longitude, latitude = grid
    coordinates = {
        "time": START + np.array(list(hours)) * np.timedelta64(3600, "s"),
        "level": ("level", np.asarray(levels, "f8"), {"units": "hPa"}),
        "latitude": ("latitude", latitude, {"units": "degrees_north"}),
        "longitude": ("longitude", longitude, {"units": "degrees_east"}),
    }
    shape = (len(list(hours)), len(levels), len(latitude), len(longitude))
    p, x = np.asarray(levels)[None, :, None, None], np.asarray(longitude)[None, None, None, :]
    return xr.Dataset(
        {
            name: (("time", "level", "latitude", "longitude"), np.broadcast_to(value(name, p, x), shape).astype("f4"), {"units": UNITS[name]})
            for name in names
        },
        coords=coordinates,
    )


def radiation(units, factor, hours=range(0, 9), grid=GLOBE):
    """240 W m⁻² in and 230 W m⁻² out, times the factor."""
    longitude, latitude = grid
    attributes = {} if units is None else {"units": units}
    shape = (len(list(hours)), len(latitude), len(longitude))
    return xr.Dataset(
        {
            "tsr": (("time", "latitude", "longitude"), np.full(shape, 240 * factor, "f4"), attributes),
            "ttr": (("time", "latitude", "longitude"), np.full(shape, -230 * factor, "f4"), attributes),
        },
        coords={
            "time": START + np.array(list(hours)) * np.timedelta64(3600, "s"),
            "latitude": ("latitude", latitude, {"units": "degrees_north"}),
            "longitude": ("longitude", longitude, {"units": "degrees_east"}),
        },
    )


def netcdf(name, data):
    data.to_netcdf(OUT / f"{name}.nc", engine="netcdf4")


WIND = ["t", "q", "u", "v", "w"]
netcdf("air", on_levels(WIND))
netcdf("ice", on_levels(["ciwc"]))
netcdf("ice-three-hourly", on_levels(["ciwc"], hours=[0, 3, 6]))
netcdf("ice-few-levels", on_levels(["ciwc"], levels=[200.0, 250.0, 300.0, 350.0]))
netcdf("heights", on_levels(["z"]))
netcdf("heights-more-levels", on_levels(["z"], levels=[100.0, 125.0, 150.0, 175.0, 200.0, 225.0, 250.0, 300.0, 350.0, 400.0, 450.0]))
netcdf("heights-few-levels", on_levels(["z"], levels=[200.0, 250.0, 300.0, 350.0]))
netcdf("heights-other-levels", on_levels(["z"], levels=[110.0, 220.0]))
netcdf("heights-fine", on_levels(["z"], grid=(np.arange(-180.0, 180.0, 7.5), np.arange(-90.0, 90.1, 7.5))))
across = (np.arange(160.0, 201.0, 5.0), np.arange(0.0, 61.0, 10.0))
netcdf("across", on_levels([*WIND, "ciwc", "z"], grid=across))
netcdf("across-radiation", radiation("W m-2", 1, grid=across))

netcdf("joules", radiation("J m**-2", 3600))
netcdf("watts", radiation("W m-2", 1))
netcdf("no-unit", radiation(None, 3600))
netcdf("mislabelled", radiation("W m-2", 3600))
netcdf("joules-three-hourly", radiation("J m-2", 10_800, hours=range(0, 10, 3)))

air = on_levels([*WIND, "ciwc", "z"])
for name, data in (("joules", radiation("J m**-2", 3600)), ("mislabelled", radiation("W m-2", 3600))):
    data = data.sel(time=air.time)
    xr.merge([air, data]).to_zarr(OUT / f"{name}.zarr", mode="w", consolidated=True)


CODES = {"t": (0, 0, 0), "q": (0, 1, 0), "u": (0, 2, 2), "v": (0, 2, 3), "w": (0, 2, 8)}


def grib_field(file, code, level, step, values, statistic=None, since=0):
    message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
    keys = {
        "Ni": 24,
        "Nj": 13,
        "latitudeOfFirstGridPointInDegrees": 90,
        "latitudeOfLastGridPointInDegrees": -90,
        "longitudeOfFirstGridPointInDegrees": 0,
        "longitudeOfLastGridPointInDegrees": 345,
        "iDirectionIncrementInDegrees": 15,
        "jDirectionIncrementInDegrees": 15,
        "dataDate": 20240601,
        "dataTime": 0,
        "productDefinitionTemplateNumber": 0 if statistic is None else 8,
        "discipline": code[0],
        "parameterCategory": code[1],
        "parameterNumber": code[2],
        "stepUnits": 1,
        "bitsPerValue": 24,
    }
    if statistic is None:
        keys["stepRange"] = str(step)
    else:
        keys["typeOfStatisticalProcessing"] = statistic
        keys["stepRange"] = f"{since}-{step}"
    keys |= {
        "typeOfFirstFixedSurface": 8 if level is None else 100,
        "scaleFactorOfFirstFixedSurface": 0,
        "scaledValueOfFirstFixedSurface": 0 if level is None else int(100 * level),
    }
    for key, setting in keys.items():
        eccodes.codes_set(message, key, setting)
    eccodes.codes_set_values(message, np.broadcast_to(values, (13, 24)).astype("f8").ravel())
    eccodes.codes_write(message, file)
    eccodes.codes_release(message)


def grib_radiation(file, step, factor=3600.0, statistic=1):
    for code, flux in (((0, 4, 1), 240), ((0, 5, 5), -230)):
        grib_field(file, code, None, step, flux * factor * step, statistic)


x = np.arange(0, 360, 15.0)[None, :]
for step in range(0, 15):
    with open(OUT / f"run-levels-{step:03d}.grib2", "wb") as file:
        for name, code in CODES.items():
            for level in LEVELS:
                grib_field(file, code, level, step, value(name, level, x))
for step in range(1, 16):
    with open(OUT / f"run-radiation-{step:03d}.grib2", "wb") as file:
        grib_radiation(file, step)
with open(OUT / "run-start-000.grib2", "wb") as file:
    for code in ((0, 4, 1), (0, 5, 5)):
        grib_field(file, code, None, 0, 0.0)
with open(OUT / "wrong-radiation.grib2", "wb") as file:
    for step in range(1, 16):
        grib_radiation(file, step, factor=3600.0 * 3600)
