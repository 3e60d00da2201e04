"""Flights of SO6 and ALL_FT+ files as `traffic` has them, as JSON: a list of flights for each file, null for one that it cannot read."""

import json
import sys


def columns(flight_id, time, longitude, latitude, altitude_ft, aircraft_type):
    return {
        "id": str(flight_id),
        "time": [int(t.value // 1_000_000) for t in time],
        "longitude": [float(x) for x in longitude],
        "latitude": [float(x) for x in latitude],
        "altitude": [float(x) for x in altitude_ft],
        "type": aircraft_type,
    }


def read_so6(path):
    from traffic.data.eurocontrol.ddr.so6 import SO6

    flights = []
    for flight_id, rows in SO6.from_so6(path).data.groupby("flight_id", sort=False):
        first = rows.iloc[0]
        flights.append(
            columns(
                flight_id,
                [first.time1, *rows.time2],
                [first.lon1, *rows.lon2],
                [first.lat1, *rows.lat2],
                [first.alt1, *rows.alt2],
                first.aircraft,
            )
        )
    return flights


def read_allft(path):
    from traffic.data.eurocontrol.ddr.allft import AllFT, FlightInfo

    flights = []
    for _, row in AllFT.from_allft(path).data.iterrows():
        try:
            data = FlightInfo(row).allFtPointProfile("ctfm").data
        except (AssertionError, AttributeError):
            flights.append(None)
            continue
        flights.append(
            columns(row.ifpsId, data.timestamp, data.longitude, data.latitude, data.altitude, row.typecode)
        )
    return flights


READERS = {"so6": read_so6, "allft": read_allft}

if __name__ == "__main__":
    kind, *paths = sys.argv[1:]
    json.dump([READERS[kind](path) for path in paths], sys.stdout)
