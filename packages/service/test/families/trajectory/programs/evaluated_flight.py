"""Evaluates a flight with pycontrails and prints it as its users would send it: `Flight.to_dict()`, as Python writes JSON.

evaluated_flight.py <met> <rad> <flight>
"""

import json
import sys
import warnings

import numpy as np
import xarray as xr
from pycontrails import Flight, MetDataset
from pycontrails.models.cocip import Cocip
from pycontrails.models.humidity_scaling import ConstantHumidityScaling
from pycontrails.models.ps_model import PSFlight

warnings.filterwarnings("ignore")
met = xr.open_dataset(sys.argv[1]).load()
body = json.loads(sys.argv[3])
flight = Flight(
    longitude=np.array(body["longitude"], dtype=float),
    latitude=np.array(body["latitude"], dtype=float),
    altitude_ft=np.array(body["altitude"], dtype=float),
    time=np.array(body["time"], dtype="datetime64[s]").astype("datetime64[ns]"),
    aircraft_type=body["aircraft_type"],
    flight_id="evaluated",
)
model = Cocip(
    MetDataset(met.isel(number=0, drop=True)),
    MetDataset(xr.open_dataset(sys.argv[2]).load()),
    aircraft_performance=PSFlight(),
    humidity_scaling=ConstantHumidityScaling(),
    dt_integration=np.timedelta64(10, "m"),
    max_age=np.timedelta64(12, "h"),
    compute_atr20=True,
    compute_tau_cirrus_in_model_init=True,
)
result = model.eval(flight)
print(
    json.dumps(
        {
            "flight": result.to_dict(),
            "energy_forcing": [float(value) for value in np.nan_to_num(result["ef"])],
            "contrail_age": [float(value) for value in result["contrail_age"] / np.timedelta64(1, "m")],
        }
    )
)
