"""Peer of bench/physics.ts: the same formulas on the same points in numpy/pycontrails. Prints ns per element."""

import json
import math
import pathlib
import time
import warnings

import numpy as np
from pycontrails import Flight
from pycontrails.models import sac
from pycontrails.models.emissions import Emissions
from pycontrails.models.humidity_scaling import (
    ConstantHumidityScaling,
    ExponentialBoostHumidityScaling,
    ExponentialBoostLatitudeCorrectionHumidityScaling,
)
from pycontrails.models.ps_model import PSFlight
from pycontrails.physics import thermo, units

warnings.filterwarnings("ignore")

# One level of a global quarter-degree grid; the fields are those of bench/physics.ts.
LONGITUDES = 1440
LATITUDES = 721
POINTS = LONGITUDES * LATITUDES


def best_nanoseconds(elements, work, runs=15):
    best = math.inf
    for _ in range(runs):
        started = time.thread_time()
        work()
        best = min(best, time.thread_time() - started)
    return best * 1e9 / elements


row, column = np.divmod(np.arange(POINTS), LONGITUDES)
latitude = row / 4.0 - 90.0
phi = np.radians(latitude)
lam = np.radians(column / 4.0)
temperature = 225.0 + 15.0 * np.cos(2.0 * phi) + 5.0 * np.sin(4.0 * lam)
pressure = 25_000.0 + 10.0 * np.cos(3.0 * lam)
humidity = (0.7 + 0.7 * np.sin(9.0 * lam) * np.cos(7.0 * phi)) / thermo.rhi(1.0, temperature, pressure)


def schmidt_appleman():
    slope = sac.slope_mixing_line(humidity, pressure, 0.3, 1.23, 43.13e6)
    threshold = sac.T_sat_liquid(slope)
    critical = sac.rh_critical_sac(temperature, threshold, slope)
    return sac.sac(thermo.rh(humidity, temperature, pressure), critical)


def scaling(model, **parameters):
    return lambda: model.scale(humidity, temperature, pressure, **parameters)


# The peer keeps its quantiles in Parquet, which needs one more library; the work is one np.interp.
quantiles = np.genfromtxt(
    pathlib.Path(__file__).parents[2] / "packages/physics/data/humidity-quantiles-pressure-level.csv",
    delimiter=",",
    names=True,
)


def histogram_matching():
    rhi_per_q = thermo.rhi(1.0, temperature, pressure)
    rhi = np.interp(humidity * rhi_per_q, quantiles["reanalysis_linear_q_rhi"], quantiles["observed_rhi"])
    return rhi / rhi_per_q, rhi


points = {
    "saturation pressure over ice": lambda: thermo.e_sat_ice(temperature),
    "saturation pressure over liquid": lambda: thermo.e_sat_liquid(temperature),
    "relative humidity over ice": lambda: thermo.rhi(humidity, temperature, pressure),
    "relative humidity over liquid": lambda: thermo.rh(humidity, temperature, pressure),
    "Schmidt–Appleman criterion": schmidt_appleman,
    "constant humidity scaling": scaling(ConstantHumidityScaling()),
    "exponential boost": scaling(
        ExponentialBoostHumidityScaling(), rhi_adj=0.97, rhi_boost_exponent=1.7, clip_upper=1.7
    ),
    "exponential boost with latitude": scaling(
        ExponentialBoostLatitudeCorrectionHumidityScaling(),
        latitude=latitude,
        q_method=None,
        level_type="pressure",
    ),
    "histogram matching": histogram_matching,
}


def flight(waypoints):
    i = np.arange(waypoints)
    altitude_ft = np.minimum(36_000.0, np.minimum(1500.0 + 1100.0 * i, 1500.0 + 1000.0 * (waypoints - 1 - i)))
    ramp = np.minimum(80.0, np.minimum(4.0 * i, 4.0 * (waypoints - 1 - i)))
    return Flight(
        data={
            "time": np.datetime64("2023-07-01T06:00") + i.astype("timedelta64[m]"),
            "longitude": 0.15 * i % 170,
            "latitude": np.full(waypoints, 48.0),
            "altitude_ft": altitude_ft,
            "air_temperature": units.m_to_T_isa(altitude_ft * 0.3048) + 3.0,
            "specific_humidity": 0.008 * np.exp(-altitude_ft / 6000.0),
            "true_airspeed": 150.0 + ramp + 2.0 * np.sin(np.radians(10.0 * i)),
        },
        aircraft_type="A320",
    )


performance = PSFlight()
emissions = Emissions()
long = flight(20_000)
flown = performance.eval(long)
short = flight(200)

timings = {what: best_nanoseconds(POINTS, work) for what, work in points.items()}
timings["Poll–Schumann performance"] = best_nanoseconds(20_000, lambda: performance.eval(long))
timings["emissions"] = best_nanoseconds(20_000, lambda: emissions.eval(flown))
timings["performance and emissions of 200 waypoints"] = best_nanoseconds(
    1, lambda: emissions.eval(performance.eval(short)), runs=60
)
print(json.dumps(timings))
