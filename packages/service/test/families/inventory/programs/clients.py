"""Reads the inventory as users do: ranges over HTTP into pyarrow, pandas, polars and DuckDB. Prints what was found."""

import datetime
import io
import json
import sys

import duckdb
import fsspec
import pandas
import polars
import pyarrow.parquet
import requests

address, key, date = sys.argv[1:]
session = requests.Session()
session.headers["x-api-key"] = key


class Ranges(io.RawIOBase):
    """A file on a server of which only the parts are fetched that are read."""

    def __init__(self, url):
        self.url = url
        head = session.head(url)
        head.raise_for_status()
        self.size = int(head.headers["content-length"])
        self.place = 0
        self.fetched = 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self.place

    def seek(self, offset, whence=0):
        self.place = offset + (0, self.place, self.size)[whence]
        return self.place

    def readinto(self, target):
        last = min(self.place + len(target), self.size) - 1
        if last < self.place:
            return 0
        answer = session.get(self.url, headers={"range": f"bytes={self.place}-{last}"})
        assert answer.status_code == 206, answer.status_code
        target[: len(answer.content)] = answer.content
        self.place += len(answer.content)
        self.fetched += len(answer.content)
        return len(answer.content)


def opened(path):
    return Ranges(f"{address}/v1/inventory/{path}")


class Inventory(fsspec.AbstractFileSystem):
    """The endpoints as files, so that DuckDB itself decides which ranges it reads."""

    protocol = "inventory"
    cachable = False
    files = []

    @classmethod
    def _strip_protocol(cls, path):
        return path.removeprefix("inventory://")

    def info(self, path, **_):
        return {"name": path, "size": opened(self._strip_protocol(path)).size, "type": "file"}

    def modified(self, _):
        return datetime.datetime.fromtimestamp(0, datetime.UTC)

    def glob(self, path, **_):
        return [self._strip_protocol(path)]

    def _open(self, path, mode="rb", **_):
        self.files.append(opened(self._strip_protocol(path)))
        return self.files[-1]


summary_file = opened(f"summary?date={date}")
summary = pyarrow.parquet.read_table(summary_file)
ids = pyarrow.parquet.read_table(few := opened(f"summary?date={date}"), columns=["flight_id"])
segments = pyarrow.concat_tables(
    pyarrow.parquet.read_table(opened(f"segments?date={date}T{hour:02d}")) for hour in range(24)
)
legs = session.get(f"{address}/v1/inventory/rejections?date={date}&format=parquet").content

connection = duckdb.connect()
connection.register("s", summary)
connection.register("m", segments)
joined = connection.sql(
    """SELECT s.flight_id, s.seg_cnt, count(*) AS n, s.total_fuel_burn_kg AS fuel, sum(m.total_fuel_burn_kg) AS fuel_sum,
         s.sum_ef_mj AS ef, sum(m.sum_ef_mj) AS ef_sum, sum(abs(m.sum_ef_mj)) AS ef_size
       FROM m JOIN s USING (flight_id)
       WHERE s.time_end < (SELECT max(time_end) FROM m) GROUP BY ALL"""
).fetchall()

remote = duckdb.connect()
remote.register_filesystem(Inventory())
hours = ", ".join(f"'inventory://segments?date={date}T{hour:02d}'" for hour in range(24))
flights = remote.sql(
    f"""SELECT s.flight_id, sum(m.sum_ef_mj) FROM read_parquet([{hours}]) AS m
        JOIN read_parquet('inventory://summary?date={date}') AS s USING (flight_id) GROUP BY ALL"""
).fetchall()
fetched, sizes = sum(file.fetched for file in Inventory.files), {file.url: file.size for file in Inventory.files}

frame = pandas.read_parquet(io.BytesIO(session.get(f"{address}/v1/inventory/summary?date={date}").content))
print(
    json.dumps(
        {
            "rows": summary.num_rows,
            "unique": len(set(ids["flight_id"].to_pylist())),
            "footer": sorted(name.decode() for name in summary.schema.metadata if name != b"pandas"),
            "types": {field.name: str(field.type) for field in segments.schema},
            "joined": len(joined),
            "whole": sum(1 for row in joined if row[1] == row[2]),
            "fuel": max(abs(row[3] - row[4]) / row[3] for row in joined if row[1] == row[2]),
            "ef": max(abs(row[5] - row[6]) / max(row[7], 1e-30) for row in joined if row[1] == row[2]),
            "columns_of_part": few.fetched < summary_file.fetched,
            "pandas": frame["time_start"].is_monotonic_increasing and str(frame["time_start"].dt.tz) == "None",
            "polars": polars.read_parquet(io.BytesIO(legs)).height,
            "over_http": {"flights": len(flights), "partly": fetched < sum(sizes.values())},
            "sorted": segments["time_start"].to_pylist() == sorted(segments["time_start"].to_pylist()),
        }
    )
)
