import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { MINUTE_MS } from '../../src/index.ts';
import { explainTime, INSTANT, parseTimeMs, time } from '../../src/options/time.ts';

const at = (iso: string) => Date.parse(iso);

describe('texts', () => {
  test.each([
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2024-02-29T06', '2024-02-29T06:00:00Z'],
    ['2024-02-29 06', '2024-02-29T06:00:00Z'],
    ['2024-02-29T06:30', '2024-02-29T06:30:00Z'],
    ['2024-02-29t06:30z', '2024-02-29T06:30:00Z'],
    ['2024-02-29 06:30:15', '2024-02-29T06:30:15Z'],
    ['2024-02-29T06Z', '2024-02-29T06:00:00Z'],
    ['2024-02-29T06:30:15.1', '2024-02-29T06:30:15.100Z'],
    ['2024-02-29T06:30:15.123456789Z', '2024-02-29T06:30:15.123Z'],
    ['2024-02-29T23:59:59.999999999', '2024-02-29T23:59:59.999Z'],
    ['2024-02-29T06:30:00+02:00', '2024-02-29T04:30:00Z'],
    ['2024-02-29T06:30:00+0200', '2024-02-29T04:30:00Z'],
    ['2024-02-29T06:30:00-05', '2024-02-29T11:30:00Z'],
    ['2024-02-29T06-05:30', '2024-02-29T11:30:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['0099-12-31', '0099-12-31T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s is read as the time %s', (text, iso) => {
    expect(parseTimeMs(text)).toBe(at(iso));
  });

  test.each([
    ['2024-02-29T06:30:00 02:00', '2024-02-29T06:30:00+02:00'],
    ['2024-02-29T06 02:00', '2024-02-29T06:00:00+02:00'],
    ['2024-02-29 06:30:00.5 0530', '2024-02-29T06:30:00.500+05:30'],
  ])('%s: a plus that the query decoded to a blank is a zone', (text, iso) => {
    expect(parseTimeMs(text)).toBe(at(iso));
  });

  test('without a zone the machine’s zone plays no part', () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Asia/Kathmandu';
    try {
      expect(parseTimeMs('2024-02-29T06')).toBe(at('2024-02-29T06:00:00Z'));
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test('every instant Date can write is read back', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }),
        (date) => {
          expect(parseTimeMs(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  test('any offset shifts the instant by itself', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2100-01-01') }),
        fc.integer({ min: -23 * 60, max: 23 * 60 }),
        (date, minutes) => {
          const local = new Date(date.getTime() + minutes * MINUTE_MS).toISOString().slice(0, -1);
          const hhmm = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) =>
            String(n).padStart(2, '0'),
          );
          const zone = `${minutes < 0 ? '-' : '+'}${hhmm.join(':')}`;
          expect(parseTimeMs(local + zone)).toBe(date.getTime());
        },
      ),
    );
  });
});

describe('numbers', () => {
  const instant = 1_709_188_215_123;

  test.each([
    ['1709188215', 1_709_188_215_000],
    ['1709188215.123', instant],
    ['1.709188215e9', 1_709_188_215_000],
    ['1709188215123', instant],
    ['1709188215123456', instant],
    ['1709188215123456789', instant],
    ['1709188215123999999', instant],
    ['+1709188215', 1_709_188_215_000],
    ['-1', -1000],
    ['-1709188215123456789', -instant - 1],
    ['0', 0],
    ['2024', 2_024_000],
    ['20000000000', 20_000_000_000_000],
    ['20000000001', 20_000_000_001],
    ['00000000000001709188215', 1_709_188_215_000],
  ])('%s is read as a time in seconds or smaller units', (text, ms) => {
    expect(parseTimeMs(text)).toBe(ms);
  });

  test('a number is the same as its text', () => {
    fc.assert(
      fc.property(fc.double({ min: -9e15, max: 9e15, noNaN: true }), (value) => {
        expect(parseTimeMs(value)).toBe(parseTimeMs(String(value)));
      }),
    );
  });

  test('nanoseconds lose nothing down to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10_000_000_000_000, max: 15_000_000_000_000 }),
        fc.integer({ min: 0, max: 999_999 }),
        (ms, rest) => {
          expect(parseTimeMs(String(BigInt(ms) * 1_000_000n + BigInt(rest)))).toBe(ms);
        },
      ),
    );
  });
});

describe('what is not a time', () => {
  test.each([
    ['2024-02-30', '2024-02 has days 01 to 29'],
    ['2023-02-29', '2023-02 has days 01 to 28'],
    ['2024-04-31', '2024-04 has days 01 to 30'],
    ['2024-13-01', 'months go from 01 to 12'],
    ['2024-00-01', 'months go from 01 to 12'],
    ['0000-01-01', 'years go from 0001 to 9999'],
    ['2024-01-01T24:00:00', 'hours go from 00 to 23'],
    ['2024-01-01T23:60', 'minutes go from 00 to 59'],
    ['2016-12-31T23:59:60Z', 'leap seconds are not accepted'],
    ['2016-12-31T23:59:61Z', 'seconds go from 00 to 59'],
  ])('%s: %s', (text, words) => {
    expect(parseTimeMs(text)).toBeNaN();
    expect(explainTime('time', text)).toContain(`time ${text} is not a time: ${words}`);
  });

  test.each([
    '',
    ' ',
    'now',
    '2024-01',
    '2024-1-1',
    '20240101T00',
    '2024-01-01T',
    '2024-01-01 ',
    '2024-01-01Z',
    '2024-01-01T0',
    '2024-01-01T00:0',
    '2024-01-01T00:00:00.',
    '2024-01-01T00:00:00.1234567890',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+1:00',
    '2024-01-01T00:00:00+01:60',
    '2024-01-01T00:00:00ZZ',
    '2024-01-01T00:00:00 UTC',
    '2024-01-01T00:00Z00',
    '２０２４-01-01',
    '2024-01-01T00:00:00Z\u0000',
    'NaN',
    'Infinity',
    '0x10',
    '1e400',
    '99999999999999999999999',
    '../../etc/passwd',
  ])('%j is not a time', (text) => {
    expect(parseTimeMs(text)).toBeNaN();
  });

  test('a text of 100 kB is refused', () => {
    expect(parseTimeMs('1'.repeat(100_000))).toBeNaN();
    expect(explainTime('time', '1'.repeat(100_000)).length).toBeLessThan(300);
  });

  test('any text is a time or refused with an explanation', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const read = time().read('time', text);
        if ('errors' in read) expect(read.errors[0]?.msg).toMatch(/^time .+/);
        else expect(Number.isInteger(read.value)).toBe(true);
      }),
    );
  });

  test.each([[null], [true], [[]], [{}], [undefined]])(
    '%j, which is neither text nor number, is not a time',
    (value) => {
      expect(parseTimeMs(value)).toBeNaN();
      expect(explainTime('time', value)).toContain('is not a time');
    },
  );
});

describe('the described pattern', () => {
  const pattern = new RegExp(INSTANT.pattern);
  const number = (maximum: number) => fc.integer({ min: 0, max: maximum });
  const two = (value: number) => String(value).padStart(2, '0');
  const written = fc
    .tuple(
      number(9999),
      number(13),
      number(32),
      number(24),
      number(60),
      fc.constantFrom('', 'Z', '+0130', '-23'),
    )
    .chain(([year, month, day, hour, minute, zone]) => {
      const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      return fc.constantFrom(
        date,
        `${date}T${two(hour)}${zone}`,
        `${date} ${two(hour)}:${two(minute)}${zone}`,
      );
    });

  test('accepts exactly the dates that are read', () => {
    fc.assert(
      fc.property(written, (text) => pattern.test(text) === !Number.isNaN(parseTimeMs(text))),
      { numRuns: times(4000) },
    );
  });

  test.each([
    '1900-02-29',
    '2000-02-29',
    '2023-02-29',
    '2024-02-29',
    '0000-02-29',
    '0004-02-29',
    '2024-04-31',
  ])('knows the calendar: %s', (text) => {
    expect(pattern.test(text)).toBe(!Number.isNaN(parseTimeMs(text)));
  });

  test('gives the largest numbers that are read', () => {
    for (const limit of [INSTANT.minimum, INSTANT.maximum]) {
      expect(parseTimeMs(limit)).not.toBeNaN();
      expect(parseTimeMs(limit * 1.001)).toBeNaN();
    }
  });
});
