"""Changes a file of ours with the netCDF library and reports what it holds afterwards. Argument: the file."""

import json
import sys

import netCDF4
import numpy as np

(path,) = sys.argv[1:]

with netCDF4.Dataset(path, "a") as dataset:
    dataset.setncattr("history", "changed")
    dataset["issr"].setncattr("comment", "one value changed")
    dataset["issr"][0, 0, 0, 0] = 7
    dataset.createDimension("member", 3)
    member = dataset.createVariable("member", "i4", ("member",))
    member[:] = [1, 2, 3]
    added = dataset.createVariable("added", "f4", ("member", "latitude"), zlib=True)
    added[:] = np.arange(added.size).reshape(added.shape)

with netCDF4.Dataset(path) as dataset:
    json.dump(
        {
            "history": dataset.history,
            "comment": dataset["issr"].comment,
            "first": float(dataset["issr"][0, 0, 0, 0]),
            "rest": float(np.nansum(dataset["issr"][:])) - 7,
            "added": dataset["added"][:].tolist(),
            "variables": list(dataset.variables),
        },
        sys.stdout,
    )
