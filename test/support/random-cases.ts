import fc from 'fast-check';

/**
 * The cases that tests choose at random are the same in every run, so a change that breaks one is the change that is being
 * tested. Other ones are tried with `TEST_SEED=2 npm test`, more of them with `TEST_EFFORT`.
 */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
