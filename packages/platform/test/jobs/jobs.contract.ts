import { describe } from 'vitest';
import { describeCancelling } from './contract/cancelling.ts';
import { describeCrowds } from './contract/crowds.ts';
import { describeDependencies } from './contract/dependencies.ts';
import { describeEnqueuing } from './contract/enqueuing.ts';
import { describeFailing } from './contract/failing.ts';
import { describeKeys } from './contract/keys.ts';
import { describeRecords } from './contract/records.ts';
import { describeRunning } from './contract/running.ts';
import { describeSchedules } from './contract/schedules.ts';
import { describeWorkers } from './contract/workers.ts';
import { jobsTest, type OpenQueue } from './fixture.ts';

/** What every queue of the service has to do; run against each of them. */
export function describeJobs(name: string, open: OpenQueue): void {
  const test = jobsTest(open);
  describe.concurrent(`${name} queue`, () => {
    describeRunning(test);
    describeEnqueuing(test);
    describeKeys(test);
    describeDependencies(test);
    describeFailing(test);
    describeCancelling(test);
    describeWorkers(test);
    describeRecords(test);
    describeSchedules(test);
    describeCrowds(test);
  });
}
