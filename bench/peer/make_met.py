"""Makes the weather files of the benchmark once, as the Copernicus store delivers ERA5: netCDF-4, float32 that came
from 16-bit GRIB, shuffled and deflated at level 1, blocks as the library chooses them."""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import netCDF4
import numpy as np

LEVELS = [150, 175, 200, 225, 250, 300, 350, 400, 450, 500, 550, 600]
LATITUDES = np.arange(90, -90.1, -0.25)
LONGITUDES = np.arange(0, 360, 0.25)
HOURS = 13
START_S = 1_711_929_600  # 2024-04-01T00:00Z
ON_LEVELS = {
    "t": ("K", 230, 30), "q": ("kg kg**-1", 1e-4, 1e-4), "u": ("m s**-1", 10, 30), "v": ("m s**-1", 0, 30),
    "w": ("Pa s**-1", 0, 1), "ciwc": ("kg kg**-1", 1e-6, 1e-5), "z": ("m**2 s**-2", 1e5, 5e4), "gh": ("gpm", 1e4, 5e3),
}
SINGLE = {"tsr": ("J m**-2", 1e6, 5e5), "ttr": ("J m**-2", -8e5, 1e5)}


def quantise(values):
    """To the 65 536 values that a field of a GRIB message can have."""
    low = values.min()
    step = (values.max() - low) / 65_535
    return (np.round((values - low) / step) * step + low).astype("f4")


def make(path, variables, levels):
    rng = np.random.default_rng(len(path.name))
    shape = (len(LATITUDES), len(LONGITUDES))
    rough = np.repeat(np.repeat(rng.standard_normal((91, 180)), 8, 0), 8, 1)[: shape[0], : shape[1]]
    noise = 0.02 * rng.standard_normal(shape)
    y, x = np.radians(LATITUDES)[:, None], np.radians(LONGITUDES)[None, :]
    part = path.with_suffix(".part")
    with netCDF4.Dataset(part, "w") as data:
        lengths = {"valid_time": HOURS, **({"pressure_level": len(levels)} if levels else {}), "latitude": shape[0], "longitude": shape[1]}
        for name, length in lengths.items():
            data.createDimension(name, length)
        coordinates = {
            "valid_time": ("i8", [START_S + 3600 * h for h in range(HOURS)], "seconds since 1970-01-01"),
            "latitude": ("f8", LATITUDES, "degrees_north"),
            "longitude": ("f8", LONGITUDES, "degrees_east"),
            "pressure_level": ("f8", levels, "hPa"),
        }
        for name in lengths:
            dtype, values, units = coordinates[name]
            variable = data.createVariable(name, dtype, (name,))
            variable.units = units
            variable[:] = values
        for name, (units, mean, span) in variables.items():
            variable = data.createVariable(name, "f4", tuple(lengths), zlib=True, complevel=1, shuffle=True)
            variable.units = units
            for hour in range(HOURS):
                planes = []
                for k in range(len(levels) or 1):
                    wave = np.sin(x + 0.1 * hour + 0.2 * k) * np.cos(y) + 0.1 * np.roll(rough, 3 * hour + 5 * k, 1)
                    planes.append(quantise(mean + span * (wave + np.roll(noise, (7 * k, 11 * hour), (0, 1)))))
                # Whole blocks at once, or the library unpacks and packs them again for every level.
                variable[hour] = np.stack(planes) if levels else planes[0]
    part.rename(path)


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    names = list(ON_LEVELS)
    tasks = [
        (out / "era5-pl-a.nc", {name: ON_LEVELS[name] for name in names[:4]}, LEVELS),
        (out / "era5-pl-b.nc", {name: ON_LEVELS[name] for name in names[4:]}, LEVELS),
        (out / "era5-sl.nc", SINGLE, []),
    ]
    with ProcessPoolExecutor(2) as pool:
        for task in [pool.submit(make, *task) for task in tasks if not task[0].exists()]:
            task.result()
