"""Writes runs like ECMWF open data, global at 0.25 degrees with messages as large as the real ones (0.6 MB): make_forecast.py FOLDER SAMPLE HOURS."""
import json, pathlib, sys

import eccodes as ec
import numpy as np

folder, sample, hours = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
target = folder / "20260914/00z/ifs/0p25/oper"
target.mkdir(parents=True, exist_ok=True)
rng = np.random.default_rng(1)
latitude, longitude = np.meshgrid(np.linspace(90, -90, 721), np.arange(1440) / 4, indexing="ij")
shape = np.cos(np.radians(latitude)) * np.sin(np.radians(longitude))

messages = []
with open(sample, "rb") as file:
    while (handle := ec.codes_grib_new_from_file(file)) is not None:
        values = ec.codes_get_values(handle)
        low, high = float(values.min()), float(values.max())
        ec.codes_set(handle, "Ni", 1440)
        ec.codes_set(handle, "Nj", 721)
        for key, value in (("latitudeOfFirstGridPointInDegrees", 90), ("latitudeOfLastGridPointInDegrees", -90),
                           ("longitudeOfFirstGridPointInDegrees", 0), ("longitudeOfLastGridPointInDegrees", 359.75),
                           ("iDirectionIncrementInDegrees", 0.25), ("jDirectionIncrementInDegrees", 0.25)):
            ec.codes_set(handle, key, value)
        ec.codes_set(handle, "bitsPerValue", 12)
        noise = rng.standard_normal(shape.shape)
        field = (low + high) / 2 + (high - low) / 2 * np.clip(0.8 * shape + 0.002 * noise, -1, 1)
        ec.codes_set_values(handle, field.ravel())
        messages.append(handle)

for step in range(0, hours + 1, 3):
    name, offset = f"20260914000000-{step}h-oper-fc", 0
    with open(target / f"{name}.grib2", "wb") as file, open(target / f"{name}.index", "w") as index:
        for handle in messages:
            interval = ec.codes_get(handle, "productDefinitionTemplateNumber") == 8
            ec.codes_set(handle, "stepRange", f"0-{step}" if interval else str(step))
            body = ec.codes_get_message(handle)
            line = {"date": "20260914", "time": "0000", "type": "fc", "stream": "oper", "step": str(step),
                    "levtype": ec.codes_get(handle, "levtype"), "param": ec.codes_get(handle, "shortName"),
                    "_offset": offset, "_length": len(body)}
            if line["levtype"] == "pl":
                line["levelist"] = str(ec.codes_get(handle, "level"))
            index.write(json.dumps(line) + "\n")
            file.write(body)
            offset += len(body)
