"""Opens netCDF-4 files with the libraries that our users have, and reports what each finds. Arguments: files."""

import hashlib
import json
import sys

import h5py
import netCDF4
import numpy as np
import xarray as xr


def digest(values):
    values = np.ascontiguousarray(values)
    return hashlib.sha256(values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()).hexdigest()


def plain(value):
    if isinstance(value, np.ndarray):
        return {"type": value.dtype.name, "values": [plain(item) for item in value.tolist()]}
    if isinstance(value, np.generic):
        return {"type": value.dtype.name, "values": [plain(value.item())]}
    if isinstance(value, bytes):
        return value.decode()
    return "NaN" if isinstance(value, float) and value != value else value


def with_xarray(path, engine):
    with xr.open_dataset(path, engine=engine, decode_cf=False) as dataset:
        return {
            "dimensions": dict(dataset.sizes),
            "attributes": {name: plain(value) for name, value in dataset.attrs.items()},
            "variables": {
                name: {
                    "type": variable.dtype.name,
                    "dimensions": list(variable.dims),
                    "sha256": digest(variable.values),
                    "attributes": {key: plain(value) for key, value in variable.attrs.items()},
                }
                for name, variable in dataset.variables.items()
            },
        }


def with_netcdf4(path):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_maskandscale(False)
        return {
            "dimensions": {name: len(dimension) for name, dimension in dataset.dimensions.items()},
            "model": dataset.data_model,
            "attributes": {name: plain(dataset.getncattr(name)) for name in dataset.ncattrs()},
            "variables": {
                name: {
                    "type": np.dtype(variable.dtype).name,
                    "dimensions": list(variable.dimensions),
                    "sha256": digest(variable[...]),
                    "attributes": {key: plain(variable.getncattr(key)) for key in variable.ncattrs()},
                    "chunks": variable.chunking(),
                    "filters": variable.filters(),
                }
                for name, variable in dataset.variables.items()
            },
        }


def with_h5py(path):
    with h5py.File(path) as file:
        return {
            "variables": {
                name: {
                    "type": dataset.dtype.name,
                    "sha256": digest(dataset[...]),
                    "dimensions": [dimension[0].name.lstrip("/") for dimension in dataset.dims if len(dimension)],
                    "fill": plain(dataset.fillvalue),
                }
                for name, dataset in file.items()
            },
        }


def decoded(path, engine):
    with xr.open_dataset(path, engine=engine, decode_timedelta=True) as dataset:
        return {
            name: {"type": str(variable.dtype), "first": str(variable.values.flat[0]) if variable.size else None}
            for name, variable in dataset.variables.items()
        }


json.dump(
    [
        {
            "netcdf4": with_xarray(path, "netcdf4"),
            "h5netcdf": with_xarray(path, "h5netcdf"),
            "netCDF4-python": with_netcdf4(path),
            "h5py": with_h5py(path),
            "decoded": {engine: decoded(path, engine) for engine in ("netcdf4", "h5netcdf")},
        }
        for path in sys.argv[1:]
    ],
    sys.stdout,
)
