import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSource } from '../../src/index.ts';
import { PROVIDERS, registeredSources, type SyncOptions, syncSource } from '../../src/providers/index.ts';
import { type Mirror, startMirror } from '../support/mirror.ts';

const RUN_MS = Date.parse('2026-09-14T00:00Z');
/** The control was in the file of the ensemble. */
const OLD_RUN_MS = Date.parse('2026-03-10T12:00Z');
const MEMBERS = [1, 2, 3];
/** What each member is warmer than the one before [K]. */
const WARMER = 2;
const ecmwf = PROVIDERS.find(({ name }) => name === 'ecmwf') as (typeof PROVIDERS)[number];

let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror({ copy: true });
  for (const step of [0, 3, 6]) {
    writeEnsemble(RUN_MS, step, MEMBERS);
    writeEnsemble(OLD_RUN_MS, step, [0, ...MEMBERS]);
  }
});
afterAll(() => mirror.close());

interface IndexLine {
  readonly _offset: number;
  readonly _length: number;
}

/** A file of the ensemble with its index, made of the forecast of the mirror. */
function writeEnsemble(runMs: number, step: number, members: readonly number[]): void {
  const folder = (stamp: string, stream: string) =>
    join(mirror.tree, 'ecmwf', stamp.slice(0, 8), `${stamp.slice(8)}z/ifs/0p25/${stream}`);
  const from = join(folder('2026091400', 'oper'), `20260914000000-${step}h-oper-fc`);
  const file = readFileSync(`${from}.grib2`);
  const lines = readFileSync(`${from}.index`, 'utf8').trim().split('\n');
  const stamp = new Date(runMs).toISOString().replace(/[-:T]/g, '').slice(0, 10);
  mkdirSync(folder(stamp, 'enfo'), { recursive: true });
  const to = join(folder(stamp, 'enfo'), `${stamp}0000-${step}h-enfo-ef`);
  const index: string[] = [];
  const messages: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    for (const line of lines) {
      const known = JSON.parse(line) as IndexLine;
      const { _offset, _length } = known;
      const message = ofMember(file.subarray(_offset, _offset + _length), member, runMs, step);
      const which = member === 0 ? { type: 'cf' } : { type: 'pf', number: String(member) };
      const at = { _offset: offset, _length: message.length };
      index.push(JSON.stringify({ ...known, stream: 'enfo', ...which, ...at }));
      messages.push(message);
      offset += message.length;
    }
  }
  writeFileSync(`${to}.grib2`, Buffer.concat(messages));
  writeFileSync(`${to}.index`, `${index.join('\n')}\n`);
}

/** The same message as a member of an ensemble; temperatures are higher by its number. */
function ofMember(message: Buffer, member: number, runMs: number, step: number): Buffer {
  const sections = [message.subarray(0, 16)];
  for (let at = 16; at < message.length - 4; at += message.readUInt32BE(at)) {
    sections.push(message.subarray(at, at + message.readUInt32BE(at)));
  }
  const changed = sections.map((bytes, k) => {
    const section = Buffer.from(bytes);
    if (k === 0) return section;
    if (section[4] === 1) writeTime(section, 12, runMs);
    if (section[4] === 4) {
      const isInterval = section.readUInt16BE(7) === 8;
      const longer = Buffer.concat([
        section.subarray(0, 34),
        Buffer.of(3, member, MEMBERS.length),
        section.subarray(34),
      ]);
      longer.writeUInt32BE(longer.length, 0);
      longer.writeUInt16BE(isInterval ? 11 : 1, 7);
      if (isInterval) writeTime(longer, 37, runMs + step * HOUR_MS);
      return longer;
    }
    const isTemperature = sections.some((one, i) => i > 0 && one[4] === 4 && one[9] === 0 && one[10] === 0);
    if (section[4] === 5 && isTemperature) {
      const scale = section.readUInt16BE(17);
      const decimal = scale & 0x8000 ? -(scale & 0x7fff) : scale;
      section.writeFloatBE(section.readFloatBE(11) + WARMER * member * 10 ** decimal, 11);
    }
    return section;
  });
  const whole = Buffer.concat([...changed, Buffer.from('7777')]);
  whole.writeBigUInt64BE(BigInt(whole.length), 8);
  return whole;
}

function writeTime(section: Buffer, at: number, ms: number): void {
  const time = new Date(ms);
  section.writeUInt16BE(time.getUTCFullYear(), at);
  section.set([time.getUTCMonth() + 1, time.getUTCDate(), time.getUTCHours(), 0, 0], at + 2);
}

const sync = (directory: string, options: Partial<SyncOptions>) =>
  syncSource(ecmwf, {
    directory,
    roots: [`${mirror.url}/ecmwf`],
    asOfMs: Date.parse('2026-09-14T13:00Z'),
    hours: 6,
    pauseMs: 1,
    ...options,
  });
const newFolder = () => mkdtempSync(join(tmpdir(), 'sync-'));

/** Temperatures of all members of a run at one point. */
async function temperatures(directory: string, runMs: number): Promise<Record<number, number>> {
  const [registered] = registeredSources(directory);
  if (registered?.member !== 'all') throw new Error('the source does not serve all members');
  const source = await openSource({
    name: 'ecmwf',
    kind: 'grib',
    provider: 'ECMWF',
    dataset: 'IFS',
    product: 'forecast',
    directory: '/',
    paths: registered.paths,
    member: registered.member,
    threads: 1,
  });
  const { members = [] } = await source.describe();
  const found: Record<number, number> = {};
  const timeMs = runMs + 3 * HOUR_MS;
  for (const member of members) {
    const { slabs } = await (source.ofMember?.(member) ?? source).read({
      variables: ['air_temperature'],
      time: [timeMs, timeMs],
      level: [250, 250],
      latitude: [50, 50],
      longitude: [10, 10],
    });
    found[member] = slabs[0]?.[0] ?? Number.NaN;
  }
  await source.close();
  return found;
}

test.each([
  ['the control in its own file', RUN_MS, 2],
  ['the control in the file of the ensemble', OLD_RUN_MS, 1],
])('members of the ensemble and %s are served, the control as member 0', async (_, runMs, filesOfStep) => {
  const directory = newFolder();
  const [result] = await sync(directory, { runMs, members: 2 });
  expect(result).toMatchObject({ state: 'synced', files: 3 * filesOfStep, radiation: 'estimated' });
  const found = await temperatures(directory, runMs);
  expect(Object.keys(found)).toEqual(['0', '1', '2']);
  const control = found[0] as number;
  expect(found[1]).toBeCloseTo(control + WARMER, 3);
  expect(found[2]).toBeCloseTo(control + 2 * WARMER, 3);
});

test('more members of a run are added, and a sync without members leaves them readable', async () => {
  const directory = newFolder();
  await sync(directory, { runMs: RUN_MS });
  expect(registeredSources(directory)[0]?.member).toBeUndefined();
  await mirror.reset();
  await sync(directory, { runMs: RUN_MS, members: 3 });
  const fetched = (await mirror.log()).filter(({ range }) => range !== null);
  expect(fetched.every(({ path }) => path.includes('-enfo-ef'))).toBe(true);
  expect((await sync(directory, { runMs: RUN_MS }))[0]?.state).toBe('up-to-date');
  expect(Object.keys(await temperatures(directory, RUN_MS))).toEqual(['0', '1', '2', '3']);
});

test('fewer members than are asked for are an error that says how many there are', async () => {
  await expect(sync(newFolder(), { runMs: RUN_MS, members: 5 })).rejects.toThrow(
    /^step \d h of ecmwf has 3 of 5 members; use --members 3$/,
  );
});
