"""Reads the tables of an answer as an analyst would and compares them with its JSON."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import xarray as xr

folder = Path(sys.argv[1])
answer = json.loads((folder / "answer.json").read_text())
waypoints = pd.read_parquet(folder / "waypoints.parquet")
contrail = pd.read_parquet(folder / "contrail.parquet")
ds = xr.open_dataset(folder / "answer.nc")

count = len(answer["energy_forcing"])
assert len(waypoints) == count == ds.sizes["waypoint"]
lists = [name for name, value in answer.items() if isinstance(value, list) and isinstance(value[0], (int, float, type(None))) and name != "flight_id"]
assert "rf_net_mean" in lists and "air_temperature" in lists
for name in lists:
    ours = np.array([np.nan if v is None else v for v in answer[name]], dtype=float)
    for table in (waypoints[name], ds[name]):
        np.testing.assert_allclose(np.asarray(table, dtype=float), ours, rtol=1e-6, err_msg=name)
assert list(waypoints["flight_id"].unique()) == ["0", "1"]
assert waypoints["time"].dt.tz is None and str(waypoints["time"].iloc[0]) == "2024-02-29 06:00:00"
assert str(ds["time"].values[0])[:19] == "2024-02-29T06:00:00"

metadata = {k.decode(): v.decode() for k, v in pq.read_schema(folder / "waypoints.parquet").metadata.items()}
assert json.loads(metadata["parameters"])["dz_m"] == 210
assert json.loads(metadata["units"])["rf_net_mean"] == "W m-2"
assert json.loads(ds.attrs["parameters"])["dz_m"] == 210

assert ds.sizes["contrail_row"] == len(contrail) > 0
energy = contrail.groupby("waypoint")["energy_forcing"].sum().reindex(range(count), fill_value=0)
np.testing.assert_allclose(energy, answer["energy_forcing"], rtol=1e-6)
np.testing.assert_allclose(ds["contrail_tau_contrail"], contrail["tau_contrail"])
mean = contrail.groupby("waypoint")["olr"].mean()
np.testing.assert_allclose(mean, waypoints["olr_mean"].dropna(), rtol=1e-9)
assert (contrail["age"] > 0).all() and (contrail["formation_time"] < contrail["time"]).all()
assert contrail.notna().all().all()
print("same")
