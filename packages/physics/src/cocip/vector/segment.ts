/** Length and direction of segments: to the next row of a chain, or between the two ends that a row has. */
import { EARTH_RADIUS_M } from '../../constants.ts';
import type { LoopBody, Vector, VectorLoop, VectorMath } from '../../vector/expression.ts';
import type { TableColumn } from '../plumes.ts';

/** Series of arcsin √h / √h in h. */
const ARC_SERIES = arcsineSeries(12);
/** Beyond this haversine an angle is halved until the series serves. */
const SMALL_HAVERSINE = 1e-3;
const HALVINGS = 3;
const HALF_DEGREE = Math.PI / 360;

/** Length and direction of the segment to the next row, 0 where that is not the next waypoint of the flight. */
export const measureChain: LoopBody<TableColumn> = (loop, m) => {
  const chained = m.both(
    m.isEqual(loop.load('flight'), loop.load('flight', 1)),
    m.isEqual(m.sub(loop.load('waypoint', 1), loop.load('waypoint')), 1),
  );
  const { haversine, ground, east, north, magnitude } = greatCircle(loop, m, {
    halfLongitude: m.mul(m.sub(loop.load('longitude', 1), loop.load('longitude')), HALF_DEGREE),
    halfLatitude: m.mul(m.sub(loop.load('latitude', 1), loop.load('latitude')), HALF_DEGREE),
    sine0: loop.load('sineOfLatitude'),
    cosine0: loop.load('cosineOfLatitude'),
    cosine1: loop.load('cosineOfLatitude', 1),
  });
  const climb = m.sub(loop.load('altitude', 1), loop.load('altitude'));
  const length = m.sqrt(m.add(m.square(ground), m.square(climb)));
  // Without length there is no direction; rounding would invent one.
  const hasLength = m.both(chained, m.isLess(0, haversine));
  loop.store('length', m.zeroForNaN(m.only(chained, length)));
  loop.store('sinA', m.zeroForNaN(m.only(hasLength, m.div(north, magnitude))));
  loop.store('cosA', m.zeroForNaN(m.only(hasLength, m.div(east, magnitude))));
};

/** How far the head of a segment is from its tail [°], and the latitudes of both [°]. */
type SegmentColumn =
  | Extract<TableColumn, 'length' | 'sinA' | 'cosA'>
  | 'segmentEast'
  | 'segmentNorth'
  | 'tailLatitude'
  | 'headLatitude';

/** Length and direction of the segment between the ends of a row. */
export const measureSegment: LoopBody<SegmentColumn> = (loop, m) => {
  const tail = m.sineAndCosine(m.radians(loop.load('tailLatitude')));
  const { ground, east, north, magnitude } = greatCircle(loop, m, {
    halfLongitude: m.mul(loop.load('segmentEast'), HALF_DEGREE),
    halfLatitude: m.mul(loop.load('segmentNorth'), HALF_DEGREE),
    sine0: tail.sine,
    cosine0: tail.cosine,
    cosine1: m.sineAndCosine(m.radians(loop.load('headLatitude'))).cosine,
  });
  loop.store('length', ground);
  loop.store('sinA', m.div(north, magnitude));
  loop.store('cosA', m.div(east, magnitude));
};

/** Half the differences between two points [rad], and the latitudes of the points. */
interface Ends {
  readonly halfLongitude: Vector;
  readonly halfLatitude: Vector;
  readonly sine0: Vector;
  readonly cosine0: Vector;
  readonly cosine1: Vector;
}

/** From one point to another: the haversine, the distance [m], and the direction at the first of them. */
function greatCircle<Column extends string>(
  loop: VectorLoop<Column>,
  m: VectorMath,
  { halfLongitude, halfLatitude, sine0, cosine0, cosine1 }: Ends,
) {
  const lon = m.sineAndCosine(halfLongitude);
  const lat = m.sineAndCosine(halfLatitude);
  const haversine = m.atMost(m.add(m.square(lat.sine), m.mul(cosine0, cosine1, m.square(lon.sine))), 1);
  const reduced = loop.variable(haversine);
  const times = loop.variable(2 * EARTH_RADIUS_M);
  const isLong = m.isAtMost(SMALL_HAVERSINE, haversine);
  loop.whereAny(isLong, () => {
    let h = haversine;
    for (let k = 0; k < HALVINGS; k++) {
      h = m.div(h, m.mul(2, m.add(1, m.sqrt(m.sub(1, h)))));
    }
    loop.assign(reduced, m.select(isLong, h, haversine));
    loop.assign(times, m.select(isLong, 2 * EARTH_RADIUS_M * 2 ** HALVINGS, 2 * EARTH_RADIUS_M));
  });
  const h = loop.read(reduced);
  const ground = m.mul(loop.read(times), m.sqrt(h), m.polynomial(h, ARC_SERIES));
  // cos φ₀ tan φ₁ − sin φ₀ cos Δλ without the difference of two nearly equal terms.
  const east = m.mul(2, lon.sine, lon.cosine);
  const north = m.mul(
    2,
    m.add(m.div(m.mul(lat.sine, lat.cosine), cosine1), m.mul(sine0, m.square(lon.sine))),
  );
  const magnitude = m.sqrt(m.add(m.square(east), m.square(north)));
  return { haversine, ground, east, north, magnitude };
}

function arcsineSeries(terms: number): number[] {
  const coefficients = [1];
  let binomial = 1;
  for (let n = 1; n < terms; n++) {
    binomial *= (2 * n - 1) / (2 * n);
    coefficients.push(binomial / (2 * n + 1));
  }
  return coefficients;
}
