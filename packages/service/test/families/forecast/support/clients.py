"""Asks a service for forecasts as users of the public services do, and says what their libraries find.

Arguments: address, key, folder, time. Only the base address and the key differ from the published snippets.
"""

import io
import json
import sys
import warnings

import compliance_checker.runner
import geopandas
import netCDF4
import numpy as np
import pandas as pd
import rasterio
import requests
import shapely
import xarray as xr

warnings.filterwarnings("ignore")
URL, API_KEY, folder, time = sys.argv[1:]
headers = {"x-api-key": API_KEY}


def get(path, **params):
    response = requests.get(f"{URL}{path}", params=params, headers=headers)
    assert response.status_code == 200, (response.status_code, response.text)
    return response


def saved(response, name):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(response.content)
    return f"{folder}/{name}"


# The contrail grid of the research interface.
cocip = xr.open_dataset(get("/v0/grid/cocip", time=time, aircraft_type="B738").content)
box = xr.open_dataset(
    get("/v0/grid/cocip", time=time, aircraft_type="B738", bbox="100,20,-100,72", flight_level=[320, 360]).content
)
# Cells of a box that crosses the antimeridian come in its order.
expected = cocip.sel(longitude=box.longitude, latitude=box.latitude, flight_level=box.flight_level)
cut = all(
    np.array_equal(box[name].values, expected[name].values, equal_nan=True) for name in ("ef_per_m", "contrail_age")
)
path = saved(get("/v0/grid/cocip", time=time, aircraft_type="B738"), "cocip.nc")
engines = [
    xr.open_dataset(path, engine=engine).identical(xr.open_dataset(path, engine="netcdf4"))
    for engine in ("netcdf4", "h5netcdf")
]
with netCDF4.Dataset(path) as raw:
    layout = {
        name: {
            "dims": raw[name].dimensions,
            "dtype": str(raw[name].dtype),
            "chunks": raw[name].chunking(),
            "filters": {key: raw[name].filters()[key] for key in ("zlib", "shuffle", "complevel")},
            "attributes": {key: raw[name].getncattr(key) for key in raw[name].ncattrs() if key != "_FillValue"},
        }
        for name in ("ef_per_m", "contrail_age")
    }


def cf(response, name):
    """A file laid out by the conventions: what their checker finds, and the map that GDAL shows of a level."""
    path = saved(response, f"{name}.nc")
    suite = compliance_checker.runner.CheckSuite()
    suite.load_all_available_checkers()
    scores = suite.run_all(suite.load_dataset(path), ["cf:1.9"], skip_checks=set())
    groups, errors = scores["cf:1.9"]
    failed = [
        group
        for group in groups
        if group.value is False or (not isinstance(group.value, bool) and group.value[0] < group.value[1])
    ]
    with xr.open_dataset(path, decode_timedelta=False) as ds, rasterio.open(f"netcdf:{path}:{name}") as gdal:
        plane = ds[name].isel(time=0, flight_level=-1)
        return {
            "complaints": [message for group in failed for message in group.msgs] + [str(error) for error in errors],
            "dims": ds[name].dims,
            "size": [gdal.width, gdal.height, gdal.count],
            "bounds": list(gdal.bounds),
            # North is up in a picture.
            "same": bool(np.array_equal(gdal.read(gdal.count), plane.values[::-1], equal_nan=True)),
            "values": ds,
        }


# The forecast interface.
params = {"time": time, "flight_level": 350, "aircraft_class": "default"}
r = requests.get(f"{URL}/v1/grids", params=params, headers=headers)
ds = xr.load_dataset(io.BytesIO(r.content), engine="h5netcdf")
whole = xr.open_dataset(get("/v1/grids", time=time).content)
ef = xr.open_dataset(get("/v1/grids", time=time, units="ef_per_m").content)
ramp = 4 * (np.clip(ef["ef_per_m"], 1e7, 2e9) - 1e7) / (2e9 - 1e7)
r = requests.get(f"{URL}/v1/regions", params={**params, "threshold": 1}, headers=headers)
regions = r.json()
multipolygon = shapely.geometry.shape(regions["features"][0]["geometry"])
frames = [
    geopandas.read_file(io.BytesIO(get("/v1/regions", time=time, threshold=threshold).content))
    for threshold in (1, 2, 3, 4)
]
polygons = geopandas.read_file(
    io.BytesIO(get("/v0/grid/cocip", time=time, aircraft_type="B738", format="geojson", threshold=1e8).content)
)

# In the order of the conventions.
by_conventions = {
    "contrails": cf(get("/v1/grids", time=time, layout="cf"), "contrails"),
    "ef_per_m": cf(get("/v0/grid/cocip", time=time, aircraft_type="B738", layout="cf"), "ef_per_m"),
    "sac": cf(get("/v0/grid/sac", time=time, bbox="170,20,-170,40", flight_level=[320, 360], layout="cf"), "sac"),
}
for name, default in (("contrails", whole), ("ef_per_m", cocip)):
    values = by_conventions[name].pop("values")[name].transpose(*default[name].dims).values
    by_conventions[name]["as_default"] = bool(np.array_equal(values, default[name].values, equal_nan=True))
longitudes = by_conventions["sac"].pop("values")["longitude"].values.tolist()


def nested(frames):
    return all(
        bool(higher.geometry.iloc[k].is_empty or lower.geometry.iloc[k].covers(higher.geometry.iloc[k]))
        for lower, higher in zip(frames, frames[1:])
        for k in range(len(lower))
    )


def cells_outside(frames):
    count = 0
    for threshold, frame in zip((1, 2, 3, 4), frames):
        for row, level in enumerate(frame["flight_level"]):
            plane = whole["contrails"].sel(flight_level=level).isel(time=0)
            i, j = np.nonzero(plane.values >= threshold)
            centres = shapely.points(whole.longitude.values[i], whole.latitude.values[j])
            count += int((~shapely.covers(frame.geometry.iloc[row], centres)).sum())
    return count


with netCDF4.Dataset(saved(get("/v1/grids", time=time), "grid.nc")) as raw:
    valid = {key: str(raw["contrails"].getncattr(key).dtype) for key in ("valid_min", "valid_max")}

print(
    json.dumps(
        {
            "cocip": {
                "variables": sorted(cocip.data_vars),
                "dims": cocip["ef_per_m"].dims,
                "shape": cocip["ef_per_m"].shape,
                "dtype": str(cocip["ef_per_m"].dtype),
                "age": str(cocip["contrail_age"].dtype),
                "longest_hours": float(cocip["contrail_age"].max() / np.timedelta64(1, "h")),
                "missing": int(np.isnan(cocip["ef_per_m"]).sum()),
                "contrails": int((cocip["ef_per_m"] != 0).sum()),
                "flight_level": str(cocip["flight_level"].dtype),
                "attributes": dict(cocip.attrs),
                "time": str(pd.Timestamp(cocip["time"].values[0])),
            },
            "layout": layout,
            "engines": all(engines),
            "cut": cut,
            "cut_shape": box["ef_per_m"].shape,
            "grid": {
                "variables": list(ds.data_vars),
                "dims": ds["contrails"].dims,
                "coordinates": sorted(ds.coords),
                "attributes": dict(ds.attrs),
                "flight_level": str(ds["flight_level"].dtype),
                "same_as_whole": bool(ds["contrails"].equals(whole["contrails"].sel(flight_level=[350]))),
                "largest": float(whole["contrails"].max()),
                "smallest": float(whole["contrails"].min()),
            },
            # The index comes from double precision, the ramp here from single.
            "ramp": float(np.abs(ramp - whole["contrails"]).max()),
            "regions": {
                "type": regions["type"],
                "geometry": multipolygon.geom_type,
                "valid": all(bool(frame.geometry.is_valid.all()) for frame in frames),
                "areas": [float(frame.geometry.area.sum()) for frame in frames],
                "rows": [len(frame) for frame in frames],
                "nested": nested(frames),
                "cells_outside": cells_outside(frames),
            },
            "valid": valid,
            "cf": by_conventions,
            "longitudes": longitudes,
            "polygons": {"rows": len(polygons), "valid": bool(polygons.geometry.is_valid.all())},
        }
    )
)
