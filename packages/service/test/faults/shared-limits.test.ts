import { describeSharedLimits } from './shared-limits.contract.ts';

describeSharedLimits('two servers on one embedded database', async () => 'embedded');
