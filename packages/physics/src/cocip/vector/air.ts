/** The air around the points, the ice in it, and the radiation that passes. */
import { lnSaturationIce } from '../../atmosphere/saturation-vector.ts';
import { EPSILON, GAS_CONSTANT_DRY, GRAVITY_M_S2, SURFACE_PRESSURE_PA } from '../../constants.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { SUNSET_COSINE } from '../params.ts';
import type { TableColumn } from '../plumes.ts';
import { effectiveArea } from './cross-section.ts';
import { parameter } from './parameters.ts';

/** Density, saturation over ice (Sonntag 1994), and the level dz below the point. */
export const describeAir: LoopBody<TableColumn> = (loop, m) => {
  const T = loop.load('temperature');
  const pressure = loop.load('pressure');
  const lnT = m.log(T);
  const density = m.div(pressure, m.mul(GAS_CONSTANT_DRY, T));
  const lnSaturation = m.add(lnSaturationIce(m, T), Math.log(EPSILON));
  const below = m.add(pressure, m.mul(density, GRAVITY_M_S2, parameter(loop, 'dzM')));
  loop.store('lnTemperature', lnT);
  loop.store('density', density);
  loop.store('saturation', m.div(m.exp(lnSaturation), pressure));
  loop.store('levelBelow', m.div(m.atMost(below, SURFACE_PRESSURE_PA), 100));
};

/** Ice water content after mixing with air of the mean ambient humidity. */
export const mixIce: LoopBody<TableColumn> = (loop, m) => {
  const area = effectiveArea(m, loop.load('width'), loop.load('depth'), loop.load('sigmaYz'));
  const mass = m.mul(area, loop.load('density'));
  const massBefore = loop.load('massBefore');
  const meanHumidity = m.mul(0.5, m.add(loop.load('humidityBefore'), loop.load('humidity')));
  const mixedIn = m.mul(m.sub(mass, massBefore), meanHumidity);
  const water = m.mul(massBefore, m.add(loop.load('iceWaterContent'), loop.load('saturationBefore')));
  const ice = m.sub(m.div(m.add(water, mixedIn), mass), loop.load('saturation'));
  loop.store('iceWaterContent', m.atLeast(ice, 0));
};

/** Solar direct radiation at the time of the step. */
export const shine: LoopBody<TableColumn> = (loop, m) => {
  const irradiance = parameter(loop, 'solarIrradiance');
  const hourAngle = m.add(parameter(loop, 'greenwichHourAngleDeg'), loop.load('longitude'));
  const cosine = m.add(
    m.mul(loop.load('sineOfLatitude'), parameter(loop, 'sineOfDeclination')),
    m.mul(
      loop.load('cosineOfLatitude'),
      parameter(loop, 'cosineOfDeclination'),
      m.sineAndCosine(m.radians(hourAngle)).cosine,
    ),
  );
  loop.store('solarIrradiance', irradiance);
  loop.store('sdr', m.select(m.isLess(cosine, SUNSET_COSINE), 0, m.mul(cosine, irradiance)));
};
