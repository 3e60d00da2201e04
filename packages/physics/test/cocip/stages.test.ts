/** The vector loops of the plume step against the functions of a single point, for plumes of every kind. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { saturationHumidityIce } from '../../src/atmosphere/humidity.ts';
import { altitudeMFromLevel } from '../../src/atmosphere/isa.ts';
import { orbitalPosition, solarDirectRadiation, solarIrradiance } from '../../src/atmosphere/solar.ts';
import {
  bruntVaisala,
  potentialTemperatureGradient,
  pressureBelow,
  windShear,
  windShearEnhancement,
  windShearNormal,
} from '../../src/atmosphere/stratification.ts';
import { airDensity, potentialTemperature } from '../../src/atmosphere/thermodynamics.ts';
import {
  covariance,
  depthLimitedDiffusivity,
  energyForcingJ,
  horizontalVariance,
  mixedIceWaterContent,
  particlesPerM,
  stretchingRatio,
  verticalVariance,
} from '../../src/cocip/evolution.ts';
import { DEFAULT_COCIP_PARAMS, SUNSET_COSINE } from '../../src/cocip/params.ts';
import {
  aggregationLoss,
  effectiveAreaM2,
  horizontalDiffusivity,
  opticalDepth,
  terminalFallSpeed,
  turbulentLoss,
  verticalDiffusivity,
  volumeMeanRadiusM,
} from '../../src/cocip/plume.ts';
import { makePlumes, type PlumeTable, type TableColumn } from '../../src/cocip/plumes.ts';
import { FORCING_2012, netForcing, weightedForcingInto } from '../../src/cocip/radiative-forcing.ts';
import { runStage, setOptions, setRadiationPair, setTime } from '../../src/cocip/vector/index.ts';
import { advectLatitude, advectLevel, advectLongitude } from '../../src/geodesy/advection.ts';
import { haversineM, segmentCosA, segmentSinA } from '../../src/geodesy/sphere.ts';
import { scoped } from '../../src/vector/wasm/memory.ts';
import { fillPlumes, ROWS, spread, TO_MS } from '../support/plume-rows.ts';

const PARAMS = DEFAULT_COCIP_PARAMS;

interface Stage {
  readonly table: PlumeTable;
  /** A number of a row before the stage ran. */
  readonly before: (column: TableColumn, row: number) => number;
}

/** Plumes of every kind, before and after a stage. */
function afterStage(
  stage: Parameters<typeof runStage>[0],
  change: (table: PlumeTable) => void = () => {},
): Stage {
  return scoped(() => {
    const { columns } = makePlumes(ROWS);
    fillPlumes(columns);
    change(columns);
    const copy = (table: PlumeTable) =>
      Object.fromEntries(
        Object.entries(table).map(([name, column]) => [name, Float64Array.from(column)]),
      ) as unknown as PlumeTable;
    const before = copy(columns);
    runStage(stage, columns, ROWS);
    return { table: copy(columns), before: (column, row) => before[column][row] as number };
  });
}

function expectRows(
  { table }: Stage,
  column: TableColumn,
  expected: (row: number) => number,
  { relative = 1e-11, absolute = 0 } = {},
): void {
  const differing: string[] = [];
  for (let i = 0; i < ROWS; i++) {
    const value = expected(i);
    const found = table[column][i] as number;
    const isSame = Number.isNaN(value)
      ? Number.isNaN(found)
      : Math.abs(found - value) <= relative * Math.abs(value) + absolute;
    if (!isSame) differing.push(`${column}[${i}]: ${found} instead of ${value}`);
  }
  expect(differing).toEqual([]);
}

test('points move as recorded', () => {
  setTime(TO_MS);
  const stage = afterStage('move');
  const { before } = stage;
  const dt = (i: number) => (TO_MS - before('timeMs', i)) / 1000;
  const level = (i: number) =>
    advectLevel(before('level', i), before('omega', i), before('density', i), before('fallSpeed', i), dt(i));
  const wind = (i: number) =>
    [before('longitude', i), before('latitude', i), before('u', i), before('v', i), dt(i)] as const;
  expectRows(stage, 'dtS', dt);
  expectRows(stage, 'longitude', (i) => advectLongitude(...wind(i)), { absolute: 1e-12 });
  expectRows(stage, 'latitude', (i) => advectLatitude(...wind(i)), { absolute: 1e-13 });
  expectRows(stage, 'level', level);
  expectRows(stage, 'pressure', (i) => 100 * level(i));
  expectRows(stage, 'altitude', (i) => altitudeMFromLevel(level(i)));
  expectRows(stage, 'lnPressure', (i) => Math.log(100 * level(i)));
  expectRows(stage, 'lengthBefore', (i) => before('length', i));
  expectRows(stage, 'timeMs', () => TO_MS);
  expectRows(stage, 'age', (i) => (TO_MS - before('formationTimeMs', i)) / 1000);
  const latitude = (i: number) => (advectLatitude(...wind(i)) * Math.PI) / 180;
  expectRows(stage, 'sineOfLatitude', (i) => Math.sin(latitude(i)), { absolute: 1e-14 });
  expectRows(stage, 'cosineOfLatitude', (i) => Math.cos(latitude(i)), { absolute: 1e-14 });
});

test.each([
  ['neighbours', 0.05],
  ['points all over the earth', 180],
])('segments between %s are measured as recorded', (_, width) => {
  const stage = afterStage('measureChain', (p) => {
    for (let i = 0; i < ROWS; i++) {
      const onTheSpot = i % 17 === 1 ? i - 1 : i;
      p.longitude[i] = spread('longitude', onTheSpot, -width, width);
      p.latitude[i] =
        width > 90 ? spread('latitude', onTheSpot, -79, 79) : 60 + spread('latitude', onTheSpot, 0, width);
      p.sineOfLatitude[i] = Math.sin(((p.latitude[i] as number) * Math.PI) / 180);
      p.cosineOfLatitude[i] = Math.cos(((p.latitude[i] as number) * Math.PI) / 180);
    }
  });
  const { before } = stage;
  const isChained = (i: number) =>
    i + 1 < ROWS &&
    before('flight', i) === before('flight', i + 1) &&
    before('waypoint', i + 1) - before('waypoint', i) === 1;
  const ends = (i: number) =>
    [
      before('longitude', i),
      before('latitude', i),
      before('longitude', i + 1),
      before('latitude', i + 1),
    ] as const;
  const chained = (i: number, of: () => number) => (isChained(i) ? of() || 0 : 0);
  expectRows(stage, 'length', (i) =>
    chained(i, () => Math.hypot(haversineM(...ends(i)), before('altitude', i + 1) - before('altitude', i))),
  );
  expectRows(stage, 'sinA', (i) => chained(i, () => segmentSinA(...ends(i))), {
    relative: 0,
    absolute: 1e-8,
  });
  expectRows(stage, 'cosA', (i) => chained(i, () => segmentCosA(...ends(i))), {
    relative: 0,
    absolute: 1e-8,
  });
});

test.each([null, 1500])('plumes disperse as recorded, with a depth of at most %s', (maxDepthM) => {
  setOptions({ ...PARAMS, maxDepthM });
  const stage = afterStage('disperse');
  const { before } = stage;
  const of = (i: number) => {
    const sigmaZz = before('depth', i) ** 2 / 8;
    const dtS = before('dtS', i);
    return {
      dtS,
      sigmaYy: before('width', i) ** 2 / 8,
      sigmaZz,
      sigmaYz: before('sigmaYz', i),
      shear: before('normalShear', i),
      ratio: stretchingRatio(before('lengthBefore', i), before('length', i)),
      diffusivityV: depthLimitedDiffusivity(before('diffusivityV', i), sigmaZz, dtS, maxDepthM),
    };
  };
  expectRows(stage, 'width', (i) => {
    const { sigmaYy, sigmaZz, sigmaYz, shear, diffusivityV, dtS, ratio } = of(i);
    return Math.sqrt(
      8 *
        horizontalVariance(
          sigmaYy,
          sigmaZz,
          sigmaYz,
          shear,
          before('diffusivityH', i),
          diffusivityV,
          dtS,
          ratio,
        ),
    );
  });
  expectRows(stage, 'depth', (i) => {
    const { sigmaZz, diffusivityV, dtS } = of(i);
    return Math.sqrt(8 * verticalVariance(sigmaZz, diffusivityV, dtS));
  });
  expectRows(
    stage,
    'sigmaYz',
    (i) => {
      const { sigmaZz, sigmaYz, shear, diffusivityV, dtS, ratio } = of(i);
      return covariance(sigmaZz, sigmaYz, shear, diffusivityV, dtS, ratio);
    },
    { absolute: 1e-8 },
  );
  expectRows(
    stage,
    'particles',
    (i) => {
      const { dtS, ratio } = of(i);
      return particlesPerM(
        before('particles', i),
        before('aggregation', i),
        before('turbulence', i),
        dtS,
        ratio,
      );
    },
    // Where nearly nothing is lost, 1 − e⁻ˣ has few digits left, on both sides.
    { relative: 1e-8 },
  );
  for (const [kept, column] of [
    ['widthBefore', 'width'],
    ['forcingBefore', 'rfNet'],
    ['humidityBefore', 'humidity'],
    ['saturationBefore', 'saturation'],
    ['massBefore', 'massPerM'],
  ] as const)
    expectRows(stage, kept, (i) => before(column, i), { relative: 0 });
});

test('segments without length are not stretched', () => {
  setOptions(PARAMS);
  const stage = afterStage('disperse', (p) => {
    p.length.fill(0);
    p.turbulence.fill(1e-3);
    p.aggregation.fill(0);
  });
  expectRows(
    stage,
    'particles',
    (i) => stage.before('particles', i) * Math.exp(-1e-3 * stage.before('dtS', i)),
  );
});

test('air is described as recorded', () => {
  setOptions(PARAMS);
  const stage = afterStage('describeAir');
  const air = (i: number) => [stage.before('temperature', i), stage.before('pressure', i)] as const;
  expectRows(stage, 'density', (i) => airDensity(...air(i)));
  expectRows(stage, 'saturation', (i) => saturationHumidityIce(...air(i)));
  expectRows(stage, 'levelBelow', (i) => pressureBelow(...air(i), PARAMS.dzM) / 100);
  expectRows(stage, 'lnTemperature', (i) => Math.log(air(i)[0]));
});

test('ice is mixed with the surrounding air as recorded', () => {
  const stage = afterStage('mixIce');
  const { before } = stage;
  expectRows(
    stage,
    'iceWaterContent',
    (i) =>
      mixedIceWaterContent(
        before('iceWaterContent', i),
        before('massBefore', i),
        effectiveAreaM2(before('width', i), before('depth', i), before('sigmaYz', i)) * before('density', i),
        before('humidityBefore', i),
        before('humidity', i),
        before('saturationBefore', i),
        before('saturation', i),
      ),
    { absolute: 1e-14 },
  );
});

test.each([0, 6, 12, 18])('solar radiation at %i h is as recorded', (hour) => {
  const timeMs = Date.UTC(2024, 6, 1, hour);
  setTime(timeMs);
  const stage = afterStage('shine');
  const { before } = stage;
  expectRows(
    stage,
    'sdr',
    (i) => solarDirectRadiation(before('longitude', i), before('latitude', i), timeMs, SUNSET_COSINE),
    { absolute: 1e-9 },
  );
  expectRows(stage, 'solarIrradiance', () => solarIrradiance(orbitalPosition(timeMs)));
});

test.each([0.5, 0.3])(
  'stratification and shear are as recorded, with an enhancement exponent of %d',
  (exponent) => {
    setOptions({ ...PARAMS, windShearEnhancementExponent: exponent });
    setRadiationPair('net');
    const stage = afterStage('describeSurroundings');
    const { before } = stage;
    expectRows(stage, 'potentialTemperature', (i) =>
      potentialTemperature(before('temperature', i), before('pressure', i)),
    );
    expectRows(
      stage,
      'thetaGradient',
      (i) =>
        potentialTemperatureGradient(
          before('temperature', i),
          before('pressure', i),
          before('temperatureBelow', i),
          100 * before('levelBelow', i),
          PARAMS.dzM,
        ),
      { absolute: 1e-10 },
    );
    const enhancement = (i: number) =>
      windShearEnhancement(before('depth', i), PARAMS.effectiveVerticalResolutionM, exponent);
    expectRows(stage, 'shearEnhancement', enhancement);
    expectRows(
      stage,
      'shear',
      (i) =>
        windShear(before('u', i), before('uBelow', i), before('v', i), before('vBelow', i), PARAMS.dzM) *
        enhancement(i),
    );
  },
);

test.each([
  ['net', (sdr: number, sw: number) => Math.max(sdr - sw, 0), (lw: number) => Math.max(-lw, 0)],
  ['net-and-outgoing', (sdr: number, sw: number) => Math.max(sdr - sw, 0), (lw: number) => lw],
  ['upward', (_: number, sw: number) => sw, (lw: number) => lw],
  ['albedo', (sdr: number, sw: number) => sdr * sw, (lw: number) => Math.max(lw, 0)],
] as const)('radiation of the pair %s is as recorded', (pair, rsr, olr) => {
  setOptions(PARAMS);
  setRadiationPair(pair);
  const stage = afterStage('describeSurroundings');
  expectRows(stage, 'rsr', (i) => rsr(stage.before('sdr', i), stage.before('shortwave', i)));
  expectRows(stage, 'olr', (i) => olr(stage.before('longwave', i)));
});

test.each([
  ['without limits', null],
  ['with limits of the diffusivities', 0.5],
])('plumes are described as recorded, %s', (_, limit) => {
  setOptions({ ...PARAMS, maxHorizontalDiffusivity: limit, maxVerticalDiffusivity: limit });
  const stage = afterStage('describePlumes', (p) => {
    for (let i = 0; i < ROWS; i++)
      p.potentialTemperature[i] = potentialTemperature(p.temperature[i] as number, p.pressure[i] as number);
  });
  const { before } = stage;
  const of = (i: number) => {
    const [width, depth, density] = [before('width', i), before('depth', i), before('density', i)];
    const [temperature, pressure] = [before('temperature', i), before('pressure', i)];
    const area = effectiveAreaM2(width, depth, before('sigmaYz', i));
    const perM3 = before('particles', i) / area;
    const radius = volumeMeanRadiusM(before('iceWaterContent', i), perM3 / density);
    const fallSpeed = terminalFallSpeed(radius, pressure, temperature);
    const limited = (value: number) => Math.min(value, limit ?? Number.POSITIVE_INFINITY);
    const diffusivityH = limited(horizontalDiffusivity(before('shear', i), depth));
    const diffusivityV = limited(
      verticalDiffusivity(
        bruntVaisala(temperature, pressure, before('thetaGradient', i)),
        fallSpeed,
        area / width,
        PARAMS.turbulentVerticalVelocityScale,
        PARAMS.sedimentationImpactFactor,
      ),
    );
    return { width, depth, density, area, perM3, radius, fallSpeed, diffusivityH, diffusivityV };
  };
  expectRows(stage, 'area', (i) => of(i).area);
  expectRows(stage, 'massPerM', (i) => of(i).area * of(i).density);
  expectRows(stage, 'particlesPerM3', (i) => of(i).perM3);
  expectRows(stage, 'radius', (i) => of(i).radius);
  expectRows(
    stage,
    'opticalDepth',
    (i) => opticalDepth(of(i).radius, before('particles', i), of(i).width),
    // Of the smallest particles, the extinction is a difference that has few digits left, on both sides.
    { relative: 1e-9 },
  );
  expectRows(stage, 'fallSpeed', (i) => of(i).fallSpeed);
  expectRows(stage, 'diffusivityH', (i) => of(i).diffusivityH);
  expectRows(stage, 'diffusivityV', (i) => of(i).diffusivityV);
  expectRows(stage, 'aggregation', (i) => aggregationLoss(of(i).radius, of(i).fallSpeed, of(i).area));
  expectRows(stage, 'turbulence', (i) => {
    const { diffusivityH, diffusivityV, width, depth, area } = of(i);
    return turbulentLoss(diffusivityH, diffusivityV, width, depth, area / width);
  });
});

test('radiative forcing is as recorded for particles of every size, by day and by night, with and without cirrus above', () => {
  setOptions({ ...PARAMS, rfLwEnhancementFactor: 1.1, rfSwEnhancementFactor: 0.9 });
  const stage = afterStage('force');
  const { before } = stage;
  const forcing = (i: number) => {
    const out = { longwave: 0, shortwave: 0 };
    const point = {
      radiusUm: 1e6 * before('radius', i),
      temperatureK: before('temperature', i),
      opticalDepth: before('opticalDepth', i),
      cirrusOpticalDepth: before('cirrusOpticalDepth', i),
      olr: before('olr', i),
      rsr: before('rsr', i),
      sdr: before('sdr', i),
      solarConstant: before('solarIrradiance', i),
    };
    weightedForcingInto(out, point, FORCING_2012);
    return out;
  };
  expectRows(stage, 'rfLw', (i) => forcing(i).longwave, { absolute: 1e-11 });
  expectRows(stage, 'rfSw', (i) => forcing(i).shortwave, { absolute: 1e-11 });
  expectRows(stage, 'rfNet', (i) => netForcing(forcing(i).longwave, forcing(i).shortwave, 1.1, 0.9, false), {
    absolute: 1e-11,
  });
});

test('shear across segments and energy of the step are as recorded', () => {
  setOptions(PARAMS);
  const sheared = afterStage('shearAcrossChain');
  expectRows(
    sheared,
    'normalShear',
    (i) => {
      const of = (column: TableColumn) => sheared.before(column, i);
      return (
        windShearNormal(of('u'), of('uBelow'), of('v'), of('vBelow'), of('sinA'), of('cosA'), PARAMS.dzM) *
        of('shearEnhancement')
      );
    },
    { absolute: 1e-15 },
  );
  const forced = afterStage('addEnergy');
  expectRows(
    forced,
    'energyForcing',
    (i) => {
      const of = (column: TableColumn) => forced.before(column, i);
      return energyForcingJ(
        of('widthBefore'),
        of('width'),
        of('forcingBefore'),
        of('rfNet'),
        of('dtS'),
        of('length'),
      );
    },
    { absolute: 1e-3 },
  );
});

test.each([
  ['describePlumes', 'temperature', 'fallSpeed'],
  ['describePlumes', 'iceWaterContent', 'radius'],
  ['describePlumes', 'iceWaterContent', 'opticalDepth'],
  ['describePlumes', 'width', 'opticalDepth'],
  ['mixIce', 'humidity', 'iceWaterContent'],
  ['describeAir', 'temperature', 'density'],
  ['describeAir', 'temperature', 'saturation'],
  ['disperse', 'diffusivityV', 'depth'],
  ['force', 'temperature', 'rfLw'],
  ['force', 'opticalDepth', 'rfNet'],
] as const)('%s: where %s is unknown, %s is', (stage, given, found) => {
  setOptions(PARAMS);
  const { table } = afterStage(stage, (p) => {
    p[given][7] = Number.NaN;
    p.lnTemperature[7] = Math.log(p.temperature[7] as number);
  });
  expect(table[found][7]).toBeNaN();
  expect(table[found][6]).not.toBeNaN();
});

/** Moves every row to the place behind it, so others are beside it in a turn of the loop. */
function shiftRows(table: PlumeTable): void {
  for (const column of Object.values(table)) column.copyWithin(1, 0, ROWS - 1);
}

test.each([
  'move',
  'disperse',
  'describeAir',
  'mixIce',
  'shine',
  'describeSurroundings',
  'describePlumes',
  'force',
  'forceByGivenHabits',
  'shearAcrossChain',
  'addEnergy',
] as const)('%s: what is found of a row does not depend on the rows beside it', (stage) => {
  const habits = Array.from({ length: 8 }, (_, habit) => (habit % 2 === 0 ? 0.25 : 0));
  setOptions({ ...PARAMS, habitDistributions: Array.from({ length: 6 }, () => habits) });
  setTime(TO_MS);
  setRadiationPair('net');
  const { table } = afterStage(stage);
  const shifted = afterStage(stage, shiftRows).table;
  for (const [name, column] of Object.entries(table))
    expect(shifted[name as TableColumn].subarray(1, ROWS - 1), name).toEqual(column.subarray(0, ROWS - 2));
});

/** The first bytes of the SHA-256 of all columns; unknown numbers count alike, whatever their bits. */
function digestOf(table: PlumeTable): string {
  const hash = createHash('sha256');
  for (const [name, column] of Object.entries(table)) {
    const numbers = Float64Array.from(column, (value) => (Number.isNaN(value) ? Number.MAX_VALUE : value));
    hash.update(name).update(numbers);
  }
  return hash.digest('hex').slice(0, 16);
}

test.each([
  ['move', 'ea9ee3e158e09794'],
  ['measureChain', '8e616a5ff43f11e2'],
  ['disperse', '6400cad921fbc2c6'],
  ['describeAir', 'a9d39a2f4858a76a'],
  ['mixIce', '6d08140e928beeff'],
  ['shine', '3ba082ad04bd01bf'],
  ['describeSurroundings', 'd39d780bf35e1fba'],
  ['describePlumes', '81fd0d32942c0311'],
  ['force', 'b238d9ae4783dbab'],
  ['shearAcrossChain', 'a2027ad5863a2f1d'],
  ['addEnergy', 'e1ef4aca27feed65'],
] as const)('%s gives the recorded bits', (stage, recorded) => {
  setOptions(PARAMS);
  setTime(TO_MS);
  setRadiationPair('net');
  expect(digestOf(afterStage(stage).table)).toBe(recorded);
});
