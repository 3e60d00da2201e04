import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import preact from '@preact/preset-vite';
import { defineConfig, type Plugin } from 'vite';
import { airportRows } from './build/airports.ts';
import { basemapOf } from './build/basemap.ts';
import { countryNamesOf } from './build/country-names.ts';
import { placesOf } from './build/places.ts';

const require = createRequire(import.meta.url);
const read = (path: string) => readFileSync(path, 'utf8');

/** Data that the app fetches from its own server when it needs them. */
function dataFiles(): Plugin {
  return {
    name: 'contrails-data',
    generateBundle() {
      const emit = (fileName: string, data: object) =>
        this.emitFile({ type: 'asset', fileName, source: JSON.stringify(data) });
      for (const [name, scale] of [
        ['coarse', '110m'],
        ['fine', '50m'],
      ]) {
        const atlas = JSON.parse(read(require.resolve(`world-atlas/countries-${scale}.json`)));
        emit(`data/basemap-${name}.json`, basemapOf(atlas));
      }
      const fine = JSON.parse(read(require.resolve('world-atlas/countries-50m.json')));
      emit('data/basemap-names.json', countryNamesOf(fine));
      const airports = read(fileURLToPath(new URL('../flights/data/airports.csv', import.meta.url)));
      emit('data/airports.json', airportRows(airports));
      emit('data/places.json', placesOf(airports));
    },
  };
}

export default defineConfig({
  plugins: [preact(), dataFiles()],
  base: './',
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The map is one chunk that is loaded when the page stands.
    chunkSizeWarningLimit: 1500,
  },
});
