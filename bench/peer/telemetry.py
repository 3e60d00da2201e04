"""Peer of bench/telemetry.ts: json and pandas on the same file, with the same columns and refusals. Prints one line of JSON."""

import gzip
import json
import resource
import sys
import tarfile
import time

import numpy as np
import pandas as pd

FEET_PER_METRE = 1 / 0.3048


def accepted(frame):
    """Rows that pass the checks of ranges, age and ground, with rounded altitudes and folded longitudes."""
    frame["icao_address"] = frame["icao_address"].str.upper()
    frame["callsign"] = frame["callsign"].str.strip().str.upper().replace("", None)
    frame["longitude"] = np.where(frame["longitude"] >= 180, frame["longitude"] - 360, frame["longitude"])
    for name in ("altitude_baro", "altitude_gnss"):
        frame[name] = np.floor(frame[name] + 0.5)
    good = (
        frame["icao_address"].str.fullmatch("[0-9A-F]{6}")
        & frame["latitude"].between(-90, 90)
        & frame["longitude"].between(-180, 180)
        & (frame["age"] <= 15)
        & ~frame["on_ground"]
        & (frame["altitude_baro"].notna() | frame["altitude_gnss"].notna())
    )
    return frame[good]


def read_trace(document):
    rows, callsign, nic, nacp = [], None, None, None
    for entry in document["trace"]:
        details = entry[8] or {}
        callsign, nic, nacp = details.get("flight", callsign), details.get("nic", nic), details.get("nac_p", nacp)
        ground = entry[3] == "ground"
        rows.append(
            (
                document["timestamp"] + entry[0],
                entry[1],
                entry[2],
                None if ground else entry[3],
                entry[10],
                callsign,
                nic,
                nacp,
                ground,
            )
        )
    frame = pd.DataFrame(
        rows,
        columns=[
            "timestamp",
            "latitude",
            "longitude",
            "altitude_baro",
            "altitude_gnss",
            "callsign",
            "nic",
            "nacp",
            "on_ground",
        ],
    )
    frame["altitude_baro"] = frame["altitude_baro"].astype("float64")
    frame["altitude_gnss"] = frame["altitude_gnss"].astype("float64")
    frame["icao_address"], frame["tail_number"] = document["icao"], document["r"]
    frame["aircraft_type_icao"], frame["age"] = document["t"], 0.0
    return frame


def read_traces(file):
    with tarfile.open(file) as archive:
        for member in archive:
            yield read_trace(json.loads(gzip.decompress(archive.extractfile(member).read())))


def read_states(file):
    for frame in pd.read_csv(file, chunksize=65_536):
        yield pd.DataFrame(
            {
                "timestamp": frame["lastposupdate"].fillna(frame["time"]),
                "latitude": frame["lat"],
                "longitude": frame["lon"],
                "altitude_baro": frame["baroaltitude"] * FEET_PER_METRE,
                "altitude_gnss": frame["geoaltitude"] * FEET_PER_METRE,
                "callsign": frame["callsign"],
                "icao_address": frame["icao24"].astype(str),
                "on_ground": frame["onground"],
                "age": frame["time"] - frame["lastposupdate"],
            }
        )


kind, file = sys.argv[1:]
started = time.process_time()
rows = refused = 0
for frame in (read_traces if kind == "traces" else read_states)(file):
    kept = accepted(frame)
    rows += len(kept)
    refused += len(frame) - len(kept)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": rows, "refused": refused, "seconds": time.process_time() - started, "peakMiB": peak}))
