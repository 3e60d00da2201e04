import { MetError } from '../errors.ts';
import { allocateField, type FieldValues, type MetField, SINGLE_LEVEL } from '../field/field.ts';
import { findingsOfField } from '../field/plausibility.ts';

/** How a piece of a field on pressure levels comes from model levels; plain data for a thread. */
export interface ModelLevels<Read> {
  /** Numbers of the model levels to read. */
  readonly levels: Float64Array;
  /** What to read of surface pressure. */
  readonly surface: readonly Read[];
  /** It is the logarithm of surface pressure. */
  readonly logarithmic: boolean;
}

/**
 * Fills a piece of a field by way of the model levels. `fill` reads into a field; what is read counts its variables
 * among those of `slice`, and of them only those that are read take memory on model levels.
 */
export async function fillOnModelLevels<
  Read extends { readonly variable: number; readonly file: { readonly path: string } },
>(
  slice: MetField,
  reads: readonly Read[],
  { levels, surface: surfaceReads, logarithmic }: ModelLevels<Read>,
  fill: (field: MetField, reads: readonly Read[]) => Promise<void>,
): Promise<void> {
  const axes = { longitude: slice.longitude.knots, latitude: slice.latitude.knots, time: slice.time.knots };
  const variables = [...new Set(reads.map(({ variable }) => variable))];
  const names = variables.map((variable) => slice.variables[variable] as string);
  const onModelLevels = allocateField(names, { ...axes, level: levels });
  const surface = allocateField(['surface_pressure'], { ...axes, level: [SINGLE_LEVEL] }, 'float64');
  await fill(
    onModelLevels,
    reads.map((read) => ({ ...read, variable: variables.indexOf(read.variable) })),
  );
  await fill(surface, surfaceReads);
  if (logarithmic) {
    for (const slab of surface.slabs) exponentiate(slab);
  }
  const [wrong] = findingsOfField(surface);
  if (wrong !== undefined) {
    const path = surfaceReads[0]?.file.path ?? '';
    throw new MetError('unreadable', `${path}: ${wrong.message}; ${wrong.remedy}`, { path });
  }
  // What few sources need is loaded when one does: threads start often.
  const { fillFromModelLevels } = await import('../field/model-level-field.ts');
  fillFromModelLevels(slice, variables, onModelLevels, surface);
}

function exponentiate(values: FieldValues): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.exp(values[i] as number);
}
