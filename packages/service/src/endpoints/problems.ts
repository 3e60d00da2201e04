/** Problems that endpoints of several families return; apart from the endpoints, because every command reads them. */
import type { ProblemKinds } from '@contrails/platform/http/problem';

/** What endpoints of every family that reads weather may return. */
export const weatherProblems: ProblemKinds = {
  'weather-unusable': {
    title: 'The weather cannot be used',
    status: 503,
    meaning:
      'The files of a weather source are damaged, contradict each other, or hold values that cannot be right; `detail` names what is wrong. The request and the key can both be valid.',
    remedy:
      'The same request fails until the operator of the service corrects the files: report `detail` to the operator, or name another `met_source`.',
  },
};

/** What endpoints that take flight files return for those that have no flight. */
export const flightFileProblems = {
  'flight-file': {
    title: 'The flight file has no flight',
    status: 422,
    meaning:
      'No flight can be read from the file. `code` is the reason, as docs/formats.md lists them, `detail` explains it, and `refused` counts the points and flights that were left out by their reasons. The status is 422 under /v0 and 400 elsewhere. Nothing was computed.',
    remedy:
      'Follow `detail`. `contrails flights read FILE` lists every refused record with its place in the file.',
  },
} as const satisfies ProblemKinds;
