"""Rules of requests that JSON Schema cannot express, applied to the requests that schemathesis generates as valid.

The guide states each of them: lists of a flight have one length, times increase, the weather covers them, a parameter of
humidity scaling goes with its scaling, min_lat lies south of max_lat. What is generated as invalid is sent as it is.
"""

import datetime
import re
from zlib import crc32

import schemathesis

MAX_WAYPOINTS = 8
CELLS_BOX = [-30.0, 40.0, -25.0, 44.0]
PER_FLIGHT = [
    "aircraft_type", "engine_uid", "fuel", "wingspan", "n_engine", "max_mach_number", "takeoff_mass",
    "passenger_load_factor", "cargo_load_factor", "saf_blend_pct", "payload", "n_seats", "engine_deterioration_factor",
    "aircraft_age_yrs", "amass_oew", "amass_mtow", "amass_mpl", "aircraft_role", "origin_airport_icao",
    "destination_airport_icao", "hydrogen_content", "sulphur_ppm", "aromatics_pct", "naphthalene_pct",
]  # fmt: skip
SCALING_TAKES = {
    "constant_scale": {"rhi_adj"},
    "exponential_boost": {"rhi_adj", "rhi_boost_exponent"},
    "exponential_boost_latitude_customization": {"level_type"},
    "histogram_matching": {"level_type"},
}
PLANNED_MASSES = ["takeoff_mass", "aircraft_mass", "max_mach_number", "wingspan", "n_engine"]
DEFAULT_SCALING = "exponential_boost_latitude_customization"
AIRCRAFT_TYPES = ["A320", "B738", "B77W", "E190"]
ENGINE_UIDS = ["01P08CM105", "3CM026"]
# Two hours: reading weather of ever new hours would take most of the time.
FIRST_SECOND = 1_704_067_200
SECONDS = 2 * 3_600


REPORTS = b'{"now": 1704067200, "aircraft": [{"hex": "40095d", "lat": 48.1, "lon": -3.6, "alt_baro": 36000, "seen_pos": 1}]}'


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query if isinstance(case.query, dict) else None
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if query is not None:
        bound_cost(context.operation.path, query)
    if case.headers and not is_keyless(case) and answers_json(context.operation.path, query or {}):
        # A part of a JSON file has the type of the file and is no JSON, which schemathesis would take it for.
        case.headers.pop("Range", None)
    if not is_positive:
        return
    if context.operation.path == "/v1/adsb/ingest":
        complete_reports(case, query or {})
    elif is_flight_file(context.operation.path, case.media_type):
        # A schema cannot say what a flight file is; test/fuzz/flight-files.ts generates those.
        case.media_type = "application/json"
        flight = {"longitude": [0, 1], "latitude": [50, 50], "altitude": [35_000, 35_000], "time": [0, 60]}
        case.body = {**ROUTE} if context.operation.path == "/v1/planning/route" else flight
        if case.headers:
            case.headers.pop("Content-Type", None)
    if case.headers and "Range" in case.headers:
        case.headers["Range"] = satisfiable(case.headers["Range"])
    if query is not None:
        complete_query(context.operation.path, query)
    if isinstance(case.body, (dict, list)) and context.operation.path != "/v1/adsb/ingest":
        complete_body(context.operation.path, query or {}, case.body)


ROUTE = {
    "origin": {"longitude": 0, "latitude": 50},
    "destination": {"longitude": 8, "latitude": 51},
    "departure_time": "2024-06-12T03:00:00Z",
    "aircraft_type": "B738",
}


def is_flight_file(path, media_type):
    takes_files = path.startswith(("/v0/trajectory/", "/v1/planning/"))
    return takes_files and media_type not in (None, "application/json")


def complete_reports(case, query):
    """Which bytes are reports is no matter of a schema; that of JSON says it."""
    if case.media_type != "application/json":
        case.media_type = "application/octet-stream"
        case.body = REPORTS
    # It has to be that of the body.
    query.pop("format", None)


REPORT_REQUEST = {"operator": "XZ", "from": "2024-01-01", "to": "2024-01-01"}


def complete_body(path, query, body):
    if path == "/v1/inventory/reports":
        # Which days and tables belong together is no matter of a schema.
        body.clear()
        body["request"] = dict(REPORT_REQUEST)
        return
    if path == "/v1/planning/route":
        complete_routes(body)
        # Which levels an aircraft reaches, and which have grids, is no matter of a schema.
        query.pop("flight_levels", None)
        return
    is_listed = isinstance(body, list) or "flights" in body and "longitude" not in body
    flights = body if isinstance(body, list) else body["flights"] if is_listed else [body]
    # The rules between parameters, such as the smallest below the largest, are no matter of their schema.
    if isinstance(body, dict):
        given = body.pop("parameters", None) or {}
        body.pop("avoid", None)
        if (path == "/v0/trajectory/cocip" or path.startswith("/v1/planning/")) and "max_depth" in given:
            body["parameters"] = {"max_depth": given["max_depth"]}
    for number, flight in enumerate(flights):
        complete_flight(flight, MAX_WAYPOINTS if path.startswith("/v1/planning/") else 2)
        flight.pop("avoid", None)
        if is_listed:
            flight.pop("parameters", None)
        if "resample" in query:
            # The waypoint within the weather may not be among those that are left.
            flight["altitude"] = [35_000] * len(flight["altitude"])
            # A track that crosses the antimeridian twice cannot be resampled.
            flight["longitude"] = [longitude / 3 for longitude in flight["longitude"]]
        if path.startswith("/v1/planning/"):
            complete_cruise(flight)
        if is_listed:
            # Each flight has its own name.
            count = len(flight["time"])
            flight["flight_id"] = [f"flight {number}"] * count if isinstance(flight.get("flight_id"), list) else f"flight {number}"


def complete_routes(body):
    """Which airports exist, how far a route may be and which aircraft flies it are no matter of a schema."""
    routes = body["routes"] if "routes" in body else [body]
    # More of them need a header.
    del routes[10:]
    for route in routes:
        route.clear()
        route.update(ROUTE)


def complete_cruise(flight):
    """Planning needs five minutes of cruise at a speed that can be flown, of each flight."""
    count = len(flight["time"])
    flight["altitude"] = [35_000] * count
    flight["longitude"] = [-20 + 0.2 * i for i in range(count)]
    flight["latitude"] = [45.0] * count
    for name in PLANNED_MASSES:
        flight.pop(name, None)


def is_keyless(case):
    """The request without a key. Once its headers are changed, schemathesis sends the key of its command line."""
    data = getattr(getattr(case.meta, "phase", None), "data", None)
    is_missing = getattr(getattr(data, "scenario", None), "name", "") == "MISSING_PARAMETER"
    return is_missing and str(getattr(data, "parameter", "")).lower() == "x-api-key"


def satisfiable(header):
    """A range within the shortest files; one beyond the end of a file is 416, as it should be."""
    return re.sub(r"bytes=(\d+)-(\d*)", lambda range: f"bytes={int(range[1]) % 100}-{range[2] and 100 + int(range[2]) % 100}", header)


def answers_json(path, query):
    return path in ("/v1/regions", "/v0/jobs/{id}/result") or query.get("format") == "geojson"


def bound_cost(path, query):
    """A grid of the whole globe takes seconds; its size is not what is tried here."""
    if not path.startswith("/v0/grid/") or "time" not in query:
        return
    query.setdefault("bbox", list(CELLS_BOX))
    query.setdefault("flight_level", [350])


def complete_query(path, query):
    if "flight" in query and path.endswith("/L4/attributions"):
        # A pattern cannot say that a carrier has a letter, and which dates exist.
        query["flight"] = ["XA~100~2024-01-01~JFK"]
    if "time" in query:
        query["time"] = served_time(path, query["time"])
    levels = listed(query.get("flight_level"))
    if levels is not None and path.startswith("/v0/"):
        query["flight_level"] = levels[:3]
    box = listed(query.get("bbox"))
    if box is not None and len(box) == 4:
        # At least a cell of 0.25 degrees, at most a few hundred, and in the domain.
        west, south = box[0], max(-89.0, min(80.0, box[1]))
        east = box[2] if abs(box[2] - west) in range(1, 9) else west + 5
        if east > 360:
            west, east = 350.0, 355.0
        query["bbox"] = [west, south, east, south + 4]
    if query.get("humidity_scaling") == "histogram_matching_with_eckel":
        # It needs an ensemble, which the demo does not have.
        query["humidity_scaling"] = "histogram_matching"
    # The functions were made with humidity as it is.
    default_scaling = "none" if path.endswith("/accf") else DEFAULT_SCALING
    scaling = query.get("humidity_scaling", default_scaling)
    for name in {"rhi_adj", "rhi_boost_exponent", "level_type"} - SCALING_TAKES.get(scaling, set()):
        query.pop(name, None)
    if "met_source" in query:
        query["met_source"] = "demo"
    if "resample" in query:
        # A flight lasts a minute or longer, and two of its waypoints have to be left.
        query["resample"] = min(int(query["resample"]), 30)
    if "clean" in query and "resample" not in query:
        query.pop("clean")
    if query.get("emission_scenario", "pulse") == "pulse":
        # Of a pulse only the default of 20 years is known.
        query.pop("time_horizon", None)
    # Which table is meant matters for tables alone, which the headers ask for.
    query.pop("table", None)
    if path == "/v1/observations/frames":
        query.pop("from", None)
    if path in ("/v0/grid/cocip", "/v1/grids"):
        complete_hours(query)
    if path == "/v0/grid/cocip":
        complete_custom_grid(query)
    if path == "/v0/grid/accf":
        complete_functions(query)
    if "buffer" in query or query.get("units") in (None, "index"):
        # They exclude each other, and the index has no neighbourhood.
        query.pop("neighbourhood_km", None)
        query.pop("neighbourhood_hours", None)
    # The demo has one weather source.
    query.pop("verify_with", None)
    if path.startswith("/v0/trajectory/") or path.startswith("/v1/planning/"):
        complete_samples(query)
    if path == "/v0/trajectory/cocip" or path.startswith("/v1/planning/"):
        query["max_age_hours"] = min(float(query.get("max_age_hours", 1)), 1)
    for name in ("from_waypoint", "to_waypoint"):
        query.pop(name, None)


def complete_functions(query):
    """Polygons need a threshold and have no variables to select."""
    if query.get("format") in ("geojson", "kml"):
        query.setdefault("threshold", 1e-14)
        query.pop("variables", None)


def complete_hours(query):
    """An export for optimisers has hours and a box, a grid has a time."""
    hour = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H")
    if query.get("format") == "opentop":
        query.pop("time", None)
        query["from"] = query["to"] = hour
        query.setdefault("bbox", [-60.0, 30.0, -55.0, 34.0])
        if query.get("units") == "index":
            # The index has no cost.
            query["units"] = "ef_per_m"
    else:
        for name in ("from", "to", "fill"):
            query.pop(name, None)
        query.setdefault("time", hour)


def complete_custom_grid(query):
    # Only stored grids have others around them.
    query.pop("neighbourhood_hours", None)
    if query.get("fuel") == "SAF":
        query["saf_blend_pct"] = 50
    else:
        query.pop("saf_blend_pct", None)
    query.pop("aircraft_mass", None)
    if "max_age_hours" in query:
        query["max_age_hours"] = 1


def complete_samples(query):
    """A few samples, and what goes with samples alone."""
    query.pop("uncertainty_parameters", None)
    # The demo has no ensemble, and its grids are not those of every type.
    query.pop("met_members", None)
    query.pop("contrails", None)
    if "uncertainty" in query:
        query["uncertainty"] = 2
    else:
        query.pop("sensitivity", None)
        includes = listed(query.get("include")) if not isinstance(query.get("include"), str) else query["include"].split(",")
        if includes and "samples" in includes:
            query["include"] = [name for name in includes if name != "samples"] or ["co2e"]


def listed(value):
    """Some phases write lists as they go into the address."""
    if isinstance(value, str):
        return [float(part) for part in value.split(",")]
    return value if isinstance(value, list) else None


def served_time(path, value):
    """A time that the demo has weather for, written as it was generated."""
    if path.startswith("/v1/") or path.endswith("/cocip"):
        if crc32(repr(value).encode()) % 4 > 0:
            return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H")
    return weather_time(value)


ISO_TIME = re.compile(r"[0-9-]{10}(?:([Tt ][0-9]{2}(?::[0-9:.]+)?)(.*))?")


def weather_time(value):
    written = isinstance(value, str) and ISO_TIME.fullmatch(value)
    if written:
        clock, zone = written[1] or "", written[2] or ""
        clock = clock[:1] + "01" + clock[3:]
        return "2024-01-01" + (clock if written[1] else "") + (zone[:1] + "00" + zone[3:] if len(zone) > 1 else zone)
    return FIRST_SECOND + crc32(repr(value).encode()) % SECONDS


def complete_flight(body, least=2):
    lengths = [len(value) for value in body.values() if isinstance(value, list)]
    count = max(least, min(MAX_WAYPOINTS, *lengths, MAX_WAYPOINTS)) // 2 * 2
    body.setdefault("altitude", body.pop("altitude_ft", None) or [35_000])
    body.pop("altitude_ft", None)
    body.pop("altitude_m", None)
    if body["altitude"] is None:
        body["altitude"] = [35_000]
    for name, value in body.items():
        if isinstance(value, list) and value:
            body[name] = [value[i % len(value)] for i in range(count)]
    # One waypoint within the weather, which ends near the ground, is enough.
    body["altitude"][0] = 35_000
    complete_times(body, count)
    half = count // 2 if count >= 4 else count
    if isinstance(body.get("flight_id"), list):
        first, last = body["flight_id"][0], body["flight_id"][-1]
        body["flight_id"] = [first] * half + [last] * (count - half)
        body["altitude"][half % count] = 35_000
    for name in PER_FLIGHT:
        if isinstance(body.get(name), list):
            body[name] = [body[name][0]] * count
    if isinstance(body.get("engine_uid"), (str, list)):
        body["engine_uid"] = ENGINE_UIDS[count % 2]
    body["aircraft_type"] = AIRCRAFT_TYPES[count % 4]
    fuel = body.get("fuel")
    if "Hydrogen" in (fuel if isinstance(fuel, list) else [fuel]):
        # Its particles have to be given.
        fuel = body["fuel"] = "JetA"
    if fuel == "SAF" or (isinstance(fuel, list) and fuel[0] == "SAF"):
        body["saf_blend_pct"] = 50
    else:
        body.pop("saf_blend_pct", None)


def complete_times(body, count):
    """Every minute from a time that the first one gives; texts stay texts and numbers numbers."""
    start = FIRST_SECOND + crc32(repr(body.get("time")).encode()) % SECONDS
    for i in range(count):
        moment = start + 60 * i
        if isinstance(body["time"][i], str):
            body["time"][i] = datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat()
        else:
            body["time"][i] = moment
