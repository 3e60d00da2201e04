"""Opens an L1 file with xarray, netCDF4, GDAL (rasterio) and pyproj, and prints what they find as JSON."""

import json
import sys

import netCDF4
import numpy as np
import pyproj
import rasterio
import xarray

path, pixels = sys.argv[1], json.loads(sys.argv[2])
found = {}

data = xarray.open_dataset(path)
confidence = data["contrail_confidence"]
crs = pyproj.CRS.from_cf(data["geostationary"].attrs)
wkt = pyproj.CRS.from_wkt(data["geostationary"].attrs["crs_wkt"])
proj = pyproj.CRS.from_user_input(data.attrs["projection"])
height = data["geostationary"].attrs["perspective_point_height"]


def positions(system):
    to_degrees = pyproj.Transformer.from_crs(system, system.geodetic_crs, always_xy=True)
    return [list(to_degrees.transform(float(data["x"][c]) * height, float(data["y"][r]) * height)) for r, c in pixels]


found["xarray"] = {
    "dimensions": list(confidence.dims),
    "values": [None if np.isnan(v) else float(v) for v in (confidence.values[r, c] for r, c in pixels)],
    "time": str(data["time"].values),
    "coordinates": sorted(confidence.coords),
    "cf": positions(crs),
    "wkt": positions(wkt),
    "proj": positions(proj),
}

raw = netCDF4.Dataset(path)
found["netcdf"] = {
    name: {
        "type": str(variable.dtype),
        "dimensions": list(variable.dimensions),
        "chunks": variable.chunking(),
        "filters": variable.filters(),
    }
    for name, variable in raw.variables.items()
}
found["attributes"] = {name: str(raw.getncattr(name)) for name in raw.ncattrs()}

with rasterio.open(f"netcdf:{path}:contrail_confidence") as image:
    to_degrees = pyproj.Transformer.from_crs(pyproj.CRS.from_wkt(image.crs.to_wkt()), pyproj.CRS.from_wkt(image.crs.to_wkt()).geodetic_crs, always_xy=True)
    found["gdal"] = {
        "shape": [image.height, image.width],
        "values": [int(image.read(1)[r, c]) for r, c in pixels],
        "nodata": image.nodata,
        "positions": [list(to_degrees.transform(*image.xy(r, c))) for r, c in pixels],
    }

print(json.dumps(found))
