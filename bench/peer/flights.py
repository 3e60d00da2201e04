"""Flights of a table of telemetry with pandas: legs by pauses, the speed filter, whole minutes.

It does less than ours: no attributes, no airports, no validation, straight lines over gaps.
"""

import json
import resource
import sys
import time

import numpy as np
import pandas as pd

EARTH_RADIUS_M = 6371229.0
started = time.perf_counter()
reports = pd.read_parquet(sys.argv[1])
reports = reports.sort_values(["icao_address", "timestamp"], kind="stable").drop_duplicates(["icao_address", "timestamp"])


def steps(frame):
    """Seconds and metres from the row before; NaN at the first of an airframe."""
    lat, lon = np.radians(frame["latitude"].to_numpy()), np.radians(frame["longitude"].to_numpy())
    a = np.sin(np.diff(lat) / 2) ** 2 + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(lon) / 2) ** 2
    metres = np.concatenate([[np.nan], 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(a))])
    seconds = frame["timestamp"].diff().dt.total_seconds().to_numpy()
    return seconds, metres


seconds, metres = steps(reports)
is_new = (reports["icao_address"] != reports["icao_address"].shift()).to_numpy(copy=True)
speed = metres / seconds
is_new |= (seconds > 900) & ((speed < 85) | (speed > 350))
reports["leg"] = np.cumsum(is_new)
for _ in range(5):
    seconds, metres = steps(reports)
    is_same = (reports["leg"] == reports["leg"].shift()).to_numpy()
    bad = is_same & ~((metres / seconds > 45) & (metres / seconds < 350))
    if not bad.any():
        break
    reports = reports[~(bad | np.append(bad[1:], False))]
sizes = reports.groupby("leg")["timestamp"].transform("size")
reports = reports[sizes >= 10]

legs, minutes, checksum = 0, 0, 0.0
for _, leg in reports.groupby("leg"):
    t = leg["timestamp"].to_numpy().astype("datetime64[ms]").astype("int64") / 1000
    marks = np.arange(np.ceil(t[0] / 60) * 60, t[-1] + 0.5, 60)
    latitude = np.interp(marks, t, leg["latitude"].to_numpy())
    longitude = np.interp(marks, t, np.degrees(np.unwrap(np.radians(leg["longitude"].to_numpy()))))
    altitude = np.interp(marks, t, leg["altitude_baro"].to_numpy())
    checksum += latitude.sum()
    legs += 1
    minutes += len(marks)
    del longitude, altitude
print(
    json.dumps(
        {
            "seconds": time.perf_counter() - started,
            "cpuSeconds": time.process_time(),
            "reports": len(reports),
            "legs": legs,
            "minutes": minutes,
            "checksum": checksum,
            "peakBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
    )
)
