import type { WeatherOrigin } from '@contrails/met';

/** File attributes that name the provider of its weather. */
export function sourceAttributes({
  provider,
  dataset,
  product,
  radiation,
  attributions,
}: WeatherOrigin): Record<string, string> {
  return {
    met_source_provider: provider,
    met_source_dataset: dataset,
    met_source_product: product,
    ...(radiation === undefined ? {} : { met_source_radiation: radiation }),
    ...(attributions.length === 0 ? {} : { met_source_attribution: attributions.join(' ') }),
  };
}
