import type { Segment } from '@contrails/observations/segments';
import type { Command } from 'commander';
import { configure } from '../../configure.ts';
import { example } from '../../flags.ts';
import { print, printJson, table } from '../../output.ts';

export function defineSegments(parent: Command): void {
  const command = parent
    .command('segments')
    .description('find line segments (L2) in an L1 product')
    .argument('<file>', 'L1 product (netCDF), of any detector')
    .option('--json', 'print JSON, as the L2 endpoint returns it')
    .action(async (file: string, { json }: { readonly json?: boolean }) => {
      const { workers } = await configure(command);
      const [{ readL1 }, { findSegments }, { openCompute }] = await Promise.all([
        import('@contrails/observations/l1'),
        import('@contrails/observations/segments'),
        import('@contrails/runtime/compute'),
      ]);
      const product = readL1(file);
      const compute = openCompute({
        threads: workers.threads,
        maxQueue: Number.MAX_SAFE_INTEGER,
        heapMb: workers.heap_mib,
      });
      try {
        const segments = await findSegments(product, { compute });
        if (json) printJson(segments);
        else print(shownSegments(segments));
      } finally {
        await compute.close();
      }
    });
  example(
    command,
    'contrails observe segments l1.nc',
    'contrails observe segments l1.nc --json > segments.json',
  );
}

function shownSegments(segments: readonly Segment[]): string {
  const rows = segments.map((one) => [
    one.id,
    one.scan_time,
    one.confidence.toFixed(2),
    (one.length_m / 1000).toFixed(0),
    one.azimuth_deg.toFixed(0),
    one.wkt,
  ]);
  return table(['id', 'scan time', 'confidence', 'km', 'azimuth', 'line'], rows);
}
