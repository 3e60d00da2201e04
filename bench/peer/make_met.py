"""Makes the weather of the benchmark once, in one of three layouts: netCDF-4 as the Copernicus store delivers ERA5 today
(float32 that came from 16-bit GRIB, shuffled and deflated at level 1, blocks as the library chooses them), classic
netCDF as it used to deliver it (packed int16), or Zarr like ARCO-ERA5 (a chunk holds an hour on all 37 levels).

    python make_met.py DIRECTORY netcdf|packed|zarr HOURS
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import netCDF4
import numcodecs
import numpy as np
import zarr

LEVELS = [150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600]
ALL_LEVELS = [1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 125, *LEVELS, 650, 700, 750, 775, 800, 825, 850, 875, 900, 925, 950, 975, 1000]
LATITUDES = np.arange(90, -90.1, -0.25)
LONGITUDES = np.arange(0, 360, 0.25)
SHAPE = (len(LATITUDES), len(LONGITUDES))
START_S = 1_711_929_600  # 2024-04-01T00:00Z
ON_LEVELS = {
    "t": ("K", 230, 30), "q": ("kg kg**-1", 1e-4, 1e-4), "u": ("m s**-1", 10, 30), "v": ("m s**-1", 0, 30),
    "w": ("Pa s**-1", 0, 1), "ciwc": ("kg kg**-1", 1e-6, 1e-5), "z": ("m**2 s**-2", 1e5, 5e4), "gh": ("gpm", 1e4, 5e3),
}
SINGLE = {"tsr": ("J m**-2", 1e6, 5e5), "ttr": ("J m**-2", -8e5, 1e5)}


class Fields:
    """Planes that compress like weather."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.rough = np.repeat(np.repeat(rng.standard_normal((91, 180)), 8, 0), 8, 1)[: SHAPE[0], : SHAPE[1]]
        self.noise = 0.02 * rng.standard_normal(SHAPE)
        self.y, self.x = np.radians(LATITUDES)[:, None], np.radians(LONGITUDES)[None, :]

    def plane(self, mean, span, hour, k):
        wave = np.sin(self.x + 0.1 * hour + 0.2 * k) * np.cos(self.y) + 0.1 * np.roll(self.rough, 3 * hour + 5 * k, 1)
        return mean + span * (wave + np.roll(self.noise, (7 * k, 11 * hour), (0, 1)))


def quantise(values):
    """To the 65 536 values that a field of a GRIB message can have."""
    low = values.min()
    step = (values.max() - low) / 65_535
    return (np.round((values - low) / step) * step + low).astype("f4")


def make_netcdf(path, variables, levels, hours, packed):
    fields = Fields(len(path.name))
    part = path.with_suffix(".part")
    time, level = ("time", "level") if packed else ("valid_time", "pressure_level")
    with netCDF4.Dataset(part, "w", format="NETCDF3_64BIT_OFFSET" if packed else "NETCDF4") as data:
        lengths = {time: hours, **({level: len(levels)} if levels else {}), "latitude": SHAPE[0], "longitude": SHAPE[1]}
        for name, length in lengths.items():
            data.createDimension(name, length)
        seconds = [START_S + 3600 * h for h in range(hours)]
        coordinates = {
            "valid_time": ("i8", seconds, "seconds since 1970-01-01"),
            "time": ("i4", [s // 3600 + 613_608 for s in seconds], "hours since 1900-01-01 00:00:00.0"),
            "latitude": ("f4" if packed else "f8", LATITUDES, "degrees_north"),
            "longitude": ("f4" if packed else "f8", LONGITUDES, "degrees_east"),
            "pressure_level": ("f8", levels, "hPa"),
            "level": ("i4", levels, "millibars"),
        }
        for name in lengths:
            dtype, values, units = coordinates[name]
            variable = data.createVariable(name, dtype, (name,))
            variable.units = units
            variable[:] = values
        storage = {"fill_value": -32767} if packed else {"zlib": True, "complevel": 1, "shuffle": True}
        for name, (units, mean, span) in variables.items():
            variable = data.createVariable(name, "i2" if packed else "f4", tuple(lengths), **storage)
            variable.units = units
            if packed:
                variable.scale_factor, variable.add_offset = 3 * span / 65_532, float(mean)
            for hour in range(hours):
                planes = [fields.plane(mean, span, hour, k) for k in range(len(levels) or 1)]
                values = np.stack(planes if packed else [quantise(plane) for plane in planes])
                # Whole blocks at once, or the library unpacks and packs them again for every level.
                variable[hour] = values if levels else values[0]
    part.rename(path)


def make_array(path, name, units, mean, span, levels, hours):
    group = zarr.open_group(path, mode="a", zarr_format=2)
    shape = (*((len(levels),) if levels else ()), *SHAPE)
    array = group.create_array(
        name, shape=(hours, *shape), dtype="f4", chunks=(1, *shape), fill_value=np.nan,
        compressors=[numcodecs.Blosc(cname="lz4", clevel=5, shuffle=1)],
    )
    array.attrs.update({"units": units, "_ARRAY_DIMENSIONS": ["time", *(["level"] if levels else []), "latitude", "longitude"]})
    fields = Fields(len(name))
    for hour in range(hours):
        planes = [quantise(fields.plane(mean, span, hour, k)) for k in range(len(levels) or 1)]
        array[hour] = np.stack(planes) if levels else planes[0]


def make_zarr(path, hours, pool):
    part = path.with_suffix(".part")
    group = zarr.open_group(part, mode="w", zarr_format=2)
    for name, values, units in (
        ("time", np.arange(hours) + START_S // 3600, "hours since 1970-01-01"),
        ("level", np.array(ALL_LEVELS), "hPa"),
        ("latitude", LATITUDES.astype("f4"), "degrees_north"),
        ("longitude", LONGITUDES.astype("f4"), "degrees_east"),
    ):
        # A fill value of 0 would make the peer take the meridian of Greenwich for missing.
        array = group.create_array(name, shape=values.shape, dtype=values.dtype, fill_value=-1)
        array.attrs.update({"units": units, "_ARRAY_DIMENSIONS": [name]})
        array[...] = values
    tasks = [(name, *what, ALL_LEVELS) for name, what in ON_LEVELS.items()]
    tasks += [(name, *what, []) for name, what in SINGLE.items()]
    for task in [pool.submit(make_array, part, *task, hours) for task in tasks]:
        task.result()
    zarr.consolidate_metadata(part, zarr_format=2)
    part.rename(path)


if __name__ == "__main__":
    out, layout, hours = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        if layout == "zarr":
            make_zarr(out / "era5.zarr", hours, pool)
        else:
            names = list(ON_LEVELS)
            tasks = [
                (out / "era5-pl-a.nc", {name: ON_LEVELS[name] for name in names[:4]}, LEVELS),
                (out / "era5-pl-b.nc", {name: ON_LEVELS[name] for name in names[4:]}, LEVELS),
                (out / "era5-sl.nc", SINGLE, []),
            ]
            for task in [pool.submit(make_netcdf, *task, hours, layout == "packed") for task in tasks]:
                task.result()
