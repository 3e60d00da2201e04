"""Fields in every packing, written by ecCodes, beside the values ecCodes reads back (float32, little-endian).

    python make.py            # writes into this directory
"""

import pathlib

import eccodes
import numpy

HERE = pathlib.Path(__file__).parent
COLUMNS, ROWS = 36, 19

CASES = {
    "simple-8": ("grid_simple", 8, False),
    "simple-16": ("grid_simple", 16, False),
    "simple-24-bitmap": ("grid_simple", 24, True),
    "constant": ("grid_simple", 16, False),
    "complex-11": ("grid_complex", 11, False),
    "complex-16-bitmap": ("grid_complex", 16, True),
    "differences-11": ("grid_complex_spatial_differencing", 11, False),
    "differences-16-bitmap": ("grid_complex_spatial_differencing", 16, True),
    "ccsds-8": ("grid_ccsds", 8, False),
    "ccsds-16": ("grid_ccsds", 16, False),
    "ccsds-24-bitmap": ("grid_ccsds", 24, True),
    "ccsds-zeros": ("grid_ccsds", 16, False),
    "ccsds-3-sparse": ("grid_ccsds", 3, False),
    "ccsds-12-unpredicted": ("grid_ccsds", 12, False),
    "ccsds-28-rough": ("grid_ccsds", 28, False),
    "ccsds-31-rough": ("grid_ccsds", 31, False),
    "ccsds-32-rough": ("grid_ccsds", 32, False),
    "jpeg-8": ("grid_jpeg", 8, False),
    "jpeg-16-bitmap": ("grid_jpeg", 16, True),
}


def field(name):
    latitude = numpy.linspace(90, -90, ROWS)[:, None]
    longitude = numpy.arange(COLUMNS)[None, :] * 10.0
    noise = numpy.random.default_rng(7).normal(0, 0.3, (ROWS, COLUMNS))
    values = 230 + 40 * numpy.cos(numpy.radians(latitude)) + 5 * numpy.sin(numpy.radians(3 * longitude)) + noise
    if name == "constant":
        return numpy.full_like(values, 273.15)
    if name == "ccsds-zeros":
        return numpy.where(values > 272, values - 272, 0) * 1e-5
    if name.endswith("sparse"):
        return numpy.where(noise > 0.6, values, 0)
    if name.endswith("rough"):
        return numpy.exp(20 * noise)
    return values


def write(name, packing, bits, bitmap):
    message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
    for key, value in {
        "Ni": COLUMNS,
        "Nj": ROWS,
        "latitudeOfFirstGridPointInDegrees": 90,
        "longitudeOfFirstGridPointInDegrees": 0,
        "latitudeOfLastGridPointInDegrees": -90,
        "longitudeOfLastGridPointInDegrees": 350,
        "iDirectionIncrementInDegrees": 10,
        "jDirectionIncrementInDegrees": 10,
        "packingType": packing,
        "bitsPerValue": bits,
    }.items():
        eccodes.codes_set(message, key, value)
    if name.endswith("unpredicted"):
        eccodes.codes_set(message, "ccsdsFlags", 6)
    values = field(name).ravel()
    if bitmap:
        eccodes.codes_set(message, "bitmapPresent", 1)
        eccodes.codes_set(message, "missingValue", 9999)
        values[::7] = 9999
    eccodes.codes_set_values(message, values)
    assert eccodes.codes_get(message, "packingType") in (packing, "grid_simple"), name
    with open(HERE / f"{name}.grib2", "wb") as file:
        eccodes.codes_write(message, file)
    eccodes.codes_release(message)
    with open(HERE / f"{name}.grib2", "rb") as file:
        message = eccodes.codes_grib_new_from_file(file)
        eccodes.codes_set(message, "missingValue", 9999)
        read = eccodes.codes_get_values(message)
        eccodes.codes_release(message)
    read[read == 9999] = numpy.nan
    read.astype("<f4").tofile(HERE / f"{name}.f32")


for name, case in CASES.items():
    write(name, *case)
