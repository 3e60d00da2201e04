"""Writes tables of telemetry as Parquet in many ways, damages them at random, and lists how many rows pyarrow reads.

usage: damaged_tables.py DIRECTORY COUNT SEED
"""

import datetime
import json
import os
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 400


def table() -> pa.Table:
    chance = random.Random(5)
    start = datetime.datetime(2026, 1, 1, 6)
    rows = range(ROWS)
    return pa.table(
        {
            "timestamp": pa.array([start + datetime.timedelta(seconds=8 * k) for k in rows], pa.timestamp("us")),
            "latitude": pa.array([40 + 9 * chance.random() for _ in rows]),
            "longitude": pa.array([90 * chance.random() for _ in rows]),
            "collection_type": pa.array(["terrestrial" if k % 5 else "satellite" for k in rows]),
            "altitude_baro": pa.array([chance.choice([30000, 31000, None]) for _ in rows], pa.int64()),
            "altitude_gnss": pa.array([30000 + k for k in rows], pa.int64()),
            "icao_address": pa.array([f"4B18{k % 20:02X}" for k in rows]),
            "callsign": pa.array([chance.choice(["SWR1", "BAW22", None]) for _ in rows]),
            "nic": pa.array([chance.choice([0, 8, None]) for _ in rows], pa.int64()),
            "remark": pa.array([[k] * (k % 3) if k % 4 else None for k in rows]),
        }
    )


WAYS = {
    "snappy": dict(compression="snappy", row_group_size=150),
    "zstd": dict(compression="zstd", data_page_version="2.0"),
    "plain": dict(compression="none", use_dictionary=False),
    "gzip": dict(compression="gzip", data_page_size=512, write_statistics=False),
    "brotli": dict(compression="brotli", data_page_size=400),
    "checked": dict(compression="zstd", write_page_checksum=True),
    "bare": dict(compression="snappy", store_schema=False, use_dictionary=False, write_page_index=True),
    "delta": dict(
        compression="snappy",
        use_dictionary=False,
        data_page_version="2.0",
        column_encoding={
            "timestamp": "DELTA_BINARY_PACKED",
            "latitude": "BYTE_STREAM_SPLIT",
            "icao_address": "DELTA_LENGTH_BYTE_ARRAY",
            "callsign": "DELTA_BYTE_ARRAY",
        },
    ),
}


def damaged(whole: bytes, chance: random.Random) -> bytes:
    data = bytearray(whole)
    footer = int.from_bytes(data[-8:-4], "little") + 8

    def position() -> int:
        end = chance.random() < 0.5
        return len(data) - footer + chance.randrange(footer) if end else chance.randrange(len(data))

    at, length = position(), chance.randrange(1, 64)
    kind = chance.randrange(7)
    if kind <= 1:
        data[at] ^= 1 << chance.randrange(8)
    elif kind == 2:
        for _ in range(chance.randrange(2, 8)):
            data[position()] = chance.randrange(256)
    elif kind == 3:
        del data[chance.randrange(len(data)) :]
    elif kind == 4:
        del data[at : at + length]
    elif kind == 5:
        data[at : at + length] = bytes(min(length, len(data) - at))
    else:
        data[at:at] = bytes(chance.randrange(256) for _ in range(length))
    return bytes(data)


def rows_of(path: str) -> int | None:
    """None where pyarrow refuses the file, or ends with it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            read = pq.ParquetFile(path).read()
            read.validate(full=True)
            os.write(writer, str(read.num_rows).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return int(text) if text else None


def main() -> None:
    directory, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rows = {}
    wholes = []
    for way, options in WAYS.items():
        name = f"whole-{way}.parquet"
        pq.write_table(table(), os.path.join(directory, name), **options)
        with open(os.path.join(directory, name), "rb") as file:
            wholes.append((way, file.read()))
        rows[name] = rows_of(os.path.join(directory, name))
    for number in range(seed, seed + count):
        way, whole = wholes[number % len(wholes)]
        name = f"{number}-{way}.parquet"
        with open(os.path.join(directory, name), "wb") as file:
            file.write(damaged(whole, random.Random(number)))
        rows[name] = rows_of(os.path.join(directory, name))
    print(json.dumps(rows))


main()
