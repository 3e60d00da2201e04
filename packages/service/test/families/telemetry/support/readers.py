"""Opens an hour of telemetry with the libraries that people use, and prints what they see as JSON."""

import io
import json
import sys
import urllib.request

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq

url, key = sys.argv[1:]
headers = {"x-api-key": key}

frame = pd.read_parquet(url, storage_options=headers)
localised = frame["timestamp"].dt.tz_localize("UTC")
columns_only = pd.read_parquet(url + "&columns=timestamp,nic", storage_options=headers)

with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
    data = response.read()

parquet = pq.ParquetFile(io.BytesIO(data))
metadata = parquet.metadata
group = metadata.row_group(0)
columns = [group.column(k) for k in range(group.num_columns)]
table = parquet.read()
frame_of_polars = pl.read_parquet(io.BytesIO(data))
with open("hour.parquet", "wb") as file:
    file.write(data)
in_duckdb = duckdb.sql("SELECT count(*), min(timestamp), typeof(min(timestamp)) FROM 'hour.parquet'").fetchall()[0]

print(
    json.dumps(
        {
            "pandas": {
                "rows": len(frame),
                "columns": list(frame.columns),
                "first": str(localised.iloc[0]),
                "sorted": bool(frame.sort_values(["timestamp", "icao_address"], kind="stable").index.equals(frame.index)),
                "nic": str(frame["nic"].iloc[0]),
                "only": list(columns_only.columns),
            },
            "polars": {"rows": frame_of_polars.height, "timestamp": str(frame_of_polars.schema["timestamp"])},
            "duckdb": [in_duckdb[0], str(in_duckdb[1]), in_duckdb[2]],
            "pyarrow": {
                "rows": table.num_rows,
                "footer": {k.decode(): v.decode() for k, v in metadata.metadata.items()},
                "timestamp": str(table.schema.field("timestamp").type),
                "types": [str(field.type) for field in table.schema],
                "encodings": {c.path_in_schema: list(c.encodings) for c in columns},
                "compression": sorted({c.compression for c in columns}),
                "paged": [c.path_in_schema for c in columns if c.has_column_index],
                "pages": [c.has_offset_index for c in columns].count(True),
                "statistics": [c.path_in_schema for c in columns if c.statistics and c.statistics.has_min_max],
            },
        }
    )
)
