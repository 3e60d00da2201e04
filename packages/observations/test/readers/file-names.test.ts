import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupFrames, parseFileName } from '../../src/readers/index.ts';

const TIME = Date.UTC(2024, 2, 7, 15);
const abi = (product: string, band: string, satellite = 'G16', start = '20240671500204') =>
  `OR_ABI-${product}-M6${band}_${satellite}_s${start}_e20240671509512_c20240671509581.nc`;
const ahi = (band: number, segment: number) =>
  `HS_H09_20240307_1500_B${band}_FLDK_R20_S${String(segment).padStart(2, '0')}10.DAT.bz2`;
const fci = (chunk: number, subset = 'BODY---NC4E_C_EUMT') =>
  `W_XX-EUMETSAT-Darmstadt,IMG+SAT,MTI1+FCI-1C-RRAD-FDHSI-FD--CHK-${subset}_20240307150845_IDPFI_OPE_20240307150807_20240307150824_N__O_0091_${String(chunk).padStart(4, '0')}.nc`;

describe('parseFileName', () => {
  test('reads the names of ABI files', () => {
    expect(parseFileName(`/archive/${abi('L2-CMIPF', 'C14')}`)).toEqual({
      name: abi('L2-CMIPF', 'C14'),
      instrument: 'ABI',
      product: 'CMIPF',
      platform: 'G16',
      satellite: 'goes-east',
      time: TIME,
      role: 'T11',
    });
    expect(parseFileName(abi('L1b-RadF', 'C15', 'G18'))).toMatchObject({
      role: 'T12',
      satellite: 'goes-west',
    });
    expect(parseFileName(abi('L2-MCMIPF', ''))).not.toHaveProperty('role');
  });

  test('a scan that starts within ten minutes of a mark belongs to it', () => {
    expect(parseFileName(abi('L2-CMIPF', 'C14', 'G16', '20240671509599'))?.time).toBe(TIME);
    expect(parseFileName(abi('L2-CMIPF', 'C14', 'G16', '20240671510000'))?.time).toBe(TIME + 600_000);
  });

  test('GOES-19 replaces GOES-16 in the east on 4 April 2025 at 15:00', () => {
    const before = '20250941459599';
    const after = '20250941500000';
    expect(parseFileName(abi('L2-CMIPF', 'C14', 'G16', before))?.satellite).toBe('goes-east');
    expect(parseFileName(abi('L2-CMIPF', 'C14', 'G19', before))?.satellite).toBeUndefined();
    expect(parseFileName(abi('L2-CMIPF', 'C14', 'G16', after))?.satellite).toBeUndefined();
    expect(parseFileName(abi('L2-CMIPF', 'C14', 'G19', after))?.satellite).toBe('goes-east');
  });

  test('reads the names of AHI segments and FCI chunks', () => {
    expect(parseFileName(ahi(14, 3))).toMatchObject({
      instrument: 'AHI',
      satellite: 'himawari',
      time: TIME,
      role: 'T11',
      part: 3,
    });
    const chunk = { instrument: 'FCI', satellite: 'mtg-0', time: TIME, part: 33 };
    expect(parseFileName(fci(33))).toMatchObject(chunk);
    expect(parseFileName(fci(33, 'BODY--DIS-NC4E_C_EUMT').replace('_N__O_', '_N_JLS_O_'))).toMatchObject(
      chunk,
    );
  });

  test('leaves out bands that are not used, other products and other files', () => {
    for (const name of [
      abi('L2-CMIPF', 'C07'),
      abi('L2-CMIPC', 'C14'),
      abi('L2-MCMIPF', 'C14'),
      abi('L2-CMIPF', ''),
      abi('L2-CMIPF', 'C14', 'G16', '20249991500204'),
      ahi(3, 1),
      fci(41, 'TRAIL---NC4E_C_EUMT'),
      'frame_00.nc',
      '',
    ]) {
      expect([name, parseFileName(name)]).toEqual([name, undefined]);
    }
  });

  test('does not fail on any text', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(parseFileName(name)).toBeUndefined();
      }),
    );
  });
});

describe('groupFrames', () => {
  test('one frame of two bands, complete with both', () => {
    const paths = [abi('L2-CMIPF', 'C15'), abi('L2-CMIPF', 'C14')];
    expect(groupFrames([...paths, 'other.txt'])).toEqual([
      { satellite: 'goes-east', time: TIME, paths: paths.toSorted(), isComplete: true },
    ]);
    expect(groupFrames(paths.slice(1))[0]?.isComplete).toBe(false);
  });

  test('of several products of a frame, the complete one in fewest files is taken', () => {
    const bands = [abi('L2-CMIPF', 'C14'), abi('L2-CMIPF', 'C15')];
    const radiances = [abi('L1b-RadF', 'C14'), abi('L1b-RadF', 'C15')];
    const all = abi('L2-MCMIPF', '');
    expect(groupFrames([...radiances, ...bands, all])[0]?.paths).toEqual([all]);
    expect(groupFrames([...radiances, ...bands])[0]?.paths).toEqual(bands);
    expect(groupFrames([...radiances, ...bands.slice(1)])[0]?.paths).toEqual(radiances);
  });

  test('frames of segments and chunks are complete with all of them, in any order', () => {
    const segments = [14, 15].flatMap((band) => Array.from({ length: 10 }, (_, i) => ahi(band, i + 1)));
    const chunks = Array.from({ length: 40 }, (_, i) => fci(i + 1));
    fc.assert(
      fc.property(fc.shuffledSubarray([...segments, ...chunks], { minLength: 60 }), (paths) => {
        expect(groupFrames(paths).map(({ satellite, isComplete }) => [satellite, isComplete])).toEqual([
          ['himawari', true],
          ['mtg-0', true],
        ]);
      }),
      { numRuns: 10 },
    );
    expect(groupFrames(segments.slice(1))[0]?.isComplete).toBe(false);
    expect(groupFrames(chunks.slice(1))[0]?.isComplete).toBe(false);
  });
});
