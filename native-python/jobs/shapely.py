"""shapely: areas, distances, unions, and many points at once."""

from importlib.metadata import version

import numpy as np
import shapely
from shapely import wkt
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union

square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
assert square.area == 4 and square.contains(Point(1, 1)) and square.distance(Point(5, 2)) == 3
assert round(Point(0, 0).buffer(1, 64).area, 2) == 3.14
both = unary_union([square, shapely.box(1, 1, 3, 3)])
assert both.area == 7 and wkt.loads(both.wkt).equals(both)
assert LineString([(-1, 1), (3, 1)]).intersection(square).length == 2
inside = shapely.contains_xy(square, np.array([1.0, 5.0]), np.array([1.0, 5.0]))
assert inside.tolist() == [True, False]
assert shapely.STRtree([square]).query(Point(1, 1)).tolist() == [0]

print("ok", "shapely", version("shapely"))
