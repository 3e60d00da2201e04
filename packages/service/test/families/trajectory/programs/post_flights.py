"""Posts flights of pycontrails as they are; prints what came back as JSON lines."""

import json
import os

import numpy as np
import pandas as pd
import requests
from pycontrails import Flight

URL = os.environ["URL"]
HEADERS = {"x-api-key": os.environ["KEY"]}


def flight(**attrs) -> Flight:
    time = pd.date_range("2024-02-29T01:00", periods=40, freq="2min")
    return Flight(
        longitude=np.linspace(-180, -162, 40),
        latitude=np.full(40, 40.0),
        altitude=np.full(40, 10058.4),
        time=time,
        **attrs,
    )


def post(name: str, model: str, body: dict) -> None:
    response = requests.post(f"{URL}/v0/trajectory/{model}", json=body, headers=HEADERS)
    answer = response.json()
    keep = {key: value for key, value in answer.items() if key != "contrail"}
    print(json.dumps({"name": name, "status": response.status_code, "sent": sorted(body), "answer": keep}))


plain = flight(aircraft_type="B738", flight_id="from pycontrails", callsign="ABC123", origin_airport_icao="RJTT")
for model in ["sac", "issr", "emissions", "cocip"]:
    post(f"to_dict {model}", model, plain.to_dict())

post("resampled", "cocip", plain.resample_and_fill("1min").to_dict())
post("given", "sac", flight(engine_efficiency=0.3).to_dict())

body = plain.to_dict()
nanoseconds = plain["time"].astype("datetime64[ns]").astype(np.int64).tolist()
post("integer nanoseconds", "issr", body | {"time": nanoseconds})
post("blanks in times", "issr", body | {"time": [str(t) for t in pd.to_datetime(plain["time"])]})
post("numpy texts", "issr", body | {"time": [str(t) for t in plain["time"].astype("datetime64[ns]")]})
post("extra keys", "issr", body | {"attrs": {"deep": [1, None]}, "waypoint": list(range(40)), "level": None})
