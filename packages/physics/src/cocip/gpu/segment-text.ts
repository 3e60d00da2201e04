/** How points move in shaders, and what shaders do with segments that have a direction: a head and a tail that drift on their own. */
import { EARTH_RADIUS_M } from '../../constants.ts';
import { literal } from '../../vector/wgsl/loop.ts';
import { measureSegment } from '../vector/segment.ts';
import { FLAGS, type stageText } from './weather-text.ts';

/**
 * How far [°] the wind carries a point east and north: as `advectLongitude` and `advectLatitude`, but the difference alone, which
 * keeps digits that positions would lose. Beyond 80° of latitude the step is taken on a polar plane, seen from the point.
 */
export const SHIFT_TEXT = `
const PER_METRE = ${literal(180 / Math.PI / EARTH_RADIUS_M)};
/** Of a point that lies an offset from another. */
fn distance_to_pole(origin: vec2f, offset: vec2f) -> f32 {
  return (90.0 - abs(origin.y)) - select(-offset.y, offset.y, origin.y > 0.0);
}
fn shift_near_pole(distance: f32, latitude: f32, wind: vec2f, dt: f32) -> vec2f {
  let side = select(-1.0, 1.0, latitude > 0.0);
  let east = wind.x * PER_METRE * dt;
  let poleward = side * wind.y * PER_METRE * dt;
  let left = distance - poleward;
  let moved = sqrt(left * left + east * east);
  let nearer = (2.0 * distance * poleward - poleward * poleward - east * east) / max(distance + moved, 1e-20);
  return vec2f(degrees(arctangent_of(east, left)), side * nearer);
}
fn shift_of(origin: vec2f, offset: vec2f, wind: vec2f, dt: f32) -> vec2f {
  let latitude = origin.y + offset.y;
  if (abs(latitude) > 80.0) { return shift_near_pole(distance_to_pole(origin, offset), latitude, wind, dt); }
  let shift = wind * PER_METRE * dt;
  return vec2f(shift.x / cosine_of(radians(latitude)), shift.y);
}`;

/** The wind at an end of a segment in a layer, and 1 where it is known. */
export const ENDS_TEXT = `
fn wind_at(origin: vec2f, offset: vec2f, level: f32, k: i32, later: f32) -> vec3f {
  var point = origin;
  if (point.x + offset.x >= 180.0) { point.x -= 360.0; }
  if (point.x + offset.x < -180.0) { point.x += 360.0; }
  if (!locate(point, offset, false)) { return vec3f(0.0); }
  let part = weight_below(level, k);
  var wind = vec2f(0.0);
  for (var below = 0u; below < 2u; below++) {
    wind += air_of(u32(k) + below, later).yz * select(1.0 - part, part, below == 1u);
  }
  return vec3f(wind, select(1.0, 0.0, is_nan(wind.x) || is_nan(wind.y)));
}`;

/** For both ends in turn: what is written once is compiled once. */
const forEnds = (body: string) => `
    for (var end = 0u; end < 2u; end++) {
      let is_head = end == 0u;
      let offset = drift + select(tail, head, is_head);
      ${body}
    }`;

/** Moves the ends of a contrail that is about to move. */
export const MOVE_TEXT = /* @__PURE__ */ forEnds(`
      let in_air = c_dtS + select(s_lead, -s_lead, is_head);
      let shift = shift_of(origin, offset, select(tail_wind, head_wind, is_head), in_air) - moved;
      if (is_head) { head += shift; } else { tail += shift; }
      if (!is_head) { s_lead = 0.0; }`);

/** Length and direction of the segment at `c_latitude`. */
export const measureEnds = (stage: ReturnType<typeof stageText>): string => `
    c_segmentEast = head.x - tail.x;
    c_segmentNorth = head.y - tail.y;
    c_tailLatitude = c_latitude + tail.y;
    c_headLatitude = c_latitude + head.y;
    ${stage('measureSegment', measureSegment)}`;

/** Winds that move the ends in the next step; without them the contrail is lost. Looks elsewhere than at the contrail. */
export const FIND_END_WINDS = /* @__PURE__ */ forEnds(`
      let found = wind_at(origin, offset, c_level, k, time_weight);
      if (is_head) { head_wind = found.xy; } else { tail_wind = found.xy; }
      if (found.z == 0.0) { flags |= ${FLAGS.lost}u; }`);
