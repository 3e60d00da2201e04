import { type GoldenCsv, goldenCsv, printWorstDeviations } from '../support/golden.ts';
import * as physics from '../support/physics.ts';

printWorstDeviations();

/** Runs a scaling over the columns of a file; the answer is read by row. */
function scaled(golden: GoldenCsv, scaling: physics.HumidityScaling, latitude?: Float64Array) {
  const q = golden.column('specific_humidity');
  const rhi = new Float64Array(golden.rowCount);
  scaling.scaleInto(
    q,
    rhi,
    q,
    golden.column('temperature_k'),
    golden.column('pressure_pa'),
    latitude ?? new Float64Array(golden.rowCount),
  );
  return { q: (i: number) => q[i] as number, rhi: (i: number) => rhi[i] as number };
}

for (const rhiAdj of [0.97, 0.9]) {
  goldenCsv(`humidity_constant_${String(rhiAdj).replace('.', '_')}.csv`, (golden) => {
    const { q, rhi } = scaled(golden, physics.constantHumidityScaling({ rhiAdj }));
    golden.check('rhi_adj', () => rhiAdj);
    golden.check('scaled_specific_humidity', q);
    golden.check('scaled_rhi', rhi);
  });
}

goldenCsv('humidity_exponential_boost.csv', (golden) => {
  const { q, rhi } = scaled(golden, physics.exponentialBoostHumidityScaling());
  golden.check('rhi_adj', () => physics.DEFAULT_EXPONENTIAL_BOOST_PARAMS.rhiAdj);
  golden.check('rhi_boost_exponent', () => physics.DEFAULT_EXPONENTIAL_BOOST_PARAMS.rhiBoostExponent);
  golden.check('clip_upper', () => physics.DEFAULT_EXPONENTIAL_BOOST_PARAMS.clipUpper);
  golden.check('scaled_specific_humidity', q);
  golden.check('scaled_rhi', rhi);
});

for (const [file, levelType, qMethod] of [
  ['humidity_latitude_boost_pressure_linear.csv', 'pressure', 'none'],
  ['humidity_latitude_boost_pressure_cubic_spline.csv', 'pressure', 'cubic-spline'],
  ['humidity_latitude_boost_model_linear.csv', 'model', 'none'],
] as const) {
  goldenCsv(file, (golden) => {
    const temperature = golden.input('temperature_k');
    const { q, rhi } = scaled(
      golden,
      physics.latitudeBoostHumidityScaling({ levelType, qMethod }),
      golden.column('latitude_deg'),
    );
    golden.check('rhi_max', (i) => physics.highestRhi(temperature(i)));
    golden.check('scaled_specific_humidity', q);
    golden.check('scaled_rhi', rhi);
  });
}

goldenCsv('humidity_by_level.csv', (golden) => {
  const { q, rhi } = scaled(golden, physics.humidityScalingByLevel());
  golden.check('scaled_specific_humidity', q);
  golden.check('scaled_rhi', rhi);
});

goldenCsv('humidity_histogram_matching.csv', (golden) => {
  for (const levelType of ['pressure', 'model'] as const) {
    const { q, rhi } = scaled(golden, physics.histogramMatching({ levelType }));
    golden.check(`scaled_rhi_${levelType}_linear_q`, rhi);
    golden.check(`scaled_specific_humidity_${levelType}_linear_q`, q);
    const cubic = scaled(golden, physics.histogramMatching({ levelType, qMethod: 'cubic-spline' }));
    golden.check(`scaled_rhi_${levelType}_cubic_spline`, cubic.rhi);
    const logarithmic = scaled(golden, physics.histogramMatching({ levelType, qMethod: 'log-q-log-p' }));
    golden.check(`scaled_rhi_${levelType}_log_q_log_p`, logarithmic.rhi);
  }
  const member = scaled(golden, physics.histogramMatching({ productType: 'ensemble_members', member: 3 }));
  golden.check('scaled_rhi_member3_linear_q', member.rhi);
});

goldenCsv('humidity_eckel.csv', (golden) => {
  const members = Array.from({ length: 10 }, (_, m) => golden.input(`rhi_member${m}`));
  for (const [column, qMethod] of [
    ['linear_q', 'none'],
    ['cubic_spline', 'cubic-spline'],
    ['log_q_log_p', 'log-q-log-p'],
  ] as const) {
    const matched = (i: number, m: number) =>
      physics.histogramMatchedRhi(
        members[m]?.(i) ?? Number.NaN,
        physics.quantileMap({ productType: 'ensemble_members', member: m, qMethod }),
      );
    const mean = (i: number) => members.reduce((sum, _, m) => sum + matched(i, m), 0) / members.length;
    golden.check(`mean_rhi_${column}`, mean);
    golden.check(`member4_rhi_${column}`, (i) => matched(i, 4));
    golden.check(`eckel_rhi_${column}`, (i) => physics.eckelRhi(matched(i, 4), mean(i), qMethod));
  }
});
