"""Runs pycontrails over the weather and the flights of a folder; one JSON line of columns for each flight."""

import json
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pycontrails
import xarray as xr
from pycontrails import Flight, MetDataset
from pycontrails.models.cocip import Cocip
from pycontrails.models.humidity_scaling import ExponentialBoostLatitudeCorrectionHumidityScaling
from pycontrails.models.ps_model import PSFlight
from pycontrails.physics import jet

warnings.filterwarnings("ignore")
folder = Path(sys.argv[1])
COLUMNS = (
    "sac persistent_1 ef contrail_age fuel_flow fuel_burn aircraft_mass engine_efficiency true_airspeed "
    "nox_ei co_ei hc_ei nvpm_ei_n nvpm_ei_m air_temperature specific_humidity u_wind v_wind"
).split()


def read_field(name: str, precision: type) -> xr.Dataset:
    about = json.loads((folder / f"{name}.json").read_text())
    axes = ["time", "latitude", "longitude", "level"]
    shape = [*(len(about[axis]) for axis in axes), len(about["variables"])]
    values = np.fromfile(folder / f"{name}.bin", dtype=np.float32).reshape(shape)
    # The world is wrapped at the date line already; the peer wraps it in its own way.
    inside = np.flatnonzero((np.array(about["longitude"]) >= -180) & (np.array(about["longitude"]) < 180))
    coords = {axis: np.array(about[axis], dtype=float) for axis in axes}
    coords["longitude"] = coords["longitude"][inside]
    coords["time"] = coords["time"].astype("datetime64[ms]").astype("datetime64[ns]")
    return xr.Dataset(
        {
            variable: (axes, values[..., v][:, :, inside].astype(precision))
            for v, variable in enumerate(about["variables"])
        },
        coords=coords,
        attrs={"provider": "ECMWF", "dataset": "ERA5", "product": "reanalysis"},
    ).transpose("longitude", "latitude", "level", "time")


def read_weather(precision: type = np.float64) -> tuple[MetDataset, MetDataset]:
    """On levels and at the top of the atmosphere, in double precision so that the peer computes in it."""
    levels = MetDataset(read_field("levels", precision), wrap_longitude=True)
    radiation = read_field("radiation", precision)
    for variable in radiation.data_vars.values():
        variable.attrs["units"] = "W m**-2"
    # Values hold at their time: no shift by half an hour.
    radiation["time"].attrs["shift_radiation_time"] = "none"
    return levels, MetDataset(radiation, wrap_longitude=True)


def make_model(params: dict) -> Cocip:
    return Cocip(
        *read_weather(),
        aircraft_performance=None if params.get("standard_air_below") else PSFlight(),
        compute_tau_cirrus_in_model_init=True,
        humidity_scaling=ExponentialBoostLatitudeCorrectionHumidityScaling()
        if params["scaling"] == "exponential_boost_latitude_customization"
        else None,
        dt_integration=np.timedelta64(params["dt_integration_s"], "s"),
        max_age=np.timedelta64(params["max_age_s"], "s"),
        # No moving windows: contrails see all the weather there is.
        met_longitude_buffer=(360.0, 360.0),
        met_latitude_buffer=(180.0, 180.0),
        met_level_buffer=(1000.0, 1000.0),
    )


def run(flight: dict) -> str:
    source = Flight(
        longitude=np.array(flight["longitude"], dtype=float),
        latitude=np.array(flight["latitude"], dtype=float),
        altitude_ft=np.array(flight["altitudeFt"], dtype=float),
        time=np.array(flight["time"], dtype="datetime64[s]").astype("datetime64[ns]"),
        flight_id=flight["id"],
        aircraft_type=flight["aircraftType"],
        **flight.get("attributes", {}),
    )
    if model.params["aircraft_performance"] is None:
        # Below all weather the peer alone takes unsmoothed ground speeds for airspeeds when it follows contrails, but
        # smoothed ones when it is asked for the performance by itself.
        # It would look up the distance between airports in a table that it downloads.
        ends = (source.attrs.get(f"{end}_airport_icao") for end in ("origin", "destination"))
        flown_km = np.nansum(source.segment_haversine()) / 1000
        source.attrs["cargo_load_factor"] = jet.cargo_load_factor(*ends, flown_km)
        performance = PSFlight(
            model.met, fill_low_altitude_with_isa_temperature=True, fill_low_altitude_with_zero_wind=True
        )
        source = performance.eval(source)
    result = model.eval(source)
    return json.dumps(
        {
            "id": flight["id"],
            "columns": {name: plain(result[name]) for name in COLUMNS if name in result},
        }
    )


def plain(values: np.ndarray) -> list:
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "s")
    return [None if np.isnan(value) else float(value) for value in values.astype(float)]


if __name__ == "__main__":
    flights = json.loads((folder / "flights.json").read_text())
    for params in json.loads((folder / "params.json").read_text()):
        model = make_model(params)
        with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
            (folder / f"{params['name']}.ndjson").write_text("\n".join(pool.imap(run, flights)))
    print(pycontrails.__version__)
