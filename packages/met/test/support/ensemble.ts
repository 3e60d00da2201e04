/** Files of the ensemble of ECMWF, which the mirror lacks. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';

/** What each member is warmer than the one before [K]. */
export const WARMER_K = 2;
/** Members of the whole ensemble. */
const SIZE = 3;

interface IndexLine {
  readonly _offset: number;
  readonly _length: number;
}

/** Adds a file of the ensemble with its index to the tree of a mirror, made of the forecast there; member 0 is the control. */
export function writeEnsemble(tree: string, runMs: number, step: number, members: readonly number[]): void {
  const folder = (stamp: string, stream: string) =>
    join(tree, 'ecmwf', stamp.slice(0, 8), `${stamp.slice(8)}z/ifs/0p25/${stream}`);
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
        Buffer.of(3, member, SIZE),
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
      section.writeFloatBE(section.readFloatBE(11) + WARMER_K * member * 10 ** decimal, 11);
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
