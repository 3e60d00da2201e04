"""Writes GRIB2 files with ecCodes in the layouts of the open data, with what ecCodes reads back from them.

    python write_grib.py DIRECTORY MODEL_LEVELS.csv

Each case is `<name>.json` (files, variables, axes) and `<name>.bin` (float32 [variable][time][level][lat][lon]).
"""

import datetime
import json
import pathlib
import sys

import eccodes
import numpy

DIRECTORY = pathlib.Path(sys.argv[1])
LEVELS = [200, 250, 300]
START = datetime.datetime(2024, 6, 1, tzinfo=datetime.timezone.utc)

ON_LEVELS = {
    "air_temperature": ((0, 0, 0), 230, 15),
    "specific_humidity": ((0, 1, 0), 1e-4, 4e-5),
    "eastward_wind": ((0, 2, 2), 20, 30),
    "northward_wind": ((0, 2, 3), 0, 20),
    "lagrangian_tendency_of_air_pressure": ((0, 2, 8), 0, 0.4),
    "specific_cloud_ice_water_content": ((0, 1, 23), 1e-6, 1e-6),
}
ECMWF_TOP = {
    "top_net_solar_radiation": ((0, 4, 1), 2e6, 1e6),
    "top_net_thermal_radiation": ((0, 5, 5), -2e6, 3e5),
}
GFS_TOP = {
    "toa_upward_shortwave_flux": ((0, 4, 8), 200, 90),
    "toa_upward_longwave_flux": ((0, 5, 4), 240, 40),
}


class Grid:
    def __init__(self, west, columns, step, north, rows, ascending=False):
        self.longitudes = [(west + i * step) for i in range(columns)]
        self.latitudes = [north - j * step for j in range(rows)]
        if ascending:
            self.latitudes.reverse()
        self.step = step
        self.ascending = ascending

    def keys(self):
        return {
            "Ni": len(self.longitudes),
            "Nj": len(self.latitudes),
            "jScansPositively": int(self.ascending),
            "latitudeOfFirstGridPointInDegrees": self.latitudes[0],
            "latitudeOfLastGridPointInDegrees": self.latitudes[-1],
            "longitudeOfFirstGridPointInDegrees": self.longitudes[0] % 360,
            "longitudeOfLastGridPointInDegrees": self.longitudes[-1] % 360,
            "iDirectionIncrementInDegrees": self.step,
            "jDirectionIncrementInDegrees": self.step,
        }


def write(file, grid, packing, code, level, run, hours, mean, spread, statistic=None, since=0, bitmap=False, bits=16, member=None):
    """Appends a field and returns the values ecCodes reads back."""
    message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
    keys = grid.keys() | {
        "dataDate": int(run.strftime("%Y%m%d")),
        "dataTime": int(run.strftime("%H%M")),
        "productDefinitionTemplateNumber": 0 if statistic is None else 8,
        "discipline": code[0],
        "parameterCategory": code[1],
        "parameterNumber": code[2],
        "stepUnits": 1,
        "packingType": packing,
        "bitsPerValue": bits,
    }
    if statistic is None:
        keys["stepRange"] = str(hours)
    else:
        keys["typeOfStatisticalProcessing"] = statistic
        keys["stepRange"] = f"{since}-{hours}"
    if member is not None:
        keys |= {"productDefinitionTemplateNumber": 1, "perturbationNumber": member, "numberOfForecastsInEnsemble": 2}
    if level is None:
        keys |= {
            "typeOfFirstFixedSurface": 8,
            "scaleFactorOfFirstFixedSurface": 0,
            "scaledValueOfFirstFixedSurface": 0,
        }
    else:
        keys |= {
            "typeOfFirstFixedSurface": 100,
            "scaleFactorOfFirstFixedSurface": 0,
            "scaledValueOfFirstFixedSurface": level * 100,
        }
    for key, value in keys.items():
        eccodes.codes_set(message, key, value)
    rows, columns = len(grid.latitudes), len(grid.longitudes)
    seed = [code[1], code[2], level or 0, hours, run.hour]
    noise = numpy.random.default_rng(seed).uniform(-0.2, 0.2, (rows, columns))
    waves = numpy.sin(numpy.radians(grid.longitudes))[None, :] * numpy.cos(numpy.radians(grid.latitudes))[:, None]
    values = (mean + spread * (0.8 * waves + noise)).ravel()
    if bitmap:
        eccodes.codes_set(message, "bitmapPresent", 1)
        eccodes.codes_set(message, "missingValue", 9e9)
        values[3::11] = 9e9
    eccodes.codes_set_values(message, values)
    eccodes.codes_write(message, file)
    encoded = eccodes.codes_new_from_message(eccodes.codes_get_message(message))
    eccodes.codes_set(encoded, "missingValue", 9e9)
    read = eccodes.codes_get_values(encoded)
    eccodes.codes_release(encoded)
    eccodes.codes_release(message)
    read[read == 9e9] = numpy.nan
    return read.astype("<f4").reshape(rows, columns)


def case(name, grid, packing, hours, on_levels, run=START, levels=LEVELS, at_top=None, statistic=None, bitmap=False, **more):
    """One file per step."""
    files, values, top_values = [], {}, {}
    for step in hours:
        path = DIRECTORY / f"{name}-{run:%H}-{step:03d}.grib2"
        files.append(path.name)
        with open(path, "wb") as file:
            for variable, (code, mean, spread) in on_levels.items():
                for level in levels:
                    field = write(file, grid, packing, code, level, run, step, mean, spread, bitmap=bitmap, **more)
                    values.setdefault(variable, []).append(field)
            for variable, (code, mean, spread) in (at_top or {}).items():
                field = write(file, grid, packing, code, None, run, step, mean, spread, statistic, **more)
                top_values.setdefault(variable, []).append(field)
            # Something no model asks for, in the middle of the file: total cloud cover.
            write(file, grid, packing, (0, 6, 1), None, run, step, 50, 20)
    times = [int((run + datetime.timedelta(hours=step)).timestamp() * 1000) for step in hours]
    describe(name, files, grid, times, levels, values)
    if at_top:
        describe(f"{name}-top", files, grid, times, [-1], top_values)


def describe(name, files, grid, times, levels, values):
    shape = (len(times), len(levels), len(grid.latitudes), len(grid.longitudes))
    stacked = numpy.stack([numpy.stack(fields).reshape(shape) for fields in values.values()])
    stacked.astype("<f4").tofile(DIRECTORY / f"{name}.bin")
    (DIRECTORY / f"{name}.json").write_text(
        json.dumps(
            {
                "files": files,
                "variables": list(values),
                "time": times,
                "level": levels,
                "latitude": grid.latitudes,
                "longitude": [(longitude + 180) % 360 - 180 for longitude in grid.longitudes],
            }
        )
    )


globe = Grid(180, 36, 10, 90, 19)
greenwich = Grid(0, 36, 10, 90, 19)
no_ice = {name: what for name, what in ON_LEVELS.items() if "ice" not in name}
later = START + datetime.timedelta(hours=12)

case("ecmwf", globe, "grid_ccsds", [0, 3, 6], no_ice, at_top=ECMWF_TOP, statistic=1)
case("ecmwf-later", globe, "grid_ccsds", [0, 3, 6], no_ice, run=later)
case("gfs", greenwich, "grid_complex_spatial_differencing", [3, 6], ON_LEVELS, at_top=GFS_TOP, statistic=0, bitmap=True)
case("gfs-jpeg", greenwich, "grid_jpeg", [3, 6], ON_LEVELS)
case("simple-ascending", Grid(0, 36, 10, 90, 19, ascending=True), "grid_simple", [0, 1], ON_LEVELS, bits=12)
case("region", Grid(-30, 9, 2.5, 60, 7), "grid_complex", [0, 1], ON_LEVELS)
case("antimeridian", Grid(160, 9, 5, 60, 7), "grid_ccsds", [0, 1], ON_LEVELS)
case("hole", globe, "grid_ccsds", [0, 1, 3, 4], no_ice)


def write_model_levels(name, grid, coefficients, numbers, scale=1.0):
    """Temperature and humidity linear in ln p on model levels, and the logarithm of surface pressure."""
    a, b = coefficients[:, 1] * scale, coefficients[:, 2]
    rows, columns = len(grid.latitudes), len(grid.longitudes)
    with open(DIRECTORY / f"{name}.grib2", "wb") as file:
        for hour in (0, 1):
            surface = 95_000 + 10_000 * numpy.sin(numpy.arange(rows * columns) + hour)
            fields = [((0, 3, 25), 1, numpy.log(surface))]
            for number in numbers:
                ln_p = numpy.log((a[number - 1] + a[number] + (b[number - 1] + b[number]) * surface) / 200)
                fields += [((0, 0, 0), number, 40 * ln_p), ((0, 1, 0), number, 1e-5 * ln_p)]
            for code, number, values in fields:
                message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
                keys = grid.keys() | {
                    "dataDate": int(START.strftime("%Y%m%d")),
                    "dataTime": 0,
                    "stepUnits": 1,
                    "stepRange": str(hour),
                    "discipline": code[0],
                    "parameterCategory": code[1],
                    "parameterNumber": code[2],
                    "typeOfFirstFixedSurface": 105,
                    "scaleFactorOfFirstFixedSurface": 0,
                    "scaledValueOfFirstFixedSurface": number,
                    "PVPresent": 1,
                    "packingType": "grid_ccsds",
                    "bitsPerValue": 24,
                }
                for key, value in keys.items():
                    eccodes.codes_set(message, key, value)
                eccodes.codes_set_array(message, "pv", numpy.concatenate([a, b]))
                eccodes.codes_set_values(message, values)
                eccodes.codes_write(message, file)
                eccodes.codes_release(message)


# An ensemble with a file for each member, whose numbers do not begin at 0, and humidity that both share.
for member in (3, 5):
    with open(DIRECTORY / f"ensemble-{member}.grib2", "wb") as file:
        for level in LEVELS:
            write(file, globe, "grid_simple", (0, 0, 0), level, START, 0, 200 + 10 * member, 0, member=member)
with open(DIRECTORY / "ensemble-shared.grib2", "wb") as file:
    for level in LEVELS:
        write(file, globe, "grid_simple", (0, 1, 0), level, START, 0, 1e-4, 0)

l137 = numpy.genfromtxt(sys.argv[2], delimiter=",", skip_header=1)
write_model_levels("model", Grid(0, 12, 30, 90, 7), l137, range(60, 121))
write_model_levels("other-model", Grid(0, 12, 30, 90, 7), l137, range(60, 62), scale=1.1)

# What a centre keeps at the surface under the numbers of the top: the surface's own radiation.
with open(DIRECTORY / "surface-radiation.grib2", "wb") as file:
    for code in ((0, 4, 8), (0, 5, 4), (0, 4, 9), (0, 5, 5)):
        message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
        for key, value in (("discipline", code[0]), ("parameterCategory", code[1]), ("parameterNumber", code[2])):
            eccodes.codes_set(message, key, value)
        eccodes.codes_write(message, file)
        eccodes.codes_release(message)
