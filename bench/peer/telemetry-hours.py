"""Peer of bench/telemetry-hours.ts: pandas and pyarrow import the same table, then build the hour. Prints one line of JSON."""

import json
import os
import resource
import sys
import tempfile
import time

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

TEXTS = {
    "callsign": "[A-Z0-9-]{1,8}",
    "aircraft_type_icao": "[A-Z0-9]{2,4}",
    "airline_iata": "[A-Z0-9]{2}",
    "departure_airport_icao": "[A-Z0-9]{3,4}",
    "arrival_airport_icao": "[A-Z0-9]{3,4}",
}


def clock():
    return time.perf_counter(), time.process_time()


def import_table(path, target):
    """Reads, checks and stores the rows that pass."""
    frame = pd.read_parquet(path)
    records = len(frame)
    for name, pattern in TEXTS.items():
        text = frame[name].str.strip().str.upper()
        frame[name] = text.where(text.str.fullmatch(pattern, na=False))
    frame["icao_address"] = frame["icao_address"].str.strip().str.upper()
    good = (
        frame["icao_address"].str.fullmatch("[0-9A-F]{6}", na=False)
        & frame["latitude"].between(-90, 90)
        & frame["longitude"].between(-180, 360)
        & (frame["timestamp"] <= pd.Timestamp.now() + pd.Timedelta(seconds=60))
        & (frame["altitude_baro"].notna() | frame["altitude_gnss"].notna())
    )
    frame[good].to_parquet(target, compression="snappy")
    return records


def build(source, directory):
    """Sorts, removes duplicates, thins and writes both copies."""
    frame = pd.read_parquet(source)
    frame = frame.sort_values(["icao_address", "timestamp"], kind="stable")
    frame = frame.drop_duplicates(["icao_address", "timestamp"])
    frame = frame.groupby(["icao_address", frame["timestamp"].dt.floor("30s")], sort=False).head(1)
    numbers = {"latitude": "BYTE_STREAM_SPLIT", "longitude": "BYTE_STREAM_SPLIT"}
    for name in ("timestamp", "altitude_baro", "altitude_gnss"):
        numbers[name] = "DELTA_BINARY_PACKED"
    options = {
        "compression": "zstd",
        "compression_level": 3,
        "row_group_size": 122_880,
        "use_dictionary": [name for name in frame.columns if name not in numbers],
        "column_encoding": numbers,
    }
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), os.path.join(directory, "a.parquet"), **options)
    frame = frame.sort_values(["timestamp", "icao_address"])
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), os.path.join(directory, "t.parquet"), **options)
    return len(frame)


with tempfile.TemporaryDirectory() as directory:
    stored = os.path.join(directory, "stored.parquet")
    start = clock()
    records = import_table(sys.argv[1], stored)
    middle = clock()
    rows = build(stored, directory)
    end = clock()

print(
    json.dumps(
        {
            "records": records,
            "rows": rows,
            "importSeconds": middle[0] - start[0],
            "importCpuSeconds": middle[1] - start[1],
            "buildSeconds": end[0] - middle[0],
            "buildCpuSeconds": end[1] - middle[1],
            "peakMiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    )
)
