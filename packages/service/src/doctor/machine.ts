import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { DeviceChoice } from '@contrails/engine/gpu/device';
import { type Finding, GIB, MIB, shownBytes } from '@contrails/platform/finding';
import { memoryLimitBytes } from '@contrails/platform/memory-limit';

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18)
    ? { check: 'node', state: 'ok', message: `Node ${version}` }
    : {
        check: 'node',
        state: 'fail',
        message: `Node ${version} is too old`,
        remedy: 'install Node 22.18 or later, or run "npm run setup" in the checkout',
      };
}

export function checkMemory(
  limitBytes = memoryLimitBytes(),
  availableBytes = process.availableMemory(),
): Finding {
  const message = `${shownBytes(availableBytes)} free of ${shownBytes(limitBytes)}`;
  if (availableBytes < 128 * MIB) {
    return {
      check: 'memory',
      state: 'fail',
      message,
      remedy: 'stop other programs or raise the memory limit',
    };
  }
  return limitBytes < GIB
    ? { check: 'memory', state: 'warn', message, remedy: 'give the service at least 1 GiB' }
    : { check: 'memory', state: 'ok', message };
}

export function checkThreads(threads: number | 'auto', processors = availableParallelism()): Finding {
  const message =
    threads === 'auto'
      ? `one for each of ${processors} processors`
      : `${threads} on ${processors} processors`;
  return threads !== 'auto' && threads > processors
    ? {
        check: 'threads',
        state: 'warn',
        message,
        remedy: `set workers.threads to auto or at most ${processors}`,
      }
    : { check: 'threads', state: 'ok', message };
}

/** Which devices compute grids, and what they reach. */
export async function checkDevice(
  wanted: DeviceChoice,
  adapters?: readonly string[] | undefined,
): Promise<Finding> {
  const check = 'device';
  if (wanted === 'cpu') return { check, state: 'ok', message: 'the CPU computes grids (compute.device)' };
  const { findGpus } = await import('@contrails/engine/gpu/adapters');
  const { measureGpu } = await import('@contrails/engine/gpu/measure');
  const { gpus, reasons } = await findGpus(wanted, adapters);
  const found: string[] = [];
  for (const { device, name } of gpus) {
    const { bytesPerS, pairsPerS } = await measureGpu(device);
    device.destroy();
    found.push(
      `the GPU ${name} computes contrail grids (it copies ${shownBytes(bytesPerS)}/s and computes ${pairsPerS.toExponential(1)} exponentials and logarithms per second)`,
    );
  }
  const remedy = 'see docs/gpu.md, or set compute.device to auto and leave compute.gpu_adapters out';
  if (gpus.length > 0) {
    const message = [...found, ...reasons].join('; ');
    return reasons.length === 0
      ? { check, state: 'ok', message }
      : { check, state: 'warn', message, remedy: 'see docs/gpu.md' };
  }
  const message = `the CPU computes grids: ${reasons.join('; ')}`;
  return wanted === 'auto' && adapters === undefined
    ? { check, state: 'ok', message }
    : { check, state: 'warn', message, remedy };
}

export function checkOpenFiles(limit = openFileLimit()): Finding {
  if (limit === undefined) return { check: 'open files', state: 'ok', message: 'no limit is known' };
  const message = `${limit} at most`;
  return limit < 4096
    ? {
        check: 'open files',
        state: limit < 256 ? 'fail' : 'warn',
        message,
        remedy: 'raise the limit: ulimit -n 65536',
      }
    : { check: 'open files', state: 'ok', message };
}

function openFileLimit(): number | undefined {
  // The network part of the report looks up names, which may take long; Node's types do not know the switch yet.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

export async function checkDisk(directory: string): Promise<Finding> {
  const { bavail, bsize, blocks, ffree, files } = await statfsOfNearest(directory);
  const free = bavail * bsize;
  const message = `${shownBytes(free)} free of ${shownBytes(blocks * bsize)} for ${directory}`;
  // Some file systems have no fixed number of files and report none.
  if (free < 100 * MIB || (files > 0 && ffree === 0)) {
    return { check: 'disk', state: 'fail', message, remedy: 'free some space or move data to another disk' };
  }
  return free < GIB
    ? { check: 'disk', state: 'warn', message, remedy: 'free some space before products fill the disk' }
    : { check: 'disk', state: 'ok', message };
}

async function statfsOfNearest(directory: string): Promise<StatsFs> {
  try {
    return await statfs(directory);
  } catch (error) {
    const parent = dirname(directory);
    if (parent === directory) throw error;
    return statfsOfNearest(parent);
  }
}
