"""Compares our polygons of random fields with those of pycontrails. Reads cases from standard input, writes one record
for each: how many polygons and interior rings both have, their areas and the area in which they differ (square
degrees), and what shapely thinks of ours."""

import json
import sys
import warnings

import numpy as np
import shapely
from pycontrails.core.polygon import find_multipolygon
from shapely.validation import explain_validity

warnings.filterwarnings("ignore")


def theirs(case):
    options = case["options"]
    field = np.array(case["field"], dtype=np.float64).reshape(len(case["longitude"]), len(case["latitude"]))
    found = find_multipolygon(
        field,
        options["iso_value"],
        options["min_area"],
        options["epsilon"],
        lower_bound=options["lower_bound"],
        interiors=options["interiors"],
        convex_hull=options["convex_hull"],
        longitude=np.array(case["longitude"], dtype=np.float64),
        latitude=np.array(case["latitude"], dtype=np.float64),
        precision=options["precision"],
    )
    # Rings that collapsed are left out.
    polygons = [polygon for polygon in found.geoms if not polygon.is_empty]
    return shapely.MultiPolygon(
        [shapely.Polygon(p.exterior, [ring for ring in p.interiors if not ring.is_empty]) for p in polygons]
    )


def describe(geometry):
    return {
        "polygons": len(geometry.geoms),
        "interiors": sum(len(polygon.interiors) for polygon in geometry.geoms),
        "area": geometry.area,
    }


def compare(case):
    ours = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in case["ours"]])
    reference = theirs(case)
    usable = reference if reference.is_valid else reference.buffer(0)
    return {
        "validity": explain_validity(ours),
        "referenceIsValid": reference.is_valid,
        "ours": describe(ours),
        "theirs": describe(reference),
        "difference": ours.symmetric_difference(usable).area if ours.is_valid else None,
    }


json.dump([compare(case) for case in json.load(sys.stdin)], sys.stdout)
