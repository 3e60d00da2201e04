"""What the reference libraries read from weather files that may be damaged.

reference_weather.py DIRECTORY NAME…    prints a line of JSON for each file: its fields, or why it is refused

netCDF and Zarr are read with xarray, GRIB2 with ecCodes. A field has a variable, its coordinates (times in ms since 1970,
pressure in hPa) and values as base64 of float64 [time][level][latitude][longitude].
"""

import base64
import json
import os
import resource
import sys
import warnings
from pathlib import Path

import eccodes
import numpy as np
import xarray

warnings.simplefilter("ignore")

NAMES = {"t": "air_temperature", "q": "specific_humidity", "temperature": "air_temperature"}
CODES = {(0, 0, 0): "air_temperature", (0, 1, 0): "specific_humidity"}
WANTED = set(CODES.values())


def field(variable, time, level, latitude, longitude, values):
    coordinates = {"time": time, "level": level, "latitude": latitude, "longitude": longitude}
    return {
        "variable": variable,
        **{name: finite(np.atleast_1d(numbers)) for name, numbers in coordinates.items()},
        "values": base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode(),
    }


def finite(numbers):
    return [float(number) if np.isfinite(number) else None for number in numbers]


def milliseconds(times):
    if times.dtype.kind == "M":
        return times.astype("datetime64[ms]").astype("i8")
    import cftime

    return cftime.date2num(times, "milliseconds since 1970-01-01")


def of_xarray(path):
    open_dataset = xarray.open_zarr if path.suffix == ".zarr" else xarray.open_dataset
    options = {"chunks": None} if path.suffix == ".zarr" else {"engine": "netcdf4"}
    # Zarr fills chunks with 0 by default, which xarray takes for a missing value: also the meridian of Greenwich.
    with open_dataset(path, **options) as data, open_dataset(path, **options, mask_and_scale=False) as raw:
        found = []
        for name, variable in data.data_vars.items():
            canonical = variable.attrs.get("standard_name", NAMES.get(name, name))
            if canonical not in WANTED:
                continue
            ordered = variable.transpose("time", "level", "latitude", "longitude")
            hpa = raw["level"].values / (100 if raw["level"].attrs.get("units") == "Pa" else 1)
            found.append(
                field(
                    canonical,
                    milliseconds(raw["time"].values),
                    hpa,
                    raw["latitude"].values,
                    raw["longitude"].values,
                    ordered.values,
                )
            )
        return found


def of_eccodes(path):
    found = []
    with open(path, "rb") as file:
        while (message := eccodes.codes_grib_new_from_file(file)) is not None:
            get = lambda key: eccodes.codes_get(message, key, int)
            code = tuple(get(key) for key in ("discipline", "parameterCategory", "parameterNumber"))
            if code in CODES and get("typeOfFirstFixedSurface") == 100:
                date, clock = get("validityDate"), get("validityTime")
                day = np.datetime64(f"{date // 10000:04d}-{date // 100 % 100:02d}-{date % 100:02d}")
                time = day + np.timedelta64(clock // 100, "h") + np.timedelta64(clock % 100, "m")
                hpa = get("scaledValueOfFirstFixedSurface") / 10.0 ** get("scaleFactorOfFirstFixedSurface") / 100
                eccodes.codes_set(message, "missingValue", 9e99)
                latitude = eccodes.codes_get_array(message, "latitudes").reshape(get("Nj"), get("Ni"))
                longitude = eccodes.codes_get_array(message, "longitudes").reshape(get("Nj"), get("Ni"))
                values = eccodes.codes_get_values(message)
                values[values == 9e99] = np.nan
                moment = time.astype("datetime64[ms]").astype("i8")
                found.append(field(CODES[code], moment, hpa, latitude[:, 0], longitude[0], values))
            eccodes.codes_release(message)
    return found


def read(path):
    return of_eccodes(path) if path.suffix == ".grib2" else of_xarray(path)


FILES_PER_PROCESS = 25
MAX_CPU_S = 20


def main(directory, names):
    """In processes of their own: damaged files make the libraries crash, or ask for more memory than there is."""
    while names:
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with os.fdopen(send, "wb") as answer:
                for name in names[:FILES_PER_PROCESS]:
                    used = resource.getrusage(resource.RUSAGE_SELF)
                    resource.setrlimit(
                        resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + MAX_CPU_S, resource.RLIM_INFINITY)
                    )
                    try:
                        verdict = {"fields": read(directory / name)}
                    except Exception as error:  # whatever the library objects to
                        verdict = {"refusal": f"{type(error).__name__}: {error}"[:300]}
                    answer.write(json.dumps(verdict).encode() + b"\n")
                    answer.flush()
            os._exit(0)
        os.close(send)
        with os.fdopen(receive, "rb") as answer:
            lines = answer.read().split(b"\n")[:-1]
        os.waitpid(child, 0)
        if len(lines) < len(names[:FILES_PER_PROCESS]):
            lines.append(json.dumps({"refusal": "the library crashed"}).encode())
        for line in lines:
            print(line.decode())
        names = names[len(lines) :]


main(Path(sys.argv[1]), sys.argv[2:])
