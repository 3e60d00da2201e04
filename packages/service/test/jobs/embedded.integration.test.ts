import { createJobs } from '@contrails/platform/jobs/create';
import { createEmbeddedEngine } from '@contrails/platform/jobs/embedded/engine';
import { openDatabase } from '../../src/migrations.ts';
import { temporaryDirectory } from '../support/temporary.ts';
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
