/** CO2 equivalents under nine metrics, climate change functions of NOx, water vapour and contrails, potential vorticity. */
export * from './accf.ts';
export * from './balance.ts';
export * from './metrics.ts';
export * from './potential-vorticity.ts';
