/** What may follow the contrails of grids. */
export const DEVICES = ['auto', 'cpu', 'gpu'] as const;
export type DeviceChoice = (typeof DEVICES)[number];
