import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { missingOfVulkan } from '../../src/gpu/vulkan.ts';

const folder = mkdtempSync(join(tmpdir(), 'contrails-vulkan-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'libvulkan.so.1'), '');
mkdirSync(join(folder, 'vulkan/icd.d'), { recursive: true });
writeFileSync(join(folder, 'vulkan/icd.d/one.json'), '{}');

test('a library and a driver are enough', () => {
  expect(missingOfVulkan({ LD_LIBRARY_PATH: folder, XDG_DATA_DIRS: folder }, 'linux')).toBeUndefined();
  expect(
    missingOfVulkan({ LD_LIBRARY_PATH: folder, VK_ICD_FILENAMES: '/one.json' }, 'linux'),
  ).toBeUndefined();
});

test('other systems have something else', () => {
  expect(missingOfVulkan({}, 'darwin')).toBeUndefined();
  expect(missingOfVulkan({}, 'win32')).toBeUndefined();
});
