"""Asks a service for grids as its users do, and reports what their libraries find. Arguments: address, key, folder, weather file."""

import io
import json
import sys
import warnings

import geopandas
import netCDF4
import numpy as np
import pandas as pd
import pyogrio
import requests
import shapely
import xarray as xr
from pycontrails import MetDataset
from pycontrails.models.humidity_scaling import ExponentialBoostLatitudeCorrectionHumidityScaling
from pycontrails.models.issr import ISSR
from pycontrails.models.pcr import PCR
from pycontrails.models.sac import SAC
from pycontrails.physics import units

warnings.filterwarnings("ignore")
address, key, folder, weather = sys.argv[1:]
headers = {"x-api-key": key}


def get(model, **params):
    response = requests.get(f"{address}/v0/grid/{model}", params=params, headers=headers)
    assert response.status_code == 200, (response.status_code, response.text)
    return response


def saved(response, name):
    path = f"{folder}/{name}"
    with open(path, "wb") as file:
        file.write(response.content)
    return path


def peer(model, grid):
    """The same cells by pycontrails, in double precision."""
    met = MetDataset(xr.open_dataset(weather).astype("f8"))
    levels = units.ft_to_pl(grid["flight_level"].values * 100.0)
    order = np.argsort(levels)
    source = MetDataset.from_coords(
        longitude=grid["longitude"].values.astype("f8"),
        latitude=grid["latitude"].values.astype("f8"),
        level=levels[order],
        time=grid["time"].values,
    )
    made = {"sac": SAC, "issr": ISSR, "pcr": PCR}[model](
        met, humidity_scaling=ExponentialBoostLatitudeCorrectionHumidityScaling()
    ).eval(source)
    values = made.data[model].transpose("longitude", "latitude", "level", "time").values
    return values[:, :, np.argsort(order), :]


def cells(model, time, **more):
    with xr.open_dataarray(get(model, time=time, **more).content) as grid:
        found, expected = grid.values, peer(model, grid)
        return {
            "dims": list(grid.dims),
            "shape": list(grid.shape),
            "dtype": str(grid.dtype),
            "time": str(pd.Timestamp(grid.time.values[0])),
            "values": sorted({str(value) for value in np.unique(found)}),
            "different": int((~((found == expected) | (np.isnan(found) & np.isnan(expected)))).sum()),
        }


box = {"bbox": [-40, 40, -30, 50]}
europe = {"bbox": "-40,40,-20,60", "time": "2024-06-12T03", "flight_level": "320,340"}

netcdf = saved(get("pcr", **europe), "pcr.nc")
with netCDF4.Dataset(netcdf) as file:
    layout = {
        "dimensions": {name: len(dimension) for name, dimension in file.dimensions.items()},
        "types": {name: str(variable.dtype) for name, variable in file.variables.items()},
        "chunks": file["pcr"].chunking(),
        "filters": {name: file["pcr"].filters()[name] for name in ("zlib", "shuffle", "complevel")},
        "attributes": {name: str(file.getncattr(name)) for name in file.ncattrs()},
        "units": {name: file[name].units for name in ("longitude", "latitude", "flight_level", "time")},
    }
with xr.open_dataset(netcdf, engine="netcdf4") as one, xr.open_dataset(netcdf, engine="h5netcdf") as other:
    engines_agree = bool(one.identical(other))

geojson = get("pcr", format="geojson", **europe)
shapes = [shapely.geometry.shape(feature["geometry"]) for feature in geojson.json()["features"]]
frame = geopandas.read_file(io.BytesIO(geojson.content))
kml = saved(get("pcr", format="kml", **europe), "pcr.kml")
layers = [name for name, _ in pyogrio.list_layers(kml)]
folders = {name: geopandas.read_file(kml, layer=name) for name in layers}

json.dump(
    {
        "cells": {
            "sac": cells("sac", "2024-06-12T03", **box),
            "issr": cells("issr", 1718161200, **box),
            "pcr": cells("pcr", "2024-06-12T05:37:12Z", **box),
            "outside": cells("sac", "2024-06-12T08", bbox=[-15, 64, -10, 69], engine_efficiency=0.3),
        },
        "layout": layout,
        "enginesAgree": engines_agree,
        "shapes": [{"area": shape.area, "valid": shape.is_valid, "z": shape.has_z} for shape in shapes],
        "frame": {"rows": len(frame), "levels": frame["level"].tolist(), "area": float(frame.area.sum())},
        "kml": {name: float(rows.area.sum()) for name, rows in folders.items()},
        "availability": get("availability").json(),
    },
    sys.stdout,
)
