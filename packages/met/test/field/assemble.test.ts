import { HOUR_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Box, matchKnots, UNPACKED } from '../../src/field/assemble.ts';
import { allocateField, type FieldAxes, type MetField, offsetOf } from '../../src/field/field.ts';
import { placeBoxes } from '../../src/field/place-boxes.ts';

const AXES = ['longitude', 'latitude', 'level', 'time'] as const;
type AxisName = (typeof AXES)[number];

/** A number that tells where it belongs. */
function codeOf(point: Record<AxisName, number>, variable: number): number {
  return (
    point.longitude * 1000 + point.latitude + point.level / 1024 + point.time / 131_072 + variable * 500_000
  );
}

/** Stored the way a file would: dimensions in `order`, axes as given. */
function store(order: readonly AxisName[], axes: FieldAxes, variable: number): Float64Array {
  const lengths = order.map((name) => axes[name].length);
  const values = new Float64Array(lengths.reduce((product, length) => product * length, 1));
  for (let at = 0; at < values.length; at++) {
    let rest = at;
    const point = { longitude: 0, latitude: 0, level: 0, time: 0 };
    for (let d = order.length - 1; d >= 0; d--) {
      const name = order[d] as AxisName;
      const length = lengths[d] as number;
      point[name] = axes[name][rest % length] as number;
      rest = Math.floor(rest / length);
    }
    values[at] = codeOf(point, variable);
  }
  return values;
}

function boxOf(field: MetField, order: readonly AxisName[], axes: FieldAxes, variable: number): Box {
  const axisOf = (name: AxisName) => ({
    stride: order.slice(order.indexOf(name) + 1).reduce((product, inner) => product * axes[inner].length, 1),
    positions: matchKnots(name, field[name].knots, axes[name]),
  });
  return {
    values: store(order, axes, variable),
    start: 0,
    variable,
    packing: UNPACKED,
    longitude: axisOf('longitude'),
    latitude: axisOf('latitude'),
    level: axisOf('level'),
    time: axisOf('time'),
  };
}

describe('placing boxes', () => {
  const stored = {
    longitude: [0, 90, 180, 270],
    latitude: [50, 40, 30],
    level: [300, 200],
    time: [0, HOUR_MS],
  };
  const fieldAxes = {
    longitude: [-180, -90, 0, 90, 180],
    latitude: [30, 40, 50],
    level: [200, 300],
    time: [0, HOUR_MS],
  };

  test('brings every value to its point, whatever the order of dimensions', () => {
    const orders = fc.shuffledSubarray([...AXES], { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(orders, orders, (one, other) => {
        const field = allocateField(['a', 'b'], fieldAxes, 'float64');
        placeBoxes(field, [boxOf(field, one, stored, 0), boxOf(field, other, stored, 1)]);
        fieldAxes.time.forEach((time, l) => {
          fieldAxes.level.forEach((level, k) => {
            fieldAxes.latitude.forEach((latitude, j) => {
              fieldAxes.longitude.forEach((longitude, i) => {
                const point = { time, level, latitude, longitude: (longitude + 360) % 360 };
                for (const variable of [0, 1])
                  expect(field.slabs[l]?.[offsetOf(field, i, j, k, variable)]).toBe(codeOf(point, variable));
              });
            });
          });
        });
      }),
    );
  });

  test('fills long rows stretch by stretch without leaving a column out', () => {
    const longitude = Array.from({ length: 1440 }, (_, i) => i / 4 - 180);
    const axes = { longitude, latitude: [1, 2], level: [100, 200, 300], time: [0] };
    const field = allocateField(['a'], axes, 'float64');
    placeBoxes(field, [boxOf(field, ['time', 'level', 'latitude', 'longitude'], axes, 0)]);
    expect(field.slabs[0]?.some(Number.isNaN)).toBe(false);
  });

  test('knots that the box does not hold stay NaN', () => {
    const field = allocateField(['a'], { ...fieldAxes, latitude: [20, 30, 40, 50] });
    placeBoxes(field, [boxOf(field, AXES, stored, 0)]);
    const [slab] = field.slabs;
    const row = fieldAxes.longitude.length * fieldAxes.level.length;
    expect(slab?.subarray(0, row).every(Number.isNaN)).toBe(true);
    expect(slab?.subarray(row).some(Number.isNaN)).toBe(false);
  });

  const point = { longitude: [0], latitude: [0], level: [-1], time: [0] };
  const here = { stride: 1, positions: Int32Array.of(0) };
  function decode(values: Box['values'], packing: Box['packing'], before = Number.NaN): number {
    const field = allocateField(['a'], point);
    field.slabs[0]?.fill(before);
    const axes = {
      longitude: here,
      latitude: here,
      level: { stride: 0, positions: Int32Array.of(0) },
      time: here,
    };
    placeBoxes(field, [{ values, start: 0, variable: 0, packing, ...axes }]);
    return field.slabs[0]?.[0] as number;
  }

  test('unpacks in double precision and rounds once', () => {
    const scale = 0.0017654321;
    expect(decode(Int16Array.of(-12_345), { scale, offset: 250.1, missing: [] })).toBe(
      Math.fround(-12_345 * scale + 250.1),
    );
  });

  test('an unpacked negative zero keeps its sign', () => {
    expect(Object.is(decode(Float32Array.of(-0), UNPACKED), -0)).toBe(true);
  });

  test.each([
    ['the first missing value', Int16Array.of(-32_767), { ...UNPACKED, missing: [-32_767] }],
    ['the second missing value', Float32Array.of(-999), { ...UNPACKED, missing: [1e20, -999] }],
    ['a number outside the valid range', Int16Array.of(200), { ...UNPACKED, valid: [0, 100] as const }],
    ['NaN', Float32Array.of(Number.NaN), UNPACKED],
  ])('%s leaves what is there', (_, values, packing) => {
    expect(decode(values, packing)).toBeNaN();
    expect(decode(values, packing, 7)).toBe(7);
  });

  test('a box that is too small for its positions is refused', () => {
    const field = allocateField(['a'], fieldAxes);
    const box = boxOf(field, AXES, stored, 0);
    expect(() => placeBoxes(field, [{ ...box, values: box.values.subarray(1) }])).toThrow(/asked for values/);
  });

  test('a box made for another field is refused', () => {
    const field = allocateField(['a'], fieldAxes);
    const other = allocateField(['a'], { ...fieldAxes, level: [200] });
    expect(() => placeBoxes(other, [boxOf(field, AXES, stored, 0)])).toThrow(/level knots/);
  });
});

describe('matching knots', () => {
  test('longitudes match around the circle', () => {
    expect([...matchKnots('longitude', [-180.25, -180, 0, 180], [0, 179.75, 180, 359.75])]).toEqual([
      1, 2, 0, 2,
    ]);
  });

  test('single precision matches double precision', () => {
    const tenths = Array.from({ length: 3600 }, (_, i) => i / 10);
    expect([...matchKnots('longitude', tenths, Float32Array.from(tenths))]).toEqual([...tenths.keys()]);
  });

  test('of equal coordinates the first counts', () => {
    expect([...matchKnots('level', [200, 300], [300, 200, 300, 200])]).toEqual([1, 0]);
  });

  test('a knot between stored ones has no position', () => {
    expect([...matchKnots('latitude', [0.125], [0, 0.25])]).toEqual([-1]);
  });
});
