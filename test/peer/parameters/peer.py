"""Runs pycontrails over weather, flights and parameter sets of a folder: columns of waypoints as JSON, contrails as float64."""

import json
import multiprocessing
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pycontrails
from pycontrails import Fleet, Flight
from pycontrails.models.cocip import Cocip
from pycontrails.models.emissions import Emissions
from pycontrails.models.humidity_scaling import (
    ExponentialBoostLatitudeCorrectionHumidityScaling,
    HistogramMatching,
)
from pycontrails.models.ps_model import PSFlight

sys.path.insert(0, str(Path(__file__).parent.parent / "trajectories"))
from peer import plain, read_weather  # noqa: E402

warnings.filterwarnings("ignore")
folder = Path(sys.argv[1])
SCALINGS = {
    "none": lambda: None,
    "exponential_boost_latitude_customization": ExponentialBoostLatitudeCorrectionHumidityScaling,
    "histogram_matching": lambda: HistogramMatching(level_type="pressure"),
}
DURATIONS = {
    "dt_integration_minutes": ("dt_integration", 60),
    "max_age_hours": ("max_age", 3600),
    "persistent_buffer_minutes": ("persistent_buffer", 60),
}
WAYPOINTS = (
    "sac persistent_1 ef contrail_age rf_lw_mean rf_sw_mean rf_net_mean sdr_mean rsr_mean olr_mean "
    "atr20 global_yearly_mean_rf specific_humidity nvpm_ei_n true_airspeed"
).split()


def make_model(about: dict) -> Cocip:
    params = {"dt_integration": np.timedelta64(600, "s"), "max_age": np.timedelta64(43200, "s")}
    emissions = {}
    for name, value in about["parameters"].items():
        if name == "single_precision_forcing":
            continue
        if name in DURATIONS:
            own, factor = DURATIONS[name]
            params[own] = None if value is None else np.timedelta64(round(value * factor), "s")
        elif name == "use_meem":
            emissions[name] = value
        elif name == "radius_threshold_um":
            params[name] = np.array(value, dtype=np.float32).astype(float)
        elif name == "habit_distributions":
            params[name] = np.array(value, dtype=np.float32)
        else:
            if name == "default_nvpm_ei_n":
                emissions[name] = value
            params[name] = value
    return Cocip(
        met,
        rad,
        aircraft_performance=PSFlight(),
        emissions=Emissions(**emissions),
        compute_tau_cirrus_in_model_init=True,
        compute_atr20=True,
        humidity_scaling=SCALINGS[about["scaling"]](),
        met_longitude_buffer=(360.0, 360.0),
        met_latitude_buffer=(180.0, 180.0),
        met_level_buffer=(1000.0, 1000.0),
        **params,
    )


def run(task: tuple[int, dict]) -> str:
    number, flight = task
    source = Flight(
        longitude=np.array(flight["longitude"], dtype=float),
        latitude=np.array(flight["latitude"], dtype=float),
        altitude_ft=np.array(flight["altitudeFt"], dtype=float),
        time=np.array(flight["time"], dtype="datetime64[s]").astype("datetime64[ns]"),
        flight_id=flight["id"],
        aircraft_type=flight["aircraftType"],
    )
    shares = model.params["contrail_contrail_overlapping"]
    if shares:
        # A fleet keeps attributes in single precision, but not columns.
        wingspan = model.params["aircraft_performance"].aircraft_engine_params[flight["aircraftType"]].wing_span
        source["wingspan"] = np.full(len(source), wingspan)
    began = time.process_time()
    # Contrails overlap in fleets alone; one of a single flight will do.
    try:
        result = model.eval(Fleet.from_seq([source]) if shares else source)
    except (TypeError, ValueError) as error:
        # Some combinations of options stop the peer, such as a buffer after the end of life in a fleet.
        return json.dumps({"id": flight["id"], "error": str(error)})
    seconds = time.process_time() - began
    rows = model.contrail
    names = [] if rows is None or rows.empty else [n for n in rows.columns if rows[n].dtype.kind in "fiumMb" and n != "index"]
    columns = [numbers(rows[name].to_numpy()) for name in names]
    np.concatenate(columns or [np.zeros(0)]).tofile(folder / f"contrail-{number}.bin")
    return json.dumps(
        {
            "id": flight["id"],
            "seconds": seconds,
            "columns": {name: plain(result[name]) for name in WAYPOINTS if name in result},
            "names": names,
            "rows": len(columns[0]) if columns else 0,
        }
    )


def numbers(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "M":
        return values.astype("datetime64[ms]").astype(float)
    if values.dtype.kind == "m":
        return values / np.timedelta64(1, "s")
    return values.astype(float)


if __name__ == "__main__":
    met, rad = read_weather()
    # The optical depth of cirrus is computed once and for all sets.
    met = Cocip(met, rad, compute_tau_cirrus_in_model_init=True).met
    sets = json.loads((folder / "sets.json").read_text())
    flights = list(enumerate(json.loads((folder / "flights.json").read_text())))
    share = len(flights) // len(sets)
    with (folder / "results.ndjson").open("w") as out:
        for s, about in enumerate(sets):
            model = make_model(about)
            with multiprocessing.get_context("fork").Pool(int(os.environ.get("PEER_PROCESSES", "2"))) as pool:
                for line in pool.imap(run, flights[s * share : (s + 1) * share]):
                    out.write(line + "\n")
    print(pycontrails.__version__)
