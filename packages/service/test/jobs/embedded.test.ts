import { openDatabase } from '../../src/database/open.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { createEmbeddedEngine } from '../../src/jobs/embedded/engine.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import type { Seat } from './fixture.ts';
import { describeJobs } from './jobs.contract.ts';

describeJobs('embedded', async () => {
  const directory = await temporaryDirectory();
  const seats: Seat[] = [];
  return {
    async join() {
      const database = await openDatabase({ database: 'embedded', directory });
      const engine = createEmbeddedEngine(database, { pollMs: 25, upkeepMs: 50 });
      const seat = { database, engine, jobs: createJobs(database, engine) };
      seats.push(seat);
      return seat;
    },
    async close() {
      await Promise.all(seats.map((seat) => seat.jobs.close()));
      await Promise.all(seats.map((seat) => seat.database.close()));
    },
  };
});
