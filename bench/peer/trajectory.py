"""pycontrails' Cocip on what the benchmark of trajectories names; prints one JSON object.

cases <reference> <id>...           processor seconds of each case, the best of three
fleet <reference> <file> <processes>  seconds of a fleet, one batch in each process
parameters <reference> <file> <sets>  processor seconds of each set of parameters: of some flights one by one, and of all as one batch

The weather is in memory before the clock starts.
"""

import json
import multiprocessing
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import xarray as xr
from pycontrails import Flight, MetDataset
from pycontrails.models import humidity_scaling as scalings
from pycontrails.models.cocip import Cocip
from pycontrails.models.ps_model import PSFlight

warnings.filterwarnings("ignore")
reference = Path(sys.argv[2])
RUNS = 3
SINGLE_FLIGHTS = 10
SCALINGS = {
    "constant": scalings.ConstantHumidityScaling,
    "exponential_boost": scalings.ExponentialBoostHumidityScaling,
    "exponential_boost_latitude": scalings.ExponentialBoostLatitudeCorrectionHumidityScaling,
    "histogram_matching": scalings.HistogramMatching,
}


def make_model(about: dict) -> Cocip:
    def read(name: str) -> MetDataset:
        data = xr.open_dataset(reference / about[name]).load()
        return MetDataset(data, wrap_longitude=about.get("wrap_longitude", False))

    params = {name: tuple(value) if isinstance(value, list) else value for name, value in about["params"].items()}
    for name in [name for name in params if name.endswith("_s")]:
        params[name.removesuffix("_s")] = np.timedelta64(params.pop(name), "s")
    if about["humidity_scaling"] is not None:
        options = dict(about["humidity_scaling"])
        params["humidity_scaling"] = SCALINGS[options.pop("name")](**options)
    if about.get("performance") == "ps+emissions":
        params["aircraft_performance"] = PSFlight()
    full_column = about["tau_cirrus"] == "full-column"
    # Particles of the revised ice budget sink so far that they would leave the usual margin around a flight.
    return Cocip(
        read("met"), read("rad"), params, compute_tau_cirrus_in_model_init=full_column, met_level_buffer=(200, 200)
    )


def make_flight(flight: dict, given: bool) -> Flight:
    data = {name: np.array(values, dtype=float) for name, values in flight["data"].items()}
    data["time"] = data["time"].astype("datetime64[s]").astype("datetime64[ns]")
    attrs = dict(flight["attrs"])
    performance = flight.get("performance")
    if given and performance is not None:
        data |= {name: np.array(values, dtype=float) for name, values in performance["data"].items()}
        attrs["wingspan"] = performance["wingspan"]
    return Flight(data, attrs=attrs)


def measure_case(case: str) -> dict | None:
    """None where the peer has not got a package that it needs for the case."""
    folder = reference / "cases" / case
    about = json.loads((folder / "case.json").read_text())
    flights = json.loads((folder / "flight.json").read_text())["flights"]
    model = make_model(about)
    seconds = []
    for _ in range(RUNS):
        sources = [make_flight(flight, about["performance"] == "given") for flight in flights]
        began = time.process_time()
        try:
            model.eval(sources if about["fleet"] else sources[0])
        except ImportError:
            return None
        seconds.append(time.process_time() - began)
    return {"seconds": min(seconds)}


def measure_fleet(file: str, processes: int) -> dict:
    about = json.loads((reference / file).read_text())
    model = make_model(about)
    flights = about["flights"]
    share = -(-len(flights) // processes)
    batches = [
        [make_flight(flight, True) for flight in flights[at : at + share]] for at in range(0, len(flights), share)
    ]
    began = time.perf_counter()
    if processes == 1:
        totals = [run_batch(model, batches[0])]
    else:
        global inherited
        inherited = model
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            totals = pool.map(run_inherited, batches, chunksize=1)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "energyForcing": [total for batch in totals for total in batch]}


def measure_parameters(file: str, sets: dict) -> dict:
    about = json.loads((reference / file).read_text())
    measured = {}
    for name, given in sets.items():
        params = {key: value for key, value in given.items() if key != "single_precision_forcing"}
        model = make_model({**about, "params": params})
        for key in ("radius_threshold_um", "habit_distributions"):
            if key in given:
                model.params[key] = np.array(given[key], dtype=np.float32)
        batch = [make_flight(flight, True) for flight in about["flights"]]
        began = time.process_time()
        for flight in batch[:SINGLE_FLIGHTS]:
            # Contrails overlap in fleets alone.
            model.eval([flight] if model.params["contrail_contrail_overlapping"] else flight)
        single = time.process_time() - began
        batch = [make_flight(flight, True) for flight in about["flights"]]
        began = time.process_time()
        totals = run_batch(model, batch)
        seconds = time.process_time() - began
        measured[name] = {"singleSeconds": single, "seconds": seconds, "energyForcing": totals}
    return {"sets": measured}


def run_batch(model: Cocip, batch: list[Flight]) -> list[float]:
    return [float(np.nansum(flight["ef"])) for flight in model.eval(batch)]


def run_inherited(batch: list[Flight]) -> list[float]:
    return run_batch(inherited, batch)


if __name__ == "__main__":
    if sys.argv[1] == "cases":
        result = {"cases": {case: measure_case(case) for case in sys.argv[3:]}}
    elif sys.argv[1] == "parameters":
        result = measure_parameters(sys.argv[3], json.loads(sys.argv[4]))
    else:
        result = measure_fleet(sys.argv[3], int(sys.argv[4]))
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({**result, "peakBytes": 1024 * sum(usage)}))
