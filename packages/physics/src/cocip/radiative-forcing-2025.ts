/** Alternative radiative forcing of a contrail [W m⁻²] (Schumann 2025): same habits and weights, another fit. */
import {
  cosineOfZenith,
  effectiveAlbedo,
  type ForcingModel,
  type ForcingPoint,
} from './radiative-forcing.ts';

const AK = [3.23595, 3.25723, 3.23853, 3.20214, 3.22151, 3.20444, 4.00515, 3.24338];
const SG = [3.35993e-6, 3.00607e-6, 3.3342e-6, 4.09619e-6, 3.67116e-6, 4.02626e-6, 4.94882e-8, 3.2165e-6];
const DL = [0.87443, 0.776886, 0.71389, 0.657861, 0.716007, 0.687059, 0.842696, 0.769347];
const QL = [0.312496, 0.386529, 0.370883, 0.297256, 0.218414, 1.97702, 0.252445, 0.248097];
const CL = [0.200662, 0.174288, 0.148988, 0.0944375, 0.197152, 0.146475, 0.235398, 0.135923];
const TL = [0.941626, 0.921358, 0.924119, 0.929786, 0.931181, 0.927095, 0.856405, 0.924699];
const GA = [9.06419, 5.45276, 6.61548, 5.49484, 6.66096, 7.96645, 6.1565, 6.69045];
const GS = [40.5364, 16.806, 22.3319, 16.9001, 25.5195, 7.61456, 9.75937, 9.33121];
const TT = [0.879304, 0.901417, 0.881617, 0.89885, 0.879667, 0.883407, 0.898837, 1.00788];
const GB = [0.432165, 0.874683, 0.647569, 0.897522, 0.712315, 0.720927, 0.815349, 0.932811];
const AC = [0.0129326, 0.0249145, 0.0190486, 0.0245007, 0.0201106, 0.0394534, 0.0325837, 0.0590863];
const BC = [1.4141, 1.37992, 1.56329, 1.40405, 1.38461, 1.58401, 1.34064, 1.45445];
const CC = [0.174603, 0.312233, 0.336866, 0.331776, 0.174517, 0.246677, 0.224502, 0.338728];
const DC = [0.838433, 0.680409, 0.665093, 0.625401, 0.795688, 0.500001, 0.452205, 0.807171];
const FR = [0.930169, 0.918669, 1.00763, 0.742713, 0.945019, 3.4095, 1.3748, 1.39646];
const RA = [5.991, 37.5521, 39.3959, 121.831, 20.5531, 16.8181, 156.619, 163.951];
const QS = [1.90758, 3.15424, 3.15424, 1.63419, 2.70324, 1.66234, 1.88483, 1.88483];
const EX = [0.15531, 0.14251, 0.165978, 0.149808, 0.165641, 0.167064, 0.17232, 0.212536];
const CS = [0.224998, 0.195919, 0.24206, 0.206488, 0.238648, 0.261965, 0.24536, 0.300703];

export const FORCING_2025: ForcingModel = { longwave: longwaveOfHabit, shortwave: shortwaveOfHabit };

/** Longwave forcing of one habit [W m⁻²], not negative. */
function longwaveOfHabit(point: ForcingPoint, habit: number, effectiveRadius: number): number {
  const contrast = point.olr - at(SG, habit) * point.temperatureK ** at(AK, habit);
  const emissivity = 1 - Math.exp(-at(DL, habit) * Math.exp(at(TL, habit) * Math.log(point.opticalDepth)));
  const size = 1 - Math.exp(-at(QL, habit) * effectiveRadius);
  return Math.max(contrast * emissivity * size * Math.exp(-at(CL, habit) * point.cirrusOpticalDepth), 0);
}

/** Shortwave forcing of one habit [W m⁻²], not positive; 0 at night. */
function shortwaveOfHabit(point: ForcingPoint, habit: number, effectiveRadius: number): number {
  if (!(point.sdr > 0)) return 0;
  const mu = cosineOfZenith(point);
  const tau = point.opticalDepth;
  const slant = 1 / (mu + 1e-6);
  const angle =
    (Math.exp(at(BC, habit) * Math.log(1 - mu)) * Math.exp(at(CC, habit) * Math.log(mu)) * at(AC, habit)) /
      0.5 ** (at(BC, habit) + at(CC, habit)) -
    at(AC, habit);
  const transmitted = at(TT, habit) - effectiveAlbedo(point);
  return Math.min(
    -point.sdr *
      transmitted *
      transmitted *
      ((tau * slant) / (at(GA, habit) + tau * slant)) *
      (at(DC, habit) + (angle * (at(GS, habit) + tau * at(GB, habit))) / (1 + tau * at(GB, habit))) *
      (1 + at(FR, habit) * Math.exp(-effectiveRadius / at(RA, habit))) *
      (1 - Math.exp(-at(QS, habit) * effectiveRadius)) *
      Math.exp((at(CS, habit) - at(EX, habit) * slant) * point.cirrusOpticalDepth),
    0,
  );
}

function at(table: readonly number[], habit: number): number {
  return table[habit] as number;
}
