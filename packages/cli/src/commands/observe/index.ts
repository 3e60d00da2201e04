import type { Command } from 'commander';
import { example } from '../../flags.ts';
import { defineAttribute } from './attribute.ts';
import { defineDetect } from './detect.ts';
import { defineFetch } from './fetch.ts';
import { defineRender } from './render.ts';
import { defineScore } from './score.ts';
import { defineSegments } from './segments.ts';
import { defineVerify } from './verify.ts';

export function defineObserve(program: Command): void {
  const observe = program
    .command('observe')
    .description('contrails in the imagery of geostationary satellites');
  example(
    observe,
    'contrails observe detect frame.nc -o l1.nc',
    'contrails observe segments l1.nc --json > segments.json',
    'contrails observe attribute --segments segments.json --flights flights.json --met winds.nc --json',
    'contrails observe render frame.nc --l1 l1.nc --segments segments.json -o frame.png',
  );
  defineFetch(observe);
  defineDetect(observe);
  defineSegments(observe);
  defineAttribute(observe);
  defineScore(observe);
  defineRender(observe);
  defineVerify(observe);
}
