"""Writes small weather files in the layouts that users have, with what the real library reads back from them.

For every case: the files, and in `<case>.json` the axes and in `<case>.bin` the values (float32, little endian) that
reading all of it has to give, laid out [variable][time][level][latitude][longitude] along increasing axes.
"""

import json
import sys
from pathlib import Path

import netCDF4
import numpy as np

HOUR_MS = 3_600_000
START_MS = 1_711_929_600_000  # 2024-04-01T00:00Z
out = Path(sys.argv[1])

LEVELS = np.array([200.0, 225.0, 250.0, 300.0])
LATITUDES = np.arange(-90.0, 90.1, 15.0)
LONGITUDES = np.arange(0.0, 360.0, 20.0)
SHORT = {
    "t": ("air_temperature", "K", 220.0, 12.0),
    "q": ("specific_humidity", "kg kg**-1", 8e-5, 5e-5),
    "u": ("eastward_wind", "m s**-1", 20.0, 30.0),
    "ciwc": ("specific_cloud_ice_water_content", "kg kg**-1", 1e-6, 2e-6),
}
LONG = {
    "t": "temperature",
    "q": "specific_humidity",
    "u": "u_component_of_wind",
    "ciwc": "specific_cloud_ice_water_content",
}


def weather(name, times, levels, latitudes, longitudes):
    """A smooth field that no transposition leaves unchanged, in double precision [time, level, latitude, longitude]."""
    _, _, mean, span = SHORT[name]
    t = np.asarray(times, "f8")[:, None, None, None]
    p = np.asarray(levels, "f8")[None, :, None, None]
    y = np.radians(np.asarray(latitudes, "f8"))[None, None, :, None]
    x = np.radians(np.asarray(longitudes, "f8"))[None, None, None, :]
    wave = np.sin(x + 0.3 * t) * np.cos(y) + 0.5 * np.sin(2 * y + 0.1 * t) + 0.01 * p / 300 + 0.001 * t
    return mean + span * wave * (1 + len(name) * 0.01)


def pack(values):
    """int16 with scale and offset, as the Copernicus store packs."""
    low, high = np.nanmin(values), np.nanmax(values)
    scale = (high - low) / 65530
    offset = (high + low) / 2
    packed = np.round((values - offset) / scale)
    packed[np.isnan(values)] = -32767
    return packed.astype("i2"), scale, offset


def save(case, files, times, axes, values, **more):
    """What reading has to give; `values` maps names to arrays [time, level, latitude, longitude] along stored axes."""
    level, latitude, longitude = axes
    longitude = (np.asarray(longitude, "f8") + 180) % 360 - 180
    order = [np.argsort(level), np.argsort(latitude), np.argsort(longitude)]
    sorted_values = [np.asarray(v, "f4")[:, order[0]][:, :, order[1]][..., order[2]] for v in values.values()]
    np.stack(sorted_values).astype("<f4").tofile(out / f"{case}.bin")
    expected = {
        "files": [f.name for f in files],
        "variables": [SHORT[name][0] if name in SHORT else name for name in values],
        "time": [START_MS + hour * HOUR_MS for hour in times],
        "level": np.sort(np.asarray(level, "f8")).tolist(),
        "latitude": np.sort(np.asarray(latitude, "f8")).tolist(),
        "longitude": np.sort(longitude).tolist(),
        **more,
    }
    (out / f"{case}.json").write_text(json.dumps(expected))


def create(path, model, lengths, unlimited=()):
    data = netCDF4.Dataset(path, "w", format=model)
    for name, length in lengths.items():
        data.createDimension(name, None if name in unlimited else length)
    return data


def coordinate(data, name, dtype, values, **attributes):
    dimensions = (name,) if np.ndim(values) else ()
    variable = data.createVariable(name, dtype, dimensions)
    variable.setncatts(attributes)
    variable[...] = values
    return variable


def store_old(case, model="NETCDF3_64BIT_OFFSET", expver=False, unlimited=(), hole=False):
    """grib_to_netcdf: packed integers, hours since 1900, levels in millibars, north first, 0…360."""
    path = out / f"{case}.nc"
    times, levels, latitudes = range(5), LEVELS.astype("i4"), LATITUDES[::-1]
    lengths = {"longitude": len(LONGITUDES), "latitude": len(latitudes), "level": 4, "time": 5}
    if expver:
        lengths["expver"] = 2
    dimensions = ("time", "expver", "level", "latitude", "longitude") if expver else ("time", "level", "latitude", "longitude")
    data = create(path, model, lengths, unlimited)
    coordinate(data, "longitude", "f4", LONGITUDES, units="degrees_east", long_name="longitude")
    coordinate(data, "latitude", "f4", latitudes, units="degrees_north", long_name="latitude")
    coordinate(data, "level", "i4", levels, units="millibars", long_name="pressure_level")
    if expver:
        coordinate(data, "expver", "i4", [1, 5], long_name="expver")
    hours = np.array([1_089_144 + hour for hour in times])
    coordinate(data, "time", "i4", hours, units="hours since 1900-01-01 00:00:00.0", calendar="gregorian")
    values = {}
    for name in SHORT:
        field = weather(name, times, levels, latitudes, LONGITUDES)
        if hole:
            field[1, 2, 3, 4] = np.nan
            field[4, 0, 0, :] = np.nan
        packed, scale, offset = pack(field)
        variable = data.createVariable(name, "i2", dimensions, fill_value=np.int16(-32767))
        variable.set_auto_maskandscale(False)
        variable.setncatts({"scale_factor": scale, "add_offset": offset, "missing_value": np.int16(-32767)})
        variable.setncatts({"units": SHORT[name][1], "standard_name": SHORT[name][0]})
        if expver:
            split = np.full((5, 2, *packed.shape[1:]), -32767, "i2")
            split[:3, 0], split[3:, 1] = packed[:3], packed[3:]
            variable[...] = split
        else:
            variable[...] = packed
        decoded = packed * np.float64(scale) + np.float64(offset)
        decoded[packed == -32767] = np.nan
        values[name] = decoded
    data.close()
    save(case, [path], times, (levels, latitudes, LONGITUDES), values)


def store_new(case, names=None, times=range(5), number="scalar", chunks=None, files=None, dtype="f4", filters=None):
    """The store since 2024: netCDF-4, valid_time, pressure_level, north first, lowest level first, 0…360."""
    names = names or {name: name for name in SHORT}
    latitudes, levels = LATITUDES[::-1], LEVELS[::-1]
    groups = files or [(list(names), list(times))]
    paths, values = [], {name: np.empty((len(times), 4, len(latitudes), len(LONGITUDES)), "f4") for name in names}
    for i, (members, hours) in enumerate(groups):
        path = out / (f"{case}.nc" if files is None else f"{case}-{i:02}.nc")
        paths.append(path)
        lengths = {"valid_time": len(hours), "pressure_level": 4, "latitude": len(latitudes), "longitude": len(LONGITUDES)}
        dimensions = tuple(lengths)
        if number == "dimension":
            lengths = {"number": 1, **lengths}
            dimensions = tuple(lengths)
        data = create(path, "NETCDF4", lengths)
        coordinate(data, "number", "i8", [0] if number == "dimension" else 0, standard_name="realization", units="1")
        seconds = [START_MS // 1000 + 3600 * hour for hour in hours]
        coordinate(data, "valid_time", "i8", seconds, standard_name="time", units="seconds since 1970-01-01", calendar="proleptic_gregorian")
        coordinate(data, "pressure_level", "f8", levels, standard_name="air_pressure", units="hPa", positive="down")
        coordinate(data, "latitude", "f8", latitudes, standard_name="latitude", units="degrees_north")
        coordinate(data, "longitude", "f8", LONGITUDES, standard_name="longitude", units="degrees_east")
        versions = data.createVariable("expver", str, ("valid_time",))
        versions[:] = np.array(["0001" if hour < 3 else "0005" for hour in hours], object)
        for name in members:
            field = weather(name, hours, levels, latitudes, LONGITUDES).astype("f4")
            options = {"zlib": True, "complevel": 1, "shuffle": True} if filters is None else filters
            variable = data.createVariable(names[name], dtype, dimensions, chunksizes=chunks, fill_value=np.float32(np.nan), **options)
            variable.setncatts({"units": SHORT[name][1], "GRIB_paramId": 1, "coordinates": "number valid_time pressure_level latitude longitude expver"})
            variable[...] = field
            for hour, plane in zip(hours, field):
                values[name][list(times).index(hour)] = plane
        data.close()
    save(case, paths, times, (levels, latitudes, LONGITUDES), values)


def conventions(case, model, order, dtype, level_unit, time, regional=None, fixed=()):
    """Any file with standard names, its dimensions in any order."""
    path = out / f"{case}.nc"
    times, longitudes = range(4), LONGITUDES - 180 if regional is None else np.asarray(regional, "f8")
    latitudes = LATITUDES
    axes = {"time": times, "lev": LEVELS, "lat": latitudes, "lon": longitudes}
    data = create(path, model, {name: len(axes[name]) for name in axes}, [n for n in fixed])
    coordinate(data, "lon", "f8", longitudes, standard_name="longitude", units="degrees_east")
    coordinate(data, "lat", "f8", latitudes, standard_name="latitude", units="degrees_north")
    factor = {"Pa": 100, "hPa": 1, "mb": 1}[level_unit]
    coordinate(data, "lev", "f8", LEVELS * factor, standard_name="air_pressure", units=level_unit)
    unit, calendar, per_hour, origin, time_type = time
    coordinate(data, "time", time_type, [origin + hour * per_hour for hour in times], standard_name="time", units=unit, calendar=calendar)
    values = {}
    for i, name in enumerate(SHORT):
        field = weather(name, times, LEVELS, latitudes, longitudes).astype(dtype)
        variable = data.createVariable(f"var{i}", dtype, order)
        variable.setncatts({"standard_name": SHORT[name][0], "units": SHORT[name][1]})
        variable[...] = np.transpose(field, [list(axes).index(axis) for axis in order])
        values[name] = field
    data.close()
    save(case, [path], times, (LEVELS, latitudes, longitudes), values)


def model_levels(case, surface):
    """Hybrid levels with the surface pressure of their columns; values are linear in ln p, so that any target is known."""
    a, b = np.loadtxt(sys.argv[2], delimiter=",", skiprows=1, usecols=(1, 2)).T
    numbers = np.arange(60, 138)
    latitudes, times = LATITUDES[::-1], range(2)
    x = np.radians(LONGITUDES)[None, None, :]
    y = np.radians(latitudes)[None, :, None]
    pressure = 90_000 + 12_000 * np.sin(x) * np.cos(y) + 100 * np.asarray(times)[:, None, None]
    ln = np.log(pressure) if surface == "lnsp" else pressure
    half = a[:, None, None, None] + b[:, None, None, None] * pressure[None]
    full = (half[:-1] + half[1:]) / 2 / 100
    column = np.moveaxis(full[numbers - 1], 0, 1)
    path = out / f"{case}.nc"
    data = create(path, "NETCDF4", {"time": 2, "hybrid": len(numbers), "latitude": len(latitudes), "longitude": len(LONGITUDES)})
    coordinate(data, "time", "i8", [START_MS // 1000 + 3600 * hour for hour in times], units="seconds since 1970-01-01")
    coordinate(data, "hybrid", "f8", numbers, long_name="hybrid level", standard_name="atmosphere_hybrid_sigma_pressure_coordinate")
    coordinate(data, "latitude", "f8", latitudes, units="degrees_north")
    coordinate(data, "longitude", "f8", LONGITUDES, units="degrees_east")
    for name, scale in (("t", 40.0), ("q", 1e-5)):
        variable = data.createVariable(name, "f8", ("time", "hybrid", "latitude", "longitude"), zlib=True)
        variable.units = SHORT[name][1]
        variable[...] = scale * np.log(column)
    variable = data.createVariable(surface, "f8", ("time", "latitude", "longitude"))
    variable.units = "~" if surface == "lnsp" else "Pa"
    variable[...] = ln
    data.close()
    levels = np.array([200.0, 250.0, 300.0])
    shape = (2, 3, len(latitudes), len(LONGITUDES))
    values = {name: np.broadcast_to(scale * np.log(levels)[None, :, None, None], shape) for name, scale in (("t", 40.0), ("q", 1e-5))}
    save(case, [path], times, (levels, latitudes, LONGITUDES), values)


def simple(path, names, hours, units=None, dimension=None, coordinates=None, compression="zlib", members=0):
    """A small netCDF-4 file; what `units`, `dimension` and `coordinates` add is what the case is about."""
    lengths = {"time": len(hours), "level": 4, "latitude": len(LATITUDES), "longitude": len(LONGITUDES)}
    if members:
        lengths = {"number": members, **lengths}
    if dimension:
        lengths = {**lengths, dimension: 2}
    data = create(out / path, "NETCDF4", lengths)
    coordinate(data, "time", "i8", [START_MS // 1000 + 3600 * hour for hour in hours], units="seconds since 1970-01-01")
    coordinate(data, "level", "f8", LEVELS, units="hPa")
    coordinate(data, "latitude", "f8", LATITUDES, units="degrees_north")
    coordinate(data, "longitude", "f8", LONGITUDES, units="degrees_east")
    if members:
        coordinate(data, "number", "i4", range(members))
    for name, value in (coordinates or {}).items():
        coordinate(data, name, "i8", value[0], **value[1])
    for name in names:
        variable = data.createVariable(name, "f4", tuple(lengths), compression=compression)
        variable.units = (units or {}).get(name, SHORT[name][1])
        field = weather(name, hours, LEVELS, LATITUDES, LONGITUDES)
        if members:
            field = np.stack([field + 100 * member for member in range(members)])
        if dimension:
            field = np.stack([field, field], -1)
        variable[...] = field
    data.close()


def radiation(path, hours, units):
    data = create(out / path, "NETCDF4", {"time": len(hours), "latitude": len(LATITUDES), "longitude": len(LONGITUDES)})
    coordinate(data, "time", "i8", [START_MS // 1000 + 3600 * hour for hour in hours], units="seconds since 1970-01-01")
    coordinate(data, "latitude", "f8", LATITUDES, units="degrees_north")
    coordinate(data, "longitude", "f8", LONGITUDES, units="degrees_east")
    # The archive's own standard names, which mean something else.
    for name, standard, value in (("tsr", "toa_net_upward_shortwave_flux", 1e6), ("ttr", "toa_outgoing_longwave_flux", -8e5)):
        variable = data.createVariable(name, "f4", ("time", "latitude", "longitude"))
        variable.setncatts({"units": units, "standard_name": standard})
        variable[...] = value + np.arange(len(hours))[:, None, None]
    data.close()


def forecast(path, start, hours, offset):
    """One forecast run, as cfgrib hands it to xarray: the start is a scalar, the valid time lies along the steps."""
    data = create(out / path, "NETCDF4", {"step": len(hours), "isobaricInhPa": 4, "latitude": len(LATITUDES), "longitude": len(LONGITUDES)})
    second = START_MS // 1000
    coordinate(data, "time", "i8", second + 3600 * start, standard_name="forecast_reference_time", units="seconds since 1970-01-01")
    coordinate(data, "step", "f8", hours, standard_name="forecast_period", units="hours")
    valid = data.createVariable("valid_time", "i8", ("step",))
    valid.setncatts({"standard_name": "time", "units": "seconds since 1970-01-01"})
    valid[:] = [second + 3600 * (start + hour) for hour in hours]
    coordinate(data, "isobaricInhPa", "f8", LEVELS, standard_name="air_pressure", units="hPa")
    coordinate(data, "latitude", "f8", LATITUDES, units="degrees_north")
    coordinate(data, "longitude", "f8", LONGITUDES, units="degrees_east")
    variable = data.createVariable("t", "f4", ("step", "isobaricInhPa", "latitude", "longitude"))
    variable.units = "K"
    variable[...] = weather("t", hours, LEVELS, LATITUDES, LONGITUDES) * 0 + 200 + offset
    data.close()


HOURS = ("hours since 1900-01-01 00:00:00.0", "gregorian", 1, 1_089_144, "i4")
DAYS = ("days since 1850-1-1", "standard", 1 / 24, 63_643, "f8")
MINUTES = ("minutes since 2024-04-01T00:00:00Z", "proleptic_gregorian", 60, 0, "f4")
SECONDS = ("seconds since 1970-01-01", "standard", 3600, START_MS // 1000, "i4")

store_old("old")
store_old("old-classic-records", model="NETCDF3_CLASSIC", unlimited=("time",))
store_old("old-netcdf4", model="NETCDF4")
store_old("old-expver", expver=True)
store_old("old-holes", hole=True)
store_old("cdf5", model="NETCDF3_64BIT_DATA")
store_new("new")
store_new("new-long-names", names=LONG)
store_new("new-number", number="dimension")
store_new("new-plain", filters={})
store_new("new-fletcher", filters={"zlib": True, "fletcher32": True, "shuffle": False})
store_new("new-big-endian", dtype=">f4", filters={"endian": "big"})
store_new("new-chunks-in-time", chunks=(3, 2, 5, 7))
store_new("new-one-chunk", chunks=(5, 4, 13, 18))
store_new("new-by-variable", files=[([name], range(5)) for name in SHORT])
store_new("new-by-time", files=[(list(SHORT), [0, 1]), (list(SHORT), [2]), (list(SHORT), [3, 4])])
store_new("new-by-both", files=[([name], hours) for name in SHORT for hours in ([3, 4], [0, 1, 2])])
conventions("cf-reversed", "NETCDF4", ("lon", "lat", "lev", "time"), "f4", "hPa", SECONDS)
conventions("cf-level-last", "NETCDF4", ("time", "lat", "lon", "lev"), "f8", "Pa", DAYS)
conventions("cf-classic", "NETCDF3_CLASSIC", ("lat", "time", "lev", "lon"), "f4", "mb", MINUTES)
conventions("cf-classic-reversed", "NETCDF3_64BIT_OFFSET", ("lon", "lat", "lev", "time"), "f8", "Pa", HOURS)
conventions("cf-records", "NETCDF3_CLASSIC", ("time", "lev", "lat", "lon"), "f4", "hPa", HOURS, fixed=("time",))
conventions("cf-antimeridian", "NETCDF4", ("time", "lev", "lat", "lon"), "f4", "hPa", SECONDS, regional=np.arange(160, 201, 5))
conventions("cf-greenwich", "NETCDF4", ("time", "lev", "lat", "lon"), "f4", "hPa", SECONDS, regional=[*range(340, 360, 5), *range(0, 21, 5)])
model_levels("model-lnsp", "lnsp")
model_levels("model-sp", "sp")

simple("good.nc", ["t", "q"], range(4))
simple("gap.nc", ["t", "q"], [0, 1, 3, 4])
simple("ice-gap.nc", ["ciwc"], [0, 2, 3])
simple("celsius.nc", ["t", "q"], range(4), units={"t": "degC"})
simple("members.nc", ["t"], range(4), members=3)
simple("odd-dimension.nc", ["t", "q"], range(4), dimension="band")
simple("zstd.nc", ["t"], range(4), compression="zstd")
radiation("radiation-j.nc", range(5), "J m**-2")
radiation("radiation-w.nc", range(5), "W m**-2")
forecast("run-00.nc", 0, [0, 1, 2, 3, 6], 0)
forecast("run-06.nc", 6, [0, 1, 2, 3, 6], 6)
