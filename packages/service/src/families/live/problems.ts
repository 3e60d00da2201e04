export const liveProblems = {
  'live-disabled': {
    title: 'Live contrails are off',
    status: 404,
    meaning: 'This service does not follow aircraft: `live.enabled` is false.',
    remedy: 'Ask the operator to set `live.enabled` to true and to configure a feed in `telemetry.sources`.',
  },
} as const;
