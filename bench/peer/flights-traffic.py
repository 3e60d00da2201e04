"""Flights of a table of telemetry with the package traffic: its own legs, filter and whole minutes, on two processes.

It does less than ours: legs end at pauses alone, no airports, no validation.
"""

import json
import resource
import sys
import time

import pandas as pd
from traffic.core import Traffic

COLUMNS = {"icao_address": "icao24", "altitude_baro": "altitude"}
PAUSE = "30min"
PROCESSES = 2

if __name__ == "__main__":
    started = time.perf_counter()
    reports = pd.read_parquet(
        sys.argv[1],
        columns=["timestamp", "icao_address", "callsign", "latitude", "longitude", "altitude_baro"],
    )
    reports["timestamp"] = reports["timestamp"].dt.tz_localize("UTC")
    flights = (
        Traffic(reports.rename(columns=COLUMNS))
        .iterate_lazy(iterate_kw={"by": PAUSE})
        .drop_duplicates()
        .filter(altitude=17)
        .resample("1min")
        .eval(max_workers=PROCESSES)
    )
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - started,
                "cpuSeconds": sum(one.ru_utime + one.ru_stime for one in used),
                "reports": len(reports),
                "legs": sum(1 for _ in flights.iterate(by=PAUSE)),
                "minutes": len(flights.data),
                "checksum": float(flights.data["latitude"].sum()),
                "peakBytes": sum(one.ru_maxrss for one in used) * 1024,
            }
        )
    )
