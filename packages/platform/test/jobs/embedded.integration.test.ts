import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { createJobs } from '../../src/jobs/create.ts';
import { createEmbeddedEngine } from '../../src/jobs/embedded/engine.ts';
import { openDatabase } from '../support/database.ts';
import type { OpenQueue } from './fixture.ts';
import { describeJobs } from './jobs.contract.ts';
import { describeQueueProperties } from './queue-properties.contract.ts';

const open: OpenQueue = async () => {
  const directory = await temporaryDirectory();
  return async () => {
    const database = await openDatabase({ database: 'embedded', directory });
    const engine = createEmbeddedEngine(database, { pollMs: 25, upkeepMs: 50 });
    return { database, engine, jobs: createJobs(database, engine) };
  };
};

describeJobs('embedded', open);
describeQueueProperties('embedded', open, 150);
