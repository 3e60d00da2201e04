import {
  dragCoefficient,
  dynamicForceN,
  inducedDragFactor,
  liftCoefficient,
  oswaldEfficiency,
  reynoldsNumber,
  skinFrictionCoefficient,
  waveDragCoefficient,
  zeroLiftDragCoefficient,
} from '../../src/aircraft/aerodynamics.ts';
import { engineDeterioration } from '../../src/aircraft/deterioration.ts';
import { cargoLoadFactor, passengerLoadFactor } from '../../src/aircraft/load-factors.ts';
import { nominalCruiseInto } from '../../src/aircraft/nominal-cruise.ts';
import {
  availableThrustCoefficient,
  maxAllowableMassKg,
  maxFuelFlowKgS,
  maxMach,
  maxMachWith250KtRule,
  minFuelFlowKgS,
} from '../../src/aircraft/operating-limits.ts';
import { optimalMachInto } from '../../src/aircraft/optimal-mach.ts';
import { payloadMassKg } from '../../src/aircraft/payload.ts';
import { FLIGHT_PHASE, flightPhase } from '../../src/aircraft/phase.ts';
import { sinClimbAngle } from '../../src/aircraft/point-performance.ts';
import {
  bestEfficiency,
  efficiencyRatio,
  fuelFlowKgS,
  pathAcceleration,
  thrustCoefficientAtBestEfficiency,
  thrustForceN,
} from '../../src/aircraft/propulsion.ts';
import { findAircraftType, findPerformanceType } from '../../src/aircraft/types.ts';
import { altitudeMFromLevel, isaTemperatureK, levelFromAltitudeFt } from '../../src/atmosphere/isa.ts';
import { airspeedFromMach, machFromAirspeed } from '../../src/atmosphere/mach.ts';
import { lnDelta, lnTheta } from '../../src/atmosphere/sea-level.ts';
import { JET_A1 } from '../../src/fuel.ts';
import { clip } from '../../src/numerics/lerp.ts';
import { goldenCsv, printWorstDeviations } from '../support/golden.ts';

printWorstDeviations();

goldenCsv('performance_derived.csv', (golden) => {
  const types = golden.text('icao_type').map(findPerformanceType);
  const derived = <K extends keyof (typeof types)[number]>(name: string, key: K): void =>
    golden.check(name, (i) => Number(types[i]?.[key]));
  derived('first_flight_year', 'firstFlightYear');
  derived('turbine_entry_temperature_max_take_off_k', 'turbineEntryTakeoffK');
  derived('turbine_entry_temperature_max_continuous_k', 'turbineEntryContinuousK');
  derived('impact_pressure_max_pa', 'impactPressureMaxPa');
  derived('crossover_pressure_pa', 'crossoverPressurePa');
  derived('max_altitude_m', 'maxAltitudeM');
});

goldenCsv('performance_point.csv', (golden) => {
  const types = golden.text('icao_type').map(findAircraftType);
  const column = {
    altitudeFt: golden.column('altitude_ft'),
    temperatureK: golden.column('temperature_k'),
    airspeedMS: golden.column('true_airspeed_m_s'),
    massKg: golden.column('mass_kg'),
    rocdFtMin: golden.column('rocd_ft_min'),
    accelerationMS2: golden.column('acceleration_m_s2'),
    deterioration: golden.column('engine_deterioration_factor'),
  };
  const rows = types.map((type, i) => {
    const cell = (values: Float64Array): number => values[i] as number;
    const temperature = cell(column.temperatureK);
    const altitude = cell(column.altitudeFt);
    const rocd = cell(column.rocdFtMin);
    const mass = cell(column.massKg);
    const pressure = 100 * levelFromAltitudeFt(altitude);
    const limit = maxMach(type, pressure);
    const mach = Math.min(machFromAirspeed(cell(column.airspeedMS), temperature), limit);
    const airspeed = airspeedFromMach(mach, temperature);
    const sine = sinClimbAngle(rocd, airspeed);
    const force = dynamicForceN(pressure, mach, type.wingAreaM2);
    const reynolds = reynoldsNumber(type.wingAreaM2, mach, temperature, pressure);
    const lift = liftCoefficient(mass, Math.sqrt(1 - sine * sine), force);
    const friction = skinFrictionCoefficient(reynolds);
    const zeroLift = zeroLiftDragCoefficient(friction, type.zeroLiftDragPsi0);
    const oswald = oswaldEfficiency(type, zeroLift);
    const wave = waveDragCoefficient(type, mach, lift);
    const drag = dragCoefficient(zeroLift, lift, inducedDragFactor(type.aspectRatio, oswald), wave);
    const thrust = thrustForceN(mass, force, drag, pathAcceleration(sine, cell(column.accelerationMS2)));
    const best = thrustCoefficientAtBestEfficiency(type, mach);
    const available = availableThrustCoefficient(type, mach, temperature, best);
    const clipped = clip(thrust / force, 0, available);
    const ratio = efficiencyRatio(clipped / best, mach);
    const efficiency = Math.max(ratio, 0.5) * bestEfficiency(type, mach, cell(column.deterioration));
    const flow = fuelFlowKgS(clipped * force, airspeed, efficiency, JET_A1.qFuelJKg);
    const phase = flightPhase(rocd, altitude);
    const least = minFuelFlowKgS(type, altitude);
    const most = maxFuelFlowKgS(
      type,
      lnTheta(temperature),
      lnDelta(pressure),
      mach,
      phase === FLIGHT_PHASE.descent,
    );
    return {
      pressure_pa: pressure,
      max_mach: limit,
      max_mach_with_250kt_limit: maxMachWith250KtRule(type, pressure),
      true_airspeed_clipped_m_s: airspeed,
      mach,
      climb_angle_deg: (Math.asin(sine) * 180) / Math.PI,
      reynolds_number: reynolds,
      lift_coefficient: lift,
      skin_friction_coefficient: friction,
      zero_lift_drag_coefficient: zeroLift,
      oswald_efficiency: oswald,
      wave_drag_coefficient: wave,
      drag_coefficient: drag,
      thrust_n: thrust,
      thrust_coefficient: thrust / force,
      thrust_coefficient_max_efficiency: best,
      thrust_coefficient_available: available,
      thrust_coefficient_clipped: clipped,
      efficiency_ratio: ratio,
      engine_efficiency: efficiency,
      fuel_flow_unbounded_kg_s: flow,
      fuel_flow_min_kg_s: least,
      fuel_flow_max_kg_s: most,
      phase_1climb_2cruise_3descent_4level_5unknown: phase,
      fuel_flow_kg_s: clip(flow, least, most),
      max_allowable_mass_kg: maxAllowableMassKg(type, pressure, mach),
    };
  });
  for (const name of Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[]) {
    golden.check(name, (i) => rows[i]?.[name] ?? Number.NaN);
  }
});

goldenCsv('efficiency_ratio.csv', (golden) => {
  const mach = golden.column('mach');
  const ratio = golden.column('thrust_coefficient_ratio');
  golden.check('efficiency_ratio', (i) => efficiencyRatio(ratio[i] as number, mach[i] as number));
});

goldenCsv('engine_deterioration.csv', (golden) => {
  const types = golden.text('icao_type');
  const age = golden.column('aircraft_age_years');
  golden.check('engine_deterioration_factor', (i) => engineDeterioration(types[i] ?? '', age[i] as number));
});

goldenCsv('load_factor_passenger.csv', (golden) => {
  const origin = golden.text('origin_airport_icao');
  const date = golden.text('date');
  golden.check('passenger_load_factor', (i) =>
    passengerLoadFactor(origin[i] || undefined, date[i] ? Date.parse(date[i]) : undefined),
  );
});

goldenCsv('load_factor_cargo.csv', (golden) => {
  const origin = golden.text('origin_airport_icao');
  const destination = golden.text('destination_airport_icao');
  const distance = golden.column('distance_km');
  const passenger = golden.column('is_passenger_aircraft');
  golden.check('cargo_load_factor', (i) =>
    cargoLoadFactor(
      origin[i] || undefined,
      destination[i] || undefined,
      Number.isNaN(distance[i]) ? undefined : distance[i],
      passenger[i] === 1,
    ),
  );
});

goldenCsv('payload.csv', (golden) => {
  const role = golden.text('aircraft_role');
  const [seats, passenger, cargo, max] = [
    'seat_count',
    'passenger_load_factor',
    'cargo_load_factor',
    'max_payload_kg',
  ].map((name) => golden.column(name)) as [Float64Array, Float64Array, Float64Array, Float64Array];
  golden.check('payload_kg', (i) =>
    payloadMassKg(
      role[i] ?? '',
      seats[i] as number,
      passenger[i] as number,
      cargo[i] as number,
      max[i] as number,
    ),
  );
});

goldenCsv(
  'performance_grid.csv',
  (golden) => {
    const batch = golden.column('batch');
    const types = golden.text('icao_type');
    const level = golden.column('level_hpa');
    const temperature = golden.column('temperature_k');
    const wish = golden.column('mach_requested');
    const [mach, mass, efficiency, flow] = Array.from({ length: 4 }, () => new Float64Array(golden.rowCount));
    for (const number of new Set(batch)) {
      const rows = [...batch.keys()].filter((row) => batch[row] === number);
      const pick = (column: Float64Array): Float64Array =>
        Float64Array.from(rows, (row) => column[row] as number);
      const type = findPerformanceType(types[rows[0] ?? 0] ?? '');
      const requested = pick(wish).map((value) => (Number.isNaN(value) ? type.designMach : value));
      const n = rows.length;
      const out = {
        aircraftMassKg: new Float64Array(n),
        engineEfficiency: new Float64Array(n),
        fuelFlowKgS: new Float64Array(n),
        trueAirspeedMS: new Float64Array(n),
      };
      const temperatures = pick(temperature);
      nominalCruiseInto(
        out,
        type,
        pick(level).map((value) => 100 * value),
        temperatures,
        { mach: requested },
      );
      rows.forEach((row, k) => {
        (mass as Float64Array)[row] = out.aircraftMassKg[k] as number;
        (efficiency as Float64Array)[row] = out.engineEfficiency[k] as number;
        (flow as Float64Array)[row] = out.fuelFlowKgS[k] as number;
        (mach as Float64Array)[row] = machFromAirspeed(
          out.trueAirspeedMS[k] as number,
          temperatures[k] as number,
        );
      });
    }
    golden.check('mach', (i) => mach?.[i] as number);
    golden.check('aircraft_mass_kg', (i) => mass?.[i] as number);
    golden.check('engine_efficiency', (i) => efficiency?.[i] as number);
    golden.check('fuel_flow_kg_s', (i) => flow?.[i] as number);
  },
  // The reference stops a batch when its slowest point is within 80 kg; here each point goes on to its root.
  { relative: 2e-6 },
);

goldenCsv(
  'performance_mach_optimum.csv',
  (golden) => {
    const types = golden.text('icao_type');
    const level = golden.column('level_hpa');
    const mass = golden.column('mass_kg');
    const costIndex = golden.column('cost_index_kg_min');
    const solved = types.map((type, i) => {
      const pair = (value: number): Float64Array => Float64Array.of(value, value);
      const levelHpa = level[i] as number;
      const out = { minMach: pair(0), maxMach: pair(0), optimumMach: pair(0), fuelFlowKgS: pair(0) };
      optimalMachInto(out, findPerformanceType(type), {
        massKg: pair(mass[i] as number),
        pressurePa: pair(100 * levelHpa),
        temperatureK: pair(isaTemperatureK(altitudeMFromLevel(levelHpa))),
        headwindMS: pair(0),
        costIndexKgMin: costIndex[i] as number,
      });
      return out;
    });
    golden.check('min_mach', (i) => solved[i]?.minMach[0] as number);
    golden.check('max_mach', (i) => solved[i]?.maxMach[0] as number);
    golden.check('optimum_mach', (i) => solved[i]?.optimumMach[0] as number);
    golden.check('fuel_flow_kg_s', (i) => solved[i]?.fuelFlowKgS[0] as number);
  },
  { relative: 1e-6 },
);
