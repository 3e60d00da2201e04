"""Makes the weather of bench/grid.ts once: two hours of temperature and humidity on a global quarter-degree grid, as the
Copernicus store delivers ERA5 (float32 of 16-bit precision, shuffled, deflated at level 1). Argument: the file."""

import sys
from pathlib import Path

import netCDF4
import numpy as np

LEVELS = [150, 175, 200, 225, 250, 300, 350, 400]
LATITUDES, LONGITUDES = np.arange(90, -90.1, -0.25), np.arange(0, 360, 0.25)
START_S = 1_711_929_600  # 2024-04-01T00:00Z


def saturation_over_ice(temperature):
    return 100 * np.exp(
        -6024.5282 / temperature + 24.7219 + 0.010613868 * temperature - 1.3198825e-5 * temperature**2
        - 0.49382577 * np.log(temperature)
    )


def quantise(values):
    """To the 65 536 values that a field of a GRIB message can have."""
    low = values.min()
    step = (values.max() - low) / 65_535
    return (np.round((values - low) / step) * step + low).astype("f4")


path = Path(sys.argv[1])
path.parent.mkdir(parents=True, exist_ok=True)
rng = np.random.default_rng(1)
y, x = np.radians(LATITUDES)[:, None], np.radians(LONGITUDES)[None, :]
noise = rng.standard_normal((len(LATITUDES), len(LONGITUDES)))
part = path.with_suffix(".part")
with netCDF4.Dataset(part, "w") as data:
    axes = {"valid_time": [START_S, START_S + 3600], "pressure_level": LEVELS, "latitude": LATITUDES, "longitude": LONGITUDES}
    for name, values in axes.items():
        data.createDimension(name, len(values))
        axis = data.createVariable(name, "i8" if name == "valid_time" else "f8", (name,))
        axis.setncatts(
            {"valid_time": {"units": "seconds since 1970-01-01", "standard_name": "time", "calendar": "proleptic_gregorian"},
             "pressure_level": {"units": "hPa", "positive": "down", "standard_name": "air_pressure"},
             "latitude": {"units": "degrees_north", "standard_name": "latitude"},
             "longitude": {"units": "degrees_east", "standard_name": "longitude"}}[name]
        )
        axis[:] = values
    options = {"zlib": True, "complevel": 1, "shuffle": True}
    t = data.createVariable("t", "f4", tuple(axes), **options)
    q = data.createVariable("q", "f4", tuple(axes), **options)
    t.setncatts({"units": "K", "standard_name": "air_temperature"})
    q.setncatts({"units": "kg kg**-1", "standard_name": "specific_humidity"})
    for hour in range(2):
        for k, level in enumerate(LEVELS):
            waves = sum(
                size * np.sin(a * x + 0.1 * hour + k) * np.cos(b * y + 0.3 * k + 0.2 * np.sin(x))
                for a, b, size in [(2, 3, 1), (11, 7, 0.8), (29, 23, 0.6), (83, 61, 0.4)]
            )
            temperature = 216 + 0.09 * (level - 200) + 12 * np.cos(y) ** 2 + 3 * waves + 0.05 * noise
            humidity = np.clip(0.7 + 0.25 * np.roll(waves, 40 * (k + 1), 1) + 0.01 * noise, 0.02, 1.5)
            t[hour, k] = quantise(temperature)
            q[hour, k] = quantise(humidity * 0.622 * saturation_over_ice(temperature) / (100 * level))
part.rename(path)
