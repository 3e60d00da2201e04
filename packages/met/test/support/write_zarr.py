"""Writes Zarr stores with zarr-python and xarray in many layouts, with what they read back from them.

    python write_zarr.py DIRECTORY MODEL_LEVELS.csv [CASE …]

Each case is `<name>.zarr`, `<name>.json` (axes) and `<name>.bin` (float32 [variable][time][level][lat][lon]).
"""

import json
import pathlib
import sys
import warnings

import numcodecs
import numpy
import xarray
import zarr

warnings.simplefilter("ignore")
DIRECTORY = pathlib.Path(sys.argv[1])
CASES = sys.argv[3:]

TIMES = numpy.datetime64("2023-03-01T00", "h") + numpy.arange(6)
LEVELS = numpy.array([200, 225, 250, 300])
LATITUDES = numpy.arange(90, -91, -20.0)
LONGITUDES = numpy.arange(0, 360, 20.0)
SHAPE = (len(TIMES), len(LEVELS), len(LATITUDES), len(LONGITUDES))
DIMENSIONS = ["time", "level", "latitude", "longitude"]
VARIABLES = {
    "temperature": ("air_temperature", "K", 230, 20),
    "specific_humidity": ("specific_humidity", "kg kg**-1", 1e-4, 3e-5),
}


def values(name):
    _, _, mean, spread = VARIABLES[name]
    random = numpy.random.default_rng(len(name))
    return (mean + spread * random.standard_normal(SHAPE)).astype("f4")


def hours_since_1900(times):
    return (times - numpy.datetime64("1900-01-01T00", "h")).astype("i8")


def describe(name, stacked, times=TIMES):
    numpy.stack(stacked).astype("<f4").tofile(DIRECTORY / f"{name}.bin")
    (DIRECTORY / f"{name}.json").write_text(
        json.dumps(
            {
                "files": [f"{name}.zarr"],
                "variables": [canonical for canonical, *_ in VARIABLES.values()],
                "time": [int(time.astype("datetime64[ms]").astype("i8")) for time in times],
                "level": LEVELS.tolist(),
                "latitude": LATITUDES.tolist(),
                "longitude": [(longitude + 180) % 360 - 180 for longitude in LONGITUDES.tolist()],
            }
        )
    )


def write(name, version, consolidated, chunks, dtype="f4", times=TIMES, attributes=None, reserved=0, skip=(), **how):
    """A store of zarr-python: `how` is handed to its arrays of weather. `reserved`: times nothing is written for."""
    if CASES and name not in CASES:
        return
    path = DIRECTORY / f"{name}.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=version, attributes=attributes or {})

    def create(array, data, dimensions, attrs, **more):
        names = {"dimension_names": dimensions} if version == 3 else {}
        attrs = attrs | ({"_ARRAY_DIMENSIONS": dimensions} if version == 2 else {})
        made = group.create_array(array, shape=data.shape, dtype=data.dtype, attributes=attrs, **names, **more)
        made[...] = data
        return made

    all_times = numpy.concatenate([times, times[-1] + 1 + numpy.arange(reserved)])
    create("time", hours_since_1900(all_times), ["time"], {"units": "hours since 1900-01-01", "calendar": "proleptic_gregorian"})
    create("level", LEVELS.astype("i8"), ["level"], {})
    create("latitude", LATITUDES.astype("f4"), ["latitude"], {"units": "degrees_north"})
    create("longitude", LONGITUDES.astype("f4"), ["longitude"], {"units": "degrees_east"})
    stacked = []
    for array, (_, units, *_) in VARIABLES.items():
        data = values(array).astype(dtype)
        held = numpy.full((len(all_times), *SHAPE[1:]), numpy.nan, dtype=dtype)
        held[: len(times)] = data
        names = {"dimension_names": DIMENSIONS} if version == 3 else {}
        attrs = {"units": units} | ({"_ARRAY_DIMENSIONS": DIMENSIONS} if version == 2 else {})
        made = group.create_array(
            array, shape=held.shape, dtype=dtype, chunks=chunks, fill_value=numpy.nan, attributes=attrs, **names, **how
        )
        if skip:
            for index in set(range(len(times))) - set(skip):
                made[index] = data[index]
        else:
            made[: len(times)] = data
        stacked.append(made[: len(times)])
    if consolidated:
        zarr.consolidate_metadata(path, zarr_format=version)
    describe(name, stacked, times)


HOUR = (1, *SHAPE[1:])
UNEVEN = (4, 3, 7, 11)
blosc2 = lambda cname, shuffle=1, block=0: numcodecs.Blosc(cname=cname, clevel=5, shuffle=shuffle, blocksize=block)

write("arco", 2, True, HOUR, compressors=[blosc2("lz4")], reserved=4,
      attributes={"valid_time_start": "2023-03-01", "valid_time_stop": "2023-03-01"},
      times=numpy.datetime64("2023-03-01T18", "h") + numpy.arange(6))
write("v2-blosc-zstd", 2, True, UNEVEN, compressors=[blosc2("zstd", 2)])
write("v2-blosc-zlib", 2, False, UNEVEN, compressors=[blosc2("zlib", 0)])
write("v2-blosclz", 2, False, UNEVEN, compressors=[blosc2("blosclz")])
write("v2-lz4", 2, True, UNEVEN, compressors=[numcodecs.LZ4()])
write("v2-zstd", 2, False, UNEVEN, compressors=[numcodecs.Zstd(level=3)])
write("v2-gzip", 2, True, UNEVEN, compressors=[numcodecs.GZip(level=1)])
write("v2-zlib", 2, False, UNEVEN, compressors=[numcodecs.Zlib(level=1)])
write("v2-plain-big-endian", 2, True, UNEVEN, dtype=">f4", compressors=None)
write("v2-columns-first", 2, True, UNEVEN, order="F", compressors=[blosc2("lz4")])
write("v2-nested-keys", 2, True, UNEVEN, chunk_key_encoding={"name": "v2", "separator": "/"})

# Many blocks in one chunk: split by bytes, shuffled by bits, not shuffled, unpacked by the library, of other widths.
WHOLE = SHAPE
small, every = (LEVELS, LATITUDES, LONGITUDES), VARIABLES
write("blocks-lz4", 2, True, WHOLE, compressors=[blosc2("lz4", block=2048)])
write("blocks-lz4hc-plain", 2, True, WHOLE, compressors=[blosc2("lz4hc", 0, 3000)])
write("blocks-zstd", 2, True, WHOLE, compressors=[blosc2("zstd", 1, 4096)])
write("blocks-zstd-bits", 2, True, WHOLE, compressors=[blosc2("zstd", 2, 4096)])
write("blocks-zlib", 2, True, WHOLE, compressors=[blosc2("zlib", 1, 2048)])
write("blocks-blosclz", 2, True, WHOLE, compressors=[blosc2("blosclz", 1, 2048)])
write("blocks-double", 2, True, WHOLE, dtype="<f8", compressors=[blosc2("lz4", 1, 4096)])
write("blocks-copied", 2, True, WHOLE, compressors=[numcodecs.Blosc(cname="lz4", clevel=0, blocksize=2048)])

# A chunk of many blocks, of which a window needs some.
LEVELS = numpy.array([100, 150, 200, 250, 300, 350, 400, 500, 600, 700])
LATITUDES, LONGITUDES = numpy.arange(90, -91, -2.0), numpy.arange(0, 360, 2.0)
SHAPE, VARIABLES = (2, len(LEVELS), len(LATITUDES), len(LONGITUDES)), {"temperature": ("air_temperature", "K", 230, 20)}
write("large", 2, True, (2, *SHAPE[1:]), times=TIMES[:2], compressors=[blosc2("lz4", block=2048)])
LEVELS, LATITUDES, LONGITUDES = small
SHAPE, VARIABLES = WHOLE, every
write("gap", 2, True, HOUR, times=numpy.array([*TIMES[:3], TIMES[4], TIMES[5], TIMES[5] + 1]))

from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec  # noqa: E402

write("v3-zstd", 3, True, UNEVEN, compressors=ZstdCodec(level=3))
write("v3-gzip", 3, False, UNEVEN, compressors=GzipCodec(level=1))
write("v3-blosc", 3, True, UNEVEN, compressors=BloscCodec(cname="lz4", shuffle="bitshuffle"))
write("v3-plain", 3, False, UNEVEN, compressors=None)
write("v3-sharded", 3, True, (1, 2, 4, 6), shards=(2, 4, 12, 18), compressors=ZstdCodec(level=1))
write("v3-sharded-blosc", 3, False, (2, 4, 5, 9), shards=(6, 4, 15, 18), compressors=BloscCodec(cname="zstd"))
write("v3-missing", 3, True, HOUR, compressors=ZstdCodec(level=3), skip=(2,))

data = xarray.Dataset(
    {
        array: (DIMENSIONS, values(array), {"units": units, "standard_name": canonical})
        for array, (canonical, units, *_) in VARIABLES.items()
    },
    coords={
        "time": TIMES.astype("datetime64[ns]"),
        "level": ("level", LEVELS, {"units": "hPa"}),
        "latitude": LATITUDES,
        "longitude": LONGITUDES,
    },
)
for version in () if CASES else (2, 3):
    name = f"xarray-v{version}"
    data.to_zarr(DIRECTORY / f"{name}.zarr", zarr_format=version, consolidated=version == 2)
    read = xarray.open_zarr(DIRECTORY / f"{name}.zarr", chunks=None)
    describe(name, [read[array].values for array in VARIABLES])

    name = f"xarray-packed-v{version}"
    scales = {"temperature": 0.01, "specific_humidity": 1e-8}
    packing = {
        array: {"dtype": "int16", "scale_factor": scales[array], "add_offset": float(VARIABLES[array][2]), "_FillValue": -32767}
        for array in VARIABLES
    }
    holes = data.where(data.temperature > 200)
    for array in VARIABLES:
        holes[array].attrs = data[array].attrs
    holes.to_zarr(DIRECTORY / f"{name}.zarr", zarr_format=version, encoding=packing, consolidated=version == 2)
    raw = xarray.open_zarr(DIRECTORY / f"{name}.zarr", chunks=None, mask_and_scale=False)
    unpacked = []
    for array in VARIABLES:
        stored = raw[array].values
        value = stored.astype("f8") * packing[array]["scale_factor"] + packing[array]["add_offset"]
        unpacked.append(numpy.where(stored == -32767, numpy.nan, value))
    describe(name, unpacked)


def write_model_levels(name, levels_csv):
    """Temperature and humidity linear in ln p on model levels, and the logarithm of surface pressure."""
    coefficients = numpy.genfromtxt(levels_csv, delimiter=",", skip_header=1)
    a, b = coefficients[:, 1], coefficients[:, 2]
    model_levels = numpy.arange(60, 121)
    rows, columns = len(LATITUDES), len(LONGITUDES)
    surface = 95_000 + 10_000 * numpy.sin(numpy.arange(6 * rows * columns)).reshape(6, rows, columns)
    half = a[:, None, None, None] + b[:, None, None, None] * surface[None]
    full = ((half[1:] + half[:-1]) / 200)[model_levels - 1]
    ln_p = numpy.log(full).transpose(1, 0, 2, 3)
    fields = xarray.Dataset(
        {
            "temperature": (("time", "hybrid", "latitude", "longitude"), 40 * ln_p, {"units": "K"}),
            "specific_humidity": (("time", "hybrid", "latitude", "longitude"), 1e-5 * ln_p, {"units": "kg kg**-1"}),
            "lnsp": (("time", "latitude", "longitude"), numpy.log(surface), {"units": "~"}),
        },
        coords={"time": TIMES, "hybrid": model_levels, "latitude": LATITUDES, "longitude": LONGITUDES},
    )
    chunks = {"chunks": (1, 18, rows, columns)}
    fields.to_zarr(DIRECTORY / f"{name}.zarr", zarr_format=2, encoding={"temperature": chunks, "specific_humidity": chunks})


def write_ensemble(name, members):
    """Temperature of each member, and a humidity that all of them share."""
    dimensions = ("member", *DIMENSIONS)
    warmer = 10 * numpy.arange(members)[:, None, None, None, None]
    fields = xarray.Dataset(
        {
            "temperature": (dimensions, values("temperature") + warmer, {"units": "K"}),
            "specific_humidity": (DIMENSIONS, values("specific_humidity"), {"units": "kg kg**-1"}),
        },
        coords={"member": range(members), "time": TIMES, "level": LEVELS, "latitude": LATITUDES, "longitude": LONGITUDES},
    )
    fields.to_zarr(DIRECTORY / f"{name}.zarr", zarr_format=2)


if not CASES:
    write_model_levels("model", sys.argv[2])
    write_ensemble("ensemble", 3)
