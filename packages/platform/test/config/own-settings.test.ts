import { expect, test } from 'vitest';
import { requireOwnSettings } from '../../src/config/own-settings.ts';

interface Setting {
  readonly path?: string;
  readonly url?: string;
  readonly interval?: string;
}

const RULES = {
  own: { folder: ['path'], poll: ['url', 'interval'] },
  withoutDefault: ['path', 'url'],
} as const;
const check = (setting: Setting, kind: 'folder' | 'poll') => () =>
  requireOwnSettings(setting, kind, 'telemetry.sources[0]', RULES);

test('a source has the settings of its kind; those with a default may be left out', () => {
  expect(check({ path: '/data' }, 'folder')).not.toThrow();
  expect(check({ url: 'http://receiver' }, 'poll')).not.toThrow();
});

test('a setting that is missing, or belongs to another kind, is named with the remedy', () => {
  expect(check({}, 'folder')).toThrow(
    'telemetry.sources[0].path is missing; a source of kind folder needs it',
  );
  expect(check({ path: '/data', interval: '5s' }, 'folder')).toThrow(
    'telemetry.sources[0].interval is set, but a source of kind folder has none; remove it',
  );
});
