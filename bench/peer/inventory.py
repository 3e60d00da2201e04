"""pycontrails' Cocip on the flights and the weather of a folder, as one fleet in each process, into Parquet tables of
minutes and flights; prints one JSON object with the best of several runs.

    python inventory.py FOLDER PROCESSES

The weather is in memory before the clock starts.
"""

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "test" / "peer" / "trajectories"))

import numpy as np
import pandas as pd
from peer import folder, read_weather
from pycontrails import Fleet, Flight
from pycontrails.models.cocip import Cocip
from pycontrails.models.humidity_scaling import ExponentialBoostLatitudeCorrectionHumidityScaling
from pycontrails.models.ps_model import PSFlight
from pycontrails.physics import jet


RUNS = 8


def make_flight(flight: dict) -> Flight:
    made = Flight(
        longitude=np.array(flight["longitude"], dtype=float),
        latitude=np.array(flight["latitude"], dtype=float),
        altitude_ft=np.array(flight["altitudeFt"], dtype=float),
        time=np.array(flight["time"], dtype="datetime64[s]").astype("datetime64[ns]"),
        flight_id=flight["id"],
        aircraft_type=flight["aircraftType"],
        **flight["attributes"],
    )
    # It would look up the distance between airports in a table that it downloads.
    made.attrs["cargo_load_factor"] = jet.cargo_load_factor(
        *flight["attributes"].values(), np.nansum(made.segment_haversine()) / 1000
    )
    return made


def run_batch(part: int) -> pd.DataFrame:
    result = model.eval(Fleet.from_seq(batches[part]))
    minutes = result.dataframe
    minutes.to_parquet(folder / f"peer-minutes-{part}.parquet", compression="zstd")
    sums = minutes.groupby("flight_id").agg(
        fuel=("fuel_burn", "sum"), ef=("ef", "sum"), start=("time", "min"), end=("time", "max")
    )
    sums.to_parquet(folder / f"peer-flights-{part}.parquet", compression="zstd")
    return sums


if __name__ == "__main__":
    processes = int(sys.argv[2])
    flights = [make_flight(flight) for flight in json.loads((folder / "flights.json").read_text())]
    model = Cocip(
        *read_weather(np.float32),
        aircraft_performance=PSFlight(
            fill_low_altitude_with_isa_temperature=True, fill_low_altitude_with_zero_wind=True
        ),
        compute_tau_cirrus_in_model_init=True,
        humidity_scaling=ExponentialBoostLatitudeCorrectionHumidityScaling(),
        dt_integration=np.timedelta64(5, "m"),
        max_age=np.timedelta64(12, "h"),
    )
    size = -(-len(flights) // processes)
    batches = [flights[k : k + size] for k in range(0, len(flights), size)]
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        seconds = []
        for _ in range(RUNS):
            began = time.perf_counter()
            sums = pd.concat(pool.map(run_batch, range(len(batches)), chunksize=1))
            seconds.append(time.perf_counter() - began)
    pool.join()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = children.ru_utime + children.ru_stime
    ids = [flight.attrs["flight_id"] for flight in flights]
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(
        json.dumps(
            {
                "seconds": min(seconds),
                "cpuSeconds": spent / RUNS,
                "fuelKg": sums.loc[ids, "fuel"].tolist(),
                "forcingMj": (sums.loc[ids, "ef"] / 1e6).tolist(),
                "peakBytes": 1024 * sum(usage),
            }
        )
    )
