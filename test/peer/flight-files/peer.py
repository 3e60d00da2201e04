"""Flights of files as public readers have them, as JSON: a list of flights for each file."""

import json
import sys

import pandas as pd


def columns(time, longitude, latitude, altitude_ft, aircraft_type):
    return {
        "time": [int(t.value // 1_000_000) for t in pd.to_datetime(time)],
        "longitude": [float(x) for x in longitude],
        "latitude": [float(x) for x in latitude],
        "altitude": [float(x) for x in altitude_ft],
        "type": aircraft_type,
    }


def read_plan(path):
    from pycontrails.core.flightplan import parse_ofp_xml

    with open(path, encoding="utf-8") as file:
        flight = parse_ofp_xml(file.read())
    frame = flight.dataframe
    return [
        columns(
            frame["time"],
            frame["longitude"],
            frame["latitude"],
            flight.altitude_ft,
            flight.attrs.get("aircraft_type"),
        )
    ]


def read_archive(path):
    """Sorted by sequence, and the last of a time, as scripts of the field do it."""
    frame = pd.read_csv(path)
    frame["Time Over"] = pd.to_datetime(frame["Time Over"], format="%d-%m-%Y %H:%M:%S")
    frame = frame.sort_values(["ECTRL ID", "Sequence Number"], kind="stable")
    frame = frame.drop_duplicates(["ECTRL ID", "Time Over"], keep="last")
    return [
        columns(
            points["Time Over"],
            points["Longitude"],
            points["Latitude"],
            points["Flight Level"] * 100,
            None,
        )
        for _, points in frame.groupby("ECTRL ID", sort=True)
    ]


READERS = {"ofp": read_plan, "rnd": read_archive}

if __name__ == "__main__":
    kind, *paths = sys.argv[1:]
    json.dump([READERS[kind](path) for path in paths], sys.stdout)
