"""Optimises a cruise with opentop in the wind and at the contrail costs of a JSON file, and writes its track and times."""

import json
import resource
import sys
import time

import numpy as np
import openap
import opentop
import pandas as pd

problem = json.load(open(sys.argv[1]))
costs = pd.DataFrame(problem["costs"], columns=["longitude", "latitude", "height", "ts", "cost"])
wind = pd.DataFrame(problem["wind"], columns=["longitude", "latitude", "h", "ts", "u", "v"])


def processor():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


FUEL_PRICE, COST_INDEX, CARBON_PRICE, EI_CO2 = 0.8, 30, 50, 3.159
PER_KG = FUEL_PRICE + CARBON_PRICE / 1000 * EI_CO2
PER_SECOND = COST_INDEX * FUEL_PRICE / 60
# Costs are per nautical mile, and the objective adds them up over time at about this speed.
METRES_PER_SECOND = 250

began, cpu = time.perf_counter(), processor()
interpolant = opentop.tools.interpolant_from_dataframe(
    costs.assign(cost=costs.cost * METRES_PER_SECOND / 1852), shape="linear"
)
built = time.perf_counter() - began
share = problem["mass_kg"] / openap.prop.aircraft(problem["type"])["mtow"]
optimizer = opentop.Cruise(
    problem["type"], tuple(problem["origin"]), tuple(problem["destination"]), m0=share
)
optimizer.setup(nodes=60, max_iter=1500)
optimizer.enable_wind(wind)


def objective(x, u, dt, **kwargs):
    fuel = optimizer.obj_fuel(x, u, dt, **{k: v for k, v in kwargs.items() if k == "symbolic"})
    return PER_KG * fuel + PER_SECOND * dt + optimizer.obj_grid_cost(x, u, dt, **kwargs)


flight = optimizer.trajectory(objective=objective, interpolant=interpolant)
seconds, cpu_seconds = time.perf_counter() - began, processor() - cpu
print(
    f"success {optimizer.success}, interpolant {built:.1f} s, {len(flight)} points, fuel {flight.fuel_cost.sum():.0f} kg, altitude {flight.altitude.min():.0f} to {flight.altitude.max():.0f} ft",
    file=sys.stderr,
)
stamps = pd.to_datetime(problem["departure"] + flight.ts.to_numpy(), unit="s", utc=True)
track = {
    "longitude": flight.longitude.tolist(),
    "latitude": flight.latitude.tolist(),
    "altitude": np.clip(flight.altitude, 30000, 40000).tolist(),
    "time": [stamp.isoformat().replace("+00:00", "Z") for stamp in stamps],
}
json.dump({"track": track, "time, s": round(seconds, 1), "processor, s": round(cpu_seconds, 1)}, open(sys.argv[2], "w"))
