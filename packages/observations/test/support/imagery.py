"""Writes imagery as the archives lay it out, and prints the temperatures that a reader must find.

Reads a JSON list of files from standard input; each has `kind`, `path` and what deviates from a good file.
"""

import bz2
import datetime
import itertools
import json
import os
import struct
import sys

import h5py
import hdf5plugin  # noqa: F401: the filter of EUMETSAT
import imagecodecs
import netCDF4
import numpy as np

EPOCH = datetime.datetime(2000, 1, 1, 12)
H, C, K = 6.62606957e-34, 299792458.0, 1.3806488e-23


def field(rows, columns, band):
    """A smooth scene whose values tell bands, rows and columns apart."""
    y, x = np.mgrid[0:rows, 0:columns]
    base = {"T8": 281.0, "T11": 280.0, "T12": 278.5}[band]
    return base - 0.15 * y + 0.05 * x


def clouds(first, rows, columns, band):
    """A scene with the texture and the noise of real imagery, for measurements of speed."""
    y, x = np.mgrid[first:first + rows, 0:columns]
    base = {"T8": 272.0, "T11": 270.0, "T12": 268.5}[band]
    scene = 20 * np.sin(x / 61 + np.sin(y / 83)) * np.cos(y / 47) + 2 * np.sin(x / 7.3 + 2 * np.sin(y / 19))
    return base + scene + np.random.default_rng(first).normal(0, 0.1, scene.shape)


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", ""))


def thinned(values):
    """A few pixels as [row, column, value]; None where a reader must find nothing."""
    rows, columns = values.shape
    picked = sorted({(r, c) for r in range(0, rows, 7) for c in range(0, columns, 5)} | {(2, 3), (4, 5), (6, 7)})
    return [[r, c, None if np.isnan(values[r, c]) else float(values[r, c])] for r, c in picked]


def planck_constants(wavelength_um):
    """Constants of the ABI conversion for a band without width."""
    nu = 1e4 / wavelength_um
    return 1.191042972e-5 * nu**3, 1.438776877 * nu, 0.15, 0.9995


def abi(spec):
    rows, columns = spec.get("rows", 64), spec.get("columns", 60)
    start = instant(spec["start"])
    product = spec.get("product", "CMIP")
    bands = spec["bands"]
    data = netCDF4.Dataset(spec["path"], "w")
    data.createDimension("y", rows)
    data.createDimension("x", columns)
    data.createDimension("number_of_time_bounds", 2)
    data.platform_ID = spec.get("platform", "G16")
    step = spec.get("step", 5.6e-5)
    first_row, first_column = spec.get("first_row", 1500), spec.get("first_column", 2400)
    half = step * (spec.get("size", 5424) - 1) / 2
    for name, sign, first in (("x", 1, first_column), ("y", -1, first_row)):
        variable = data.createVariable(name, "i2", (name,))
        variable.set_auto_scale(False)
        # The archives store these in single precision.
        variable.scale_factor = np.float32(sign * step)
        variable.add_offset = np.float32(-sign * half)
        count = columns if name == "x" else rows
        raw = np.arange(first, first + count)
        if spec.get("irregular") and name == "x":
            raw[count // 2:] += 3
        variable[:] = raw
    projection = data.createVariable("goes_imager_projection", "i4")
    projection.grid_mapping_name = spec.get("mapping", "geostationary")
    projection.perspective_point_height = spec.get("height", 35786023.0)
    projection.semi_major_axis = spec.get("semi_major", 6378137.0)
    projection.semi_minor_axis = spec.get("semi_minor", 6356752.31414)
    projection.longitude_of_projection_origin = spec.get("longitude", -75.0)
    projection.sweep_angle_axis = spec.get("sweep", "x")
    bounds = data.createVariable("time_bounds", "f8", ("number_of_time_bounds",))
    seconds = (start - EPOCH).total_seconds()
    bounds[:] = [seconds, seconds + spec.get("seconds", 570)]
    data.createVariable("t", "f8")[...] = seconds + spec.get("seconds", 570) / 2
    if "scene" in spec:
        data.scene_id = spec["scene"]
    found = {}
    for band in bands:
        number = {"T8": 11, "T11": 14, "T12": 15}[band]
        suffix = f"_C{number}" if product == "MCMIP" else ""
        name = "Rad" if product == "Rad" else f"CMI{suffix}"
        values = data.createVariable(name, "i2", ("y", "x"), zlib=True, chunksizes=(16, 16), fill_value=-1)
        values.set_auto_maskandscale(False)
        setattr(values, "_Unsigned", "true")
        temperature = field(rows, columns, band)
        if product == "Rad":
            fk1, fk2, bc1, bc2 = (np.float32(v) for v in planck_constants({"T8": 8.44, "T11": 11.19, "T12": 12.27}[band]))
            radiance = float(fk1) / (np.exp(float(fk2) / (float(bc2) * temperature + float(bc1))) - 1)
            scale, offset, limit = np.float32(0.045728918), np.float32(-1.6443), 4095
            for key, value in (("fk1", fk1), ("fk2", fk2), ("bc1", bc1), ("bc2", bc2)):
                data.createVariable(f"planck_{key}", "f4")[...] = value
            raw = np.rint((radiance - float(offset)) / float(scale)).astype(int)
            back = raw * 0.045728918 - 1.6443
            expected = (float(fk2) / np.log(float(fk1) / back + 1) - float(bc1)) / float(bc2)
        else:
            # Above 32,767, so that reading them as signed is found out.
            scale, offset, limit = np.float32(0.004), np.float32(89.62), 65000
            raw = np.rint((temperature - 89.62) / 0.004).astype(int)
            expected = raw * 0.004 + 89.62
        values.scale_factor = scale
        values.add_offset = offset
        values.valid_range = np.array([0, limit], dtype="u2").astype("i2")
        quality = data.createVariable(f"DQF{suffix}", "i1", ("y", "x"), zlib=True, chunksizes=(32, 32), fill_value=-1)
        quality.set_auto_maskandscale(False)
        flags = np.zeros((rows, columns), dtype="i1")
        raw[2, 3] = 65535
        raw[4, 5] = limit + 1
        flags[6, 7], flags[0, 0] = 2, 1
        if spec.get("all_fill"):
            raw[:] = 65535
        expected[(raw > limit) | (flags > 1)] = np.nan
        values[:] = raw.astype("u2").view("i2")
        quality[:] = flags
        if product != "MCMIP":
            data.createDimension("band", 1)
            data.createVariable("band_id", "i1", ("band",))[:] = [number]
        found[band] = thinned(expected)
    data.close()
    return found


def ahi(spec):
    """One segment: header blocks 1 to 11, then counts."""
    size, segments = spec.get("size", 120), spec.get("segments", 10)
    number, band = spec["segment"], spec["bands"][0]
    rows = size // segments
    first = (number - 1) * rows
    start = instant(spec["start"])
    mjd = (start - datetime.datetime(1858, 11, 17)).total_seconds() / 86400
    wavelength = {"T8": 8.5926, "T11": 11.2395, "T12": 12.3806}[band]
    gain, constant = {"T11": (-0.0037, 15.20), "T12": (-0.0037, 15.5), "T8": (-0.0037, 15.2)}[band]
    c0, c1, c2 = -0.1, 1.0009, -1.5e-6
    temperature = field(size, size, band)[first:first + rows]
    # Inverse of BT = c0 + c1 Te + c2 Te².
    effective = (-c1 + np.sqrt(c1 * c1 - 4 * c2 * (c0 - temperature))) / (2 * c2)
    lam = wavelength * 1e-6
    radiance = 2 * H * C * C / lam**5 / (np.exp(H * C / (K * lam * effective)) - 1) / 1e6
    counts = np.rint((radiance - constant) / gain).astype(int)
    back = counts * gain + constant
    te = H * C / (K * lam) / np.log(1 + 2 * H * C * C / (lam**5 * back * 1e6))
    expected = c0 + c1 * te + c2 * te * te
    counts[2 % rows, 3], counts[4 % rows, 5] = 65535, 65534
    if spec.get("all_fill"):
        counts[:] = 65535
    expected[counts >= 65534] = np.nan
    blocks = [
        struct.pack("<BHHB16s16s4s2sHddd", 1, 282, 11, 0, spec.get("platform", "Himawari-9").encode(), b"MSC", spec.get("area", "FLDK").encode(), b"RT",
                    int(spec.get("timeline", start.strftime("%H%M"))), mjd, mjd + 0.006, mjd + 0.01),
        struct.pack("<BHHHHB40s", 2, 50, 16, size, rows, 0, b""),
        struct.pack("<BHdIIff7dHH40s", 3, 127, spec.get("longitude", 140.7), 20466275, 20466275, (size + 1) / 2, (size + 1) / 2,
                    42164.0, 6378.1370, 6356.7523, 0.00669438444, 0.993305616, 1.006739501, 1737122264.0, 0, 0, b""),
        struct.pack("<BH12d40s", 4, 139, *([0.0] * 12), b""),
        struct.pack("<BHHdHHHdd9d40s", 5, 147, {"T8": 11, "T11": 14, "T12": 15}[band], wavelength, 12, 65535, 65534, gain, constant,
                    c0, c1, c2, 0.0, 1.0, 0.0, C, H, K, b""),
        struct.pack("<BH256s", 6, 259, b""),
        struct.pack("<BHBBH40s", 7, 47, segments, number, first + 1, b""),
        struct.pack("<BH78s", 8, 81, b""),
        struct.pack("<BHHHdHd40s", 9, 65, 2, 1, mjd, rows, mjd + 0.006, b""),
        struct.pack("<BIH40s", 10, 47, 0, b""),
        struct.pack("<BH256s", 11, 259, b""),
    ]
    rest = 282 - len(blocks[0]) - 8
    header_length = 282 + sum(len(block) for block in blocks[1:])
    blocks[0] += struct.pack("<II", header_length, size * rows * 2) + b"\0" * rest
    content = b"".join(blocks) + counts.astype("<u2").tobytes()
    with open(spec["path"], "wb") as file:
        file.write(bz2.compress(content) if spec["path"].endswith(".bz2") else content)
    return {band: [[r + first, c, v] for r, c, v in thinned(expected)]}


def fci(spec):
    size, chunks = spec.get("size", 80), spec.get("chunks", 4)
    number = spec["chunk"]
    rows = size // chunks
    first = (number - 1) * rows
    start = instant(spec["start"])
    data = netCDF4.Dataset(spec["path"], "w")
    data.time_coverage_start = start.strftime("%Y%m%d%H%M%S")
    data.platform = spec.get("platform", "MTI1")
    group = data.createGroup("data")
    projection = group.createVariable("mtg_geos_projection", "i4")
    projection.grid_mapping_name = "geostationary"
    projection.perspective_point_height = 35786400.0
    projection.semi_major_axis = 6378137.0
    projection.inverse_flattening = 298.257223563
    projection.longitude_of_projection_origin = spec.get("longitude", 0.0)
    projection.sweep_angle_axis = spec.get("sweep", "y")
    scans = 3 * chunks
    data.createDimension("index", scans)
    data.createVariable("index", "u2", ("index",))[:] = np.arange(100, 100 + scans)
    time = data.createVariable("time", "f8", ("index",))
    time.units = "seconds since 2000-01-01 00:00:00.0"
    nominal = start.replace(minute=start.minute // 10 * 10, second=0)
    zero = (nominal - datetime.datetime(2000, 1, 1)).total_seconds()
    time[:] = zero + 5 + np.arange(scans) * spec.get("scan_seconds", 40)
    step = 5.58871526e-5
    half = step * (size - 1) / 2
    found = {}
    for band in spec["bands"]:
        measured = group.createGroup({"T8": "ir_87", "T11": "ir_105", "T12": "ir_123"}[band]).createGroup("measured")
        measured.createDimension("y", rows)
        measured.createDimension("x", size)
        for name, sign in (("x", -1), ("y", 1)):
            variable = measured.createVariable(name, "u2", (name,))
            variable.set_auto_maskandscale(False)
            # Packed pixels count from 1.
            variable.scale_factor = sign * step
            variable.add_offset = -sign * (half + step)
            variable[:] = np.arange(1, size + 1) if name == "x" else np.arange(first + 1, first + rows + 1)
        for name, value in (("start_position_row", first + 1), ("end_position_row", first + rows)):
            measured.createVariable(name, "u2")[...] = value
        temperature = clouds(first, rows, size, band) if spec.get("clouds") else np.flipud(field(size, size, band))[first:first + rows]
        nu = {"T8": 1152.0, "T11": 957.0, "T12": 812.0}[band]
        a, b, c1, c2 = 0.9998, 0.35, 1.19104282e-5, 1.43877523
        for name, value in (("coefficient_wavenumber", nu), ("coefficient_a", a), ("coefficient_b", b), ("constant_c1", c1), ("constant_c2", c2)):
            measured.createVariable(f"radiance_to_bt_conversion_{name}", "f4")[...] = value
        nu, a, b, c1, c2 = (float(np.float32(v)) for v in (nu, a, b, c1, c2))
        radiance = c1 * nu**3 / (np.exp(c2 * nu / (a * temperature + b)) - 1)
        zlib = not spec.get("clouds")
        values = measured.createVariable("effective_radiance", "u2", ("y", "x"), zlib=zlib, fill_value=65535)
        values.set_auto_maskandscale(False)
        values.scale_factor, values.add_offset = 0.03, -1.5
        values.valid_range = np.array([0, 4095], dtype="u2")
        raw = np.rint((radiance + 1.5) / 0.03).astype(int)
        back = raw * 0.03 - 1.5
        expected = c2 * nu / (a * np.log(1 + c1 * nu**3 / back)) - b / a
        quality = measured.createVariable("pixel_quality", "u1", ("y", "x"), zlib=zlib)
        quality.flag_masks = np.array([1, 2, 4], dtype="u1")
        quality.flag_meanings = "missing_warning missing invalid"
        flags = np.zeros((rows, size), dtype="u1")
        raw[2, 3], raw[4, 5], flags[6, 7], flags[0, 0] = 65535, 4096, 2, 1
        if spec.get("all_fill"):
            raw[:] = 65535
        expected[(raw > 4095) | (flags > 1)] = np.nan
        values[:] = raw
        quality[:] = flags
        index_map = measured.createVariable("index_map", "u2", ("y", "x"), zlib=zlib, fill_value=65535)
        index_map.set_auto_maskandscale(False)
        rows_of = np.arange(rows)[:, None] * 3 // rows
        within = (np.arange(size)[None, :] * spec.get("scans_per_row", 1)) // size
        index_map[:] = 100 + np.minimum(3 * (number - 1) + rows_of + within, scans - 1)
        found[band] = [[size - 1 - first - r, c, v] for r, c, v in thinned(expected)]
    data.close()
    if "jpeg_ls" in spec:
        compress_with_jpeg_ls(spec["path"], **spec["jpeg_ls"])
    return found


JPEG_LS_FILTER = 32018


def compress_with_jpeg_ls(path, chunk=None, libver="v108", damage=None, plain=None):
    """As EUMETSAT delivers FCI: images in chunks of JPEG-LS. `chunk` is the size of chunks, `plain` a chunk that is left as it is."""
    with h5py.File(path) as source, h5py.File(path + ".jls", "w", libver=(libver, "latest")) as target:
        for name, value in source.attrs.items():
            if name != "_NCProperties":
                target.attrs[name] = value
        source.visititems(lambda name, item: copy_with_jpeg_ls(name, item, target, chunk, damage, plain))
    with h5py.File(path) as source, h5py.File(path + ".jls") as target:
        # The plugin of EUMETSAT must read the same values.
        if damage is None:
            for channel in source["data"]:
                for image in IMAGES:
                    name = f"data/{channel}/measured/{image}"
                    assert name not in source or (source[name][:] == target[name][:]).all(), name
    os.replace(path + ".jls", path)


IMAGES = ("effective_radiance", "pixel_quality", "index_map")
NETCDF_ATTRIBUTES = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates")


def copy_with_jpeg_ls(name, item, target, chunk, damage, plain):
    if isinstance(item, h5py.Group):
        return
    values = item[()]
    group = target.require_group(name.rpartition("/")[0] or "/")
    if name.rpartition("/")[2] not in IMAGES:
        copied = group.create_dataset(name.rpartition("/")[2], data=values)
    else:
        rows, columns = chunk or values.shape
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_chunk((rows, columns))
        settings.set_filter(JPEG_LS_FILTER, h5py.h5z.FLAG_OPTIONAL, (1,))
        kind = h5py.h5t.py_create(values.dtype)
        created = h5py.h5d.create(group.id, item.name.rpartition("/")[2].encode(), kind, h5py.h5s.create_simple(values.shape), settings)
        copied = h5py.Dataset(created)
        for number, (r, c) in enumerate(itertools.product(range(0, values.shape[0], rows), range(0, values.shape[1], columns))):
            image = np.zeros((rows, columns), values.dtype)
            part = values[r:r + rows, c:c + columns]
            image[:part.shape[0], :part.shape[1]] = part
            if number == plain:
                created.write_direct_chunk((r, c), image.tobytes(), 1)
                continue
            encoded = imagecodecs.jpegls_encode(image)
            created.write_direct_chunk((r, c), encoded[:damage] if number == 0 else encoded, 0)
    for key, value in item.attrs.items():
        if key not in NETCDF_ATTRIBUTES:
            copied.attrs[key] = value


print(json.dumps([{"abi": abi, "ahi": ahi, "fci": fci}[spec["kind"]](spec) for spec in json.load(sys.stdin)]))
