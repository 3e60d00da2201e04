/** Figures of results as OpenAPI shows them, which several families return. */
import { METRIC_NAMES } from '@contrails/physics/climate';
import { QUANTILE_NAMES } from '@contrails/physics/uncertainty';
import { type TSchema, Type } from 'typebox';

export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** A number, or null where it is unknown. */
export const figure = (description?: string) =>
  orNull(Type.Number(description === undefined ? {} : { description }));

export const metrics = Type.Object(Object.fromEntries(METRIC_NAMES.map((name) => [name, figure()])), {
  title: 'MetricsKg',
  description: 'CO2 equivalents under nine metrics [kg].',
});

export const statistics = Type.Object(
  Object.fromEntries([...QUANTILE_NAMES, 'mean', 'sd', 'standard_error'].map((name) => [name, figure()])),
  { title: 'SampleStatistics', description: 'Quantiles and moments over the samples.' },
);

export const oneOf = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });
