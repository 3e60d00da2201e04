/**
 * At least 30,000 requests that schemathesis generates from the API description, against a new service. Fails
 * when a check does. FUZZ_EXAMPLES makes it shorter or longer, FUZZ_SEED repeats a run.
 */
import { startLiveService } from '../support/live-service.ts';
import { runSchemathesis } from '../support/schemathesis.ts';
import { readTools } from '../support/tools.ts';

const EXAMPLES = 1800;
const MIN_CASES = 30_000;

const { pythonPrograms, missing } = readTools();
if (pythonPrograms === null)
  throw new Error(`schemathesis cannot be run: ${missing.python ?? 'Python is not set up'}`);

const examples = Number(process.env.FUZZ_EXAMPLES ?? EXAMPLES);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const service = await startLiveService();
try {
  const { succeeded, cases } = await runSchemathesis(service, {
    pythonPrograms,
    examples,
    seed,
    onText: (said) => process.stdout.write(said),
  });
  console.log(`${cases} requests, seed ${seed}`);
  if (!succeeded) throw new Error('a check failed; the report above has a curl command for each case');
  if (examples >= EXAMPLES && cases < MIN_CASES)
    throw new Error(
      `only ${cases} requests were made, which is fewer than ${MIN_CASES}; raise FUZZ_EXAMPLES`,
    );
} finally {
  const log = await service.stop();
  if (log !== '') console.error(log);
}
