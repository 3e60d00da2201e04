"""Ten members made of the three of a file, and contrails in some of them with pycontrails' scaling of the whole ensemble.

eckel.py <met> <rad> <flight> <out>: writes the ten members to `out`; prints the energy forcing of each evaluated member.
"""

import json
import sys
import warnings

import numpy as np
import xarray as xr
from pycontrails import Flight, MetDataArray, MetDataset
from pycontrails.models.cocip import Cocip
from pycontrails.models.humidity_scaling import HistogramMatchingWithEckel
from pycontrails.models.ps_model import PSFlight

warnings.filterwarnings("ignore")
met_file, rad_file, flight_file, out = sys.argv[1:]
COUNT = 10
EVALUATED = [(0, None), (7, None), (0, "cubic-spline"), (0, "log-q-log-p")]

three = xr.open_dataset(met_file).load()
members = [three.isel(number=k % 3, drop=True) for k in range(COUNT)]
for k, member in enumerate(members):
    member["specific_humidity"] = (member["specific_humidity"] * np.float32(1.12 - 0.012 * k)).astype("float32")
ten = xr.concat(members, dim=xr.DataArray(np.arange(COUNT), dims="number", name="number"))
ten.attrs = three.attrs
ten.to_netcdf(out)

body = json.loads(flight_file)
rad = MetDataset(xr.open_dataset(rad_file).load().astype(float))
humidity = [MetDataArray(member["specific_humidity"].astype(float)) for member in members]


def evaluate(number: int, q_method: str | None) -> dict:
    flight = Flight(
        longitude=np.array(body["longitude"], dtype=float),
        latitude=np.array(body["latitude"], dtype=float),
        altitude_ft=np.array(body["altitude"], dtype=float),
        time=np.array(body["time"], dtype="datetime64[s]").astype("datetime64[ns]"),
        aircraft_type=body["aircraft_type"],
        flight_id="one",
    )
    met = members[number].astype(float)
    met.attrs = three.attrs
    scaling = HistogramMatchingWithEckel(
        ensemble_specific_humidity=humidity, member=number, interpolation_q_method=q_method
    )
    model = Cocip(
        MetDataset(met),
        rad,
        aircraft_performance=PSFlight(),
        humidity_scaling=scaling,
        interpolation_q_method=q_method,
        dt_integration=np.timedelta64(10, "m"),
        max_age=np.timedelta64(12, "h"),
        compute_tau_cirrus_in_model_init=True,
        met_longitude_buffer=(360.0, 360.0),
        met_latitude_buffer=(180.0, 180.0),
        met_level_buffer=(1000.0, 1000.0),
    )
    result = model.eval(flight)
    column = lambda name: [None if np.isnan(value) else float(value) for value in result[name]]
    return {
        "member": number,
        "q_method": q_method,
        "energy_forcing": column("ef"),
        "contrail_age": [float(value) for value in result["contrail_age"] / np.timedelta64(1, "m")],
        "rhi": column("rhi"),
    }


print(json.dumps([evaluate(*one) for one in EVALUATED]))
