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
