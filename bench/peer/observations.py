"""Peer of bench/observations.ts: the ridge detector and the segments as specified, with NumPy and OpenCV.

Usage: BANDS-FILE SIZE PART. Computes the part in the middle of the disk and prints seconds of CPU.
"""

import json
import math
import sys
import time

import cv2
import numpy as np

cv2.setNumThreads(1)

SIGMA, RADIUS, HALF = 1.4, 5, 8
DIRECTIONS = 16
PIXEL_WEIGHTS = (-1.41, 2.25, 1.57)
OBJECT_WEIGHTS = (3.79, 0.47, 1.69, 5.94, 0.81, -1.30)


def box(image, width):
    return cv2.boxFilter(image, -1, (width, width), normalize=False, borderType=cv2.BORDER_CONSTANT)


def masked_mean(image, valid, width):
    return box(image * valid, width) / np.maximum(box(valid, width), 1)


def normalise(image, valid, epsilon):
    mean = masked_mean(masked_mean(image, valid, 15), valid, 15)
    d = np.where(valid > 0, image - mean, 0)
    variance = masked_mean(masked_mean(d * d, valid, 29), valid, 29)
    s = np.sqrt(np.maximum(variance, 0)) + epsilon
    return np.clip(d / s, -3, 3), s


def taps():
    i = np.arange(-RADIUS, RADIUS + 1)
    g = np.exp(-(i**2) / (2 * SIGMA**2))
    g /= g.sum()
    g1 = -(i / SIGMA**2) * g
    g2 = (i**2 / SIGMA**4 - 1 / SIGMA**2) * g
    return g, g1, g2 - g2.mean()


def derivatives(image):
    g, g1, g2 = (tap.astype(image.dtype) for tap in taps())

    def corr(along, across):
        return SIGMA**2 * cv2.sepFilter2D(image, -1, along, across, borderType=cv2.BORDER_CONSTANT)

    return corr(g2, g), corr(g1, g1), corr(g, g2)


def steer(parts, theta):
    xx, xy, yy = parts
    s, c = math.sin(theta), math.cos(theta)
    return -(s * s * xx - 2 * s * c * xy + c * c * yy)


def line_sum(image, theta, first_row, first_column):
    """Sums over the 17 pixels of the digital lines of a direction."""
    steep = abs(math.sin(theta)) - abs(math.cos(theta)) > 1e-9
    if steep:
        slope = math.cos(theta) / math.sin(theta)
        return flat_sum(np.ascontiguousarray(image.T), slope, first_row).T
    return flat_sum(image, math.tan(theta), first_column)


def flat_sum(image, slope, first):
    rows, columns = image.shape
    shift = np.floor(slope * (first + np.arange(columns)) + 0.5).astype(int)
    lowest = shift.min()
    height = rows + shift.max() - lowest
    sheared = np.zeros((height, columns), image.dtype)
    at = np.arange(rows)[:, None] - shift[None, :] + shift.max()
    sheared[at, np.arange(columns)[None, :]] = image
    sums = cv2.boxFilter(sheared, -1, (2 * HALF + 1, 1), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return sums[at, np.arange(columns)[None, :]]


def line_means(image, valid, theta, first_row, first_column):
    count = line_sum(valid, theta, first_row, first_column)
    total = line_sum(image * valid, theta, first_row, first_column)
    return np.where((count >= 9) & (valid > 0), total / np.maximum(count, 1), 0)


def pixel_stage(t11, t12, valid, first_row, first_column):
    a, s_a = normalise(-(t12 - t12.mean()), valid, 0.30)
    b, s_b = normalise((t11 - t12).astype(t12.dtype), valid, 0.10)
    parts_a, parts_b = derivatives(a), derivatives(b)
    best = np.zeros_like(t12)
    ratio = np.zeros_like(t12)
    direction = np.zeros(t12.shape, np.uint8)
    for k in range(DIRECTIONS):
        theta = k * math.pi / DIRECTIONS
        r_a = line_means(steer(parts_a, theta), valid, theta, first_row, first_column)
        r_b = line_means(steer(parts_b, theta), valid, theta, first_row, first_column)
        r = np.sqrt(np.maximum(r_a, 0) * np.maximum(r_b, 0))
        clutter = masked_mean(masked_mean(r, valid, 61), valid, 61)
        z = r / (clutter + 0.03)
        better = z > best
        best = np.where(better, z, best)
        direction[better] = k
        ratio = np.where(better, np.maximum(r_b, 0) / np.maximum(r_a, 1e-3), ratio)
    kappa = np.clip(ratio * s_b / s_a, 0, 0.3)
    f_z, f_k = np.log(0.2 + best), np.log(0.02 + kappa)
    w0, w1, w2 = PIXEL_WEIGHTS
    p = 1 / (1 + np.exp(-(w0 + w1 * f_z + w2 * f_k)))
    return np.where((best > 0) & (valid > 0), p, 0), direction, f_z, f_k


def grow(weight, direction, low, high):
    rows, columns = weight.shape
    flat = weight.ravel()
    seeds = np.flatnonzero(flat >= high)
    seeds = seeds[np.lexsort((seeds, -flat[seeds]))]
    candidates = {int(i): float(flat[i]) for i in np.flatnonzero(flat >= low)}
    kinds = direction.ravel()
    cosines = [math.cos(2 * k * math.pi / DIRECTIONS) for k in range(DIRECTIONS)]
    sines = [math.sin(2 * k * math.pi / DIRECTIONS) for k in range(DIRECTIONS)]
    limit = math.cos(math.radians(34))
    for seed in seeds:
        seed = int(seed)
        w = candidates.pop(seed, None)
        if w is None:
            continue
        members = [seed]
        k = kinds[seed]
        c, s = w * cosines[k], w * sines[k]
        for pixel in members:
            row, column = divmod(pixel, columns)
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for other in range(r * columns + max(column - 1, 0), r * columns + min(column + 2, columns)):
                    w = candidates.get(other)
                    if w is None:
                        continue
                    k = kinds[other]
                    if c * cosines[k] + s * sines[k] < (limit - 1e-12) * math.hypot(c, s):
                        continue
                    del candidates[other]
                    members.append(other)
                    c += w * cosines[k]
                    s += w * sines[k]
        if len(members) >= 8:
            yield np.array(members)


def fit(weight, pixels):
    columns = weight.shape[1]
    r, c = np.divmod(pixels, columns)
    w = weight.ravel()[pixels].astype(float)
    mean_c, mean_r = np.average(c, weights=w), np.average(r, weights=w)
    dc, dr = c - mean_c, r - mean_r
    cc, cr, rr = (np.average(v, weights=w) for v in (dc * dc, dc * dr, dr * dr))
    angle = 0.5 * math.atan2(2 * cr, cc - rr)
    cos, sin = math.cos(angle), math.sin(angle)
    u = dc * cos + dr * sin
    across = max(0, sin * sin * cc - 2 * sin * cos * cr + cos * cos * rr)
    middle = (u.min() + u.max()) / 2
    return {
        "pixels": pixels,
        "angle": angle,
        "L": u.max() - u.min() + 1,
        "W": math.sqrt(12 * (across + 1 / 12)),
        "c": mean_c + middle * cos,
        "r": mean_r + middle * sin,
    }


def angle_between(a, b):
    turn = abs(a - b) % math.pi
    return min(turn, math.pi - turn)


def place(item, c, r):
    cos, sin = math.cos(item["angle"]), math.sin(item["angle"])
    dc, dr = c - item["c"], r - item["r"]
    return dc * cos + dr * sin, dr * cos - dc * sin


def continues(item, other):
    if angle_between(item["angle"], other["angle"]) > math.radians(8):
        return False
    reach = (other["L"] - 1) / 2
    dc, dr = reach * math.cos(other["angle"]), reach * math.sin(other["angle"])
    ends = sorted(place(item, other["c"] + sign * dc, other["r"] + sign * dr) for sign in (-1, 1))
    half = item["L"] / 2
    before, after = -half - ends[1][0], ends[0][0] - half
    gap = max(before, after)
    far = max(abs(v) for _, v in ends)
    if gap > 25:
        return False
    if gap <= -5:
        return far <= 3
    return abs(ends[0][1] if after >= before else ends[1][1]) <= 3 and far <= 4.5


def merge(weight, items):
    while True:
        items.sort(key=lambda item: -item["L"])
        changed = False
        i = 0
        while i < len(items):
            item = items[i]
            reach = item["L"] / 2 + 30
            for j in range(i + 1, len(items)):
                other = items[j]
                near = reach + other["L"] / 2
                if abs(item["c"] - other["c"]) > near or abs(item["r"] - other["r"]) > near:
                    continue
                if not continues(item, other):
                    continue
                union = fit(weight, np.concatenate((item["pixels"], other["pixels"])))
                if union["W"] > 10:
                    continue
                items[i] = union
                del items[j]
                changed = True
                break
            else:
                i += 1
        if not changed:
            return items


def objects(weight, direction, low, high):
    pieces = [fit(weight, pixels) for pixels in grow(weight, direction, low, high)]
    pieces = [item for item in pieces if item["L"] >= 7 and item["L"] / item["W"] >= 2.5]
    return [item for item in merge(weight, pieces) if item["L"] >= 15 and item["L"] / item["W"] >= 2.5]


def confidence(p, direction, f_z, f_k):
    found = objects(p, direction, 0.15, 0.35)
    out = 0.25 * p
    flat, p_flat = out.ravel(), p.ravel()
    for item in found:
        crowding = 0
        for other in found:
            if other is item or angle_between(item["angle"], other["angle"]) > math.radians(12):
                continue
            u, v = place(item, other["c"], other["r"])
            crowding += 3 < abs(v) < 40 and abs(u) < (item["L"] + other["L"]) / 2 + 20
        pixels = item["pixels"]
        features = (
            1,
            math.log(item["L"]),
            math.log(item["L"] / item["W"]),
            f_k.ravel()[pixels].mean(),
            f_z.ravel()[pixels].mean(),
            math.log(1 + crowding),
        )
        q = 1 / (1 + math.exp(-sum(w * f for w, f in zip(OBJECT_WEIGHTS, features))))
        flat[pixels] = np.maximum(flat[pixels], np.sqrt(q * p_flat[pixels]))
    return out


def segments(stored, valid, first_row, first_column):
    c = (stored / 250).astype(np.float32)
    parts = derivatives(c)
    best = np.full(c.shape, -np.inf, np.float32)
    direction = np.zeros(c.shape, np.uint8)
    for k in range(DIRECTIONS):
        theta = k * math.pi / DIRECTIONS
        r = line_means(steer(parts, theta), valid, theta, first_row, first_column)
        better = r > best
        best = np.where(better, r, best)
        direction[better] = k
    found = objects(c, direction, 0.25, 0.45)
    return [item for item in found if c.ravel()[item["pixels"]].mean() >= 0.40]


def main():
    path, size, part = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    bands = np.memmap(path, np.float32, "r", shape=(2, size, size))
    first = (size - part) // 2
    window = (slice(first, first + part), slice(first, first + part))
    t11, t12 = (np.array(bands[k][window]) for k in (0, 1))
    valid = np.isfinite(t11 + t12).astype(np.float32)
    started = time.process_time()
    c = confidence(*pixel_stage(t11, t12, valid, first, first))
    detection = time.process_time() - started
    stored = np.round(250 * c)
    started = time.process_time()
    found = segments(stored, valid, first, first)
    segmentation = time.process_time() - started
    print(
        json.dumps(
            {
                "pixels": part * part,
                "segments": len(found),
                "detection": detection,
                "segmentation": segmentation,
            }
        )
    )


main()
