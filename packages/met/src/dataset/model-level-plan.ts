import type { MetField } from '../field/field.ts';
import { neededModelLevels } from '../field/model-level-field.ts';
import { axesOfVariable, type DatasetIndex, type IndexEntry, requireEntries } from './dataset-index.ts';

/** Numbers of the model levels that a field is made of, or undefined when its variables lie on pressure levels or none. */
export function modelLevelsUnder(
  field: MetField,
  dataset: DatasetIndex<IndexEntry>,
): Float64Array | undefined {
  const isModel = (variable: string) => requireEntries(dataset, variable)[0]?.levelType === 'model';
  if (dataset.levelType !== 'model' || !field.variables.some(isModel)) return undefined;
  const [first = new Float64Array(0), ...others] = field.variables.map(
    (variable) => axesOfVariable(dataset, variable).level,
  );
  const common = first.filter((level) => others.every((levels) => levels.includes(level))).sort();
  const hpa = field.level.knots;
  return neededModelLevels(common, [hpa[0] as number, hpa[hpa.length - 1] as number]);
}
