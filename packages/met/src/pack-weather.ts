import { CIRRUS_OPTICAL_DEPTH, fillCirrus } from './cirrus.ts';
import type { FieldValues, MetField } from './field.ts';

/**
 * Fills a field with the variables the models use from one with what a source stores. Both have one grid, but for
 * levels that go on further down in what is stored. Variables that are not stored stay NaN.
 */
export function packWeather(field: MetField, stored: MetField): void {
  const levels = field.level.knots.length;
  const storedLevels = stored.level.knots.length;
  const stride = field.variables.length;
  const storedStride = stored.variables.length;
  const columns = field.longitude.knots.length * field.latitude.knots.length;
  field.variables.forEach((name, to) => {
    const from = stored.variables.indexOf(name);
    if (from < 0) return;
    field.slabs.forEach((slab, l) => {
      const source = stored.slabs[l] as FieldValues;
      for (let c = 0; c < columns; c++) {
        let at = c * storedLevels * storedStride + from;
        let target = c * levels * stride + to;
        for (let k = 0; k < levels; k++, at += storedStride, target += stride) {
          slab[target] = source[at] as number;
        }
      }
    });
  });
  if (field.variables.includes(CIRRUS_OPTICAL_DEPTH)) fillCirrus(field, stored);
}
