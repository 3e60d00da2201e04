"""Makes netCDF files of 3 GB quickly: only a corner of each variable is written, the rest takes no room on disk."""

import sys
from pathlib import Path

import netCDF4
import numpy as np

out = Path(sys.argv[1])
LEVELS = [100, 150, 175, 200, 225, 250, 300, 350, 400, 500, 600, 700, 850]
TIMES, LATITUDES, LONGITUDES = 30, np.arange(90, -90.1, -0.25), np.arange(0, 360, 0.25)
# 2024-04-01T10…12Z, 200…250 hPa, 40…60° north, 20…40° east
TIME, LEVEL, ROW, COLUMN = slice(10, 13), slice(3, 6), slice(120, 201), slice(80, 161)


def make(path, **storage):
    with netCDF4.Dataset(path, "w") as data:
        data.set_fill_off()
        for name, length in (("time", TIMES), ("level", len(LEVELS)), ("latitude", len(LATITUDES)), ("longitude", len(LONGITUDES))):
            data.createDimension(name, length)
        for name, dtype_, values, units in (
            ("time", "i4", [1_711_929_600 + 3600 * hour for hour in range(TIMES)], "seconds since 1970-01-01"),
            ("level", "f8", LEVELS, "hPa"),
            ("latitude", "f8", LATITUDES, "degrees_north"),
            ("longitude", "f8", LONGITUDES, "degrees_east"),
        ):
            data.createVariable(name, dtype_, (name,))[:] = values
            data[name].units = units
        for i, (name, units) in enumerate((("t", "K"), ("q", "kg kg**-1"))):
            variable = data.createVariable(name, "f4", ("time", "level", "latitude", "longitude"), **storage)
            variable.units = units
            time, level, row, column = np.ogrid[:3, :3, :81, :81]
            variable[TIME, LEVEL, ROW, COLUMN] = ((((i * 3 + time) * 3 + level) * 81) + row) * 81 + column


make(out / "plain.nc", contiguous=True)
make(out / "chunked.nc", zlib=True, complevel=1, shuffle=True)
