"""The reference reader of netCDF: writes small weather files, and judges files that may be damaged.

reference_netcdf.py write DIRECTORY    writes whole-classic.nc, whole-records.nc, whole-cdf5.nc and whole-netcdf4.nc
reference_netcdf.py judge DIRECTORY    prints for every *.nc the digests of its numeric variables, or why it is refused
"""

import hashlib
import json
import os
import resource
import sys
from pathlib import Path

import netCDF4
import numpy as np

AXES = {
    "time": ("i4", [0, 1], {"units": "hours since 2024-04-01", "calendar": "standard"}),
    "level": ("i4", [200, 250], {"units": "hPa"}),
    "latitude": ("f4", [10, 20, 30], {"units": "degrees_north"}),
    "longitude": ("f4", [10, 20, 30, 40], {"units": "degrees_east"}),
}
WEATHER = {
    "t": ("K", "air_temperature", 220),
    "q": ("kg kg-1", "specific_humidity", 1e-5),
}
WHOLE = {
    "whole-classic.nc": ("NETCDF3_64BIT_OFFSET", {}),
    "whole-records.nc": ("NETCDF3_CLASSIC", {"time": None}),
    "whole-cdf5.nc": ("NETCDF3_64BIT_DATA", {"time": None}),
    "whole-netcdf4.nc": ("NETCDF4", {}),
}


def write(directory):
    for name, (model, lengths) in WHOLE.items():
        data = netCDF4.Dataset(directory / name, "w", format=model)
        for axis, (dtype, values, attributes) in AXES.items():
            data.createDimension(axis, lengths.get(axis, len(values)))
            variable = data.createVariable(axis, dtype, (axis,))
            variable.setncatts(attributes)
            variable[:] = values
        packing = {"zlib": True, "shuffle": True, "chunksizes": (1, 2, 3, 4)} if model == "NETCDF4" else {}
        for short, (units, standard_name, mean) in WEATHER.items():
            variable = data.createVariable(short, "f4", tuple(AXES), fill_value=np.float32(9e36), **packing)
            variable.setncatts({"units": units, "standard_name": standard_name})
            variable[:] = mean * (1 + 0.01 * np.random.default_rng(1).random((2, 2, 3, 4)))
        data.close()


def judge(path):
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        digests = {}
        for name, variable in data.variables.items():
            variable.ncattrs()
            values = np.asarray(variable[...])
            if values.dtype.kind in "iuf":
                little = values.astype(values.dtype.newbyteorder("<")).tobytes()
                digests[name] = hashlib.sha256(little).hexdigest()
        return digests


# Copying this process takes longer than judging a file.
FILES_PER_PROCESS = 25


def judged(paths):
    """In processes of their own: damaged files make the library crash, or ask for more memory than there is."""
    verdicts = {}
    while len(verdicts) < len(paths):
        some = paths[len(verdicts) :][:FILES_PER_PROCESS]
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for path in some:
                used = resource.getrusage(resource.RUSAGE_SELF)
                resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 10, resource.RLIM_INFINITY))
                try:
                    verdict = {"digests": judge(path)}
                except Exception as error:  # whatever the library objects to
                    verdict = {"refusal": f"{type(error).__name__}: {error}"}
                os.write(send, json.dumps(verdict).encode() + b"\n")
            os._exit(0)
        os.close(send)
        with os.fdopen(receive, "rb") as answer:
            lines = answer.read().split(b"\n")[:-1]
        os.waitpid(child, 0)
        found = [json.loads(line) for line in lines]
        if len(found) < len(some):
            found.append({"refusal": "the library crashed"})
        verdicts.update(zip((path.name for path in some), found))
    return verdicts


if __name__ == "__main__":
    mode, directory = sys.argv[1], Path(sys.argv[2])
    if mode == "write":
        write(directory)
    else:
        print(json.dumps(judged(sorted(directory.glob("*.nc")))))
