"""Fetches and reads the same run with ecmwf-opendata and cfgrib: weather_sync.py ROOT TARGET HOURS; prints JSON."""
import json, resource, sys, time

import cfgrib
from ecmwf.opendata import Client

root, target, hours = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps, levels = list(range(0, hours + 1, 3)), [150, 200, 250, 300, 400]
common = {"date": "20260914", "time": 0, "step": steps, "stream": "oper", "type": "fc"}
started, start_cpu = time.perf_counter(), time.process_time()
client = Client(source=root)
client.retrieve(param=["t", "q", "u", "v", "w", "gh"], levtype="pl", levelist=levels, target=target + "/levels.grib2", **common)
client.retrieve(param=["ttr", "ssr", "tcwv"], levtype="sfc", target=target + "/surface.grib2", **common)
fetched, fetch_cpu = time.perf_counter(), time.process_time()
for path in ("levels", "surface"):
    for dataset in cfgrib.open_datasets(f"{target}/{path}.grib2", indexpath=""):
        dataset.load()
ended, end_cpu = time.perf_counter(), time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"fetch": fetched - started, "read": ended - fetched, "fetchCpu": fetch_cpu - start_cpu,
                  "readCpu": end_cpu - fetch_cpu, "peakMib": peak}))
