"""Opens GeoJSON and KML with the libraries that our users have, and reports what they find. Arguments: GeoJSON file, KML file."""

import json
import pathlib
import sys
import warnings

import fastkml
import geopandas
import pyogrio
import shapely
from lxml import etree

warnings.filterwarnings("ignore", message="Geometry is in a geographic CRS")

geojson, kml = sys.argv[1:]


def kml_schema_errors(path):
    folder = pathlib.Path(fastkml.__file__).parent / "schema"
    schema = etree.XMLSchema(etree.parse(folder / "ogckml22.xsd"))
    schema.validate(etree.parse(path))
    return [f"{error.line}: {error.message}" for error in schema.error_log]


def describe(frame):
    return {
        "rows": len(frame),
        "types": sorted(set(frame.geometry.geom_type)),
        "valid": bool(frame.geometry.is_valid.all()),
        "threeDimensional": bool(frame.geometry[~frame.geometry.is_empty].has_z.all()),
        "area": float(frame.geometry.area.sum()),
        "columns": list(frame.columns),
    }


with open(geojson) as file:
    features = json.load(file)["features"]

frame = geopandas.read_file(geojson)
layers = [name for name, _ in pyogrio.list_layers(kml)]
levels = {name: geopandas.read_file(kml, layer=name) for name in layers}

json.dump(
    {
        "geojson": describe(frame),
        "providers": sorted(set(frame["met_source_provider"])),
        "shapes": [
            {"area": shape.area, "valid": shape.is_valid}
            for shape in (shapely.geometry.shape(feature["geometry"]) for feature in features)
        ],
        "kmlSchemaErrors": kml_schema_errors(kml),
        "kmlLayers": layers,
        "kml": {name: describe(level) for name, level in levels.items() if len(level) > 0},
        "kmlProviders": sorted(
            {value for level in levels.values() if len(level) > 0 for value in level["met_source_provider"]}
        ),
        "kmlDocumentName": fastkml.KML.parse(kml).features[0].name,
    },
    sys.stdout,
)
