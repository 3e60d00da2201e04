import { expect, test } from 'vitest';
import { cycles, floors, importGraph, roomGraph } from '../import-graph.ts';

const file = (path: string, ...imported: string[]) => ({
  path: `packages/p/src/${path}`,
  text: imported.map((specifier) => `import type { X } from '${specifier}';`).join('\n'),
});

test('a circle of type-only imports is found', () => {
  const graph = importGraph('p', [file('a.ts', './b.ts'), file('b.ts', './c.ts'), file('c.ts', './a.ts')]);
  expect(cycles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
});

test('rooms that import one another are found although no module does', () => {
  const graph = importGraph('p', [
    file('x/a.ts', '../y/b.ts'),
    file('y/b.ts'),
    file('y/c.ts', '../x/d.ts'),
    file('x/d.ts'),
  ]);
  expect(cycles(graph)).toEqual([]);
  expect(cycles(roomGraph(graph))).toEqual([['x', 'y']]);
});

test('a room is above all that it imports', () => {
  const graph = importGraph('p', [
    file('top.ts', './middle/m.ts', './low.ts'),
    file('middle/m.ts', '../low.ts'),
    file('low.ts'),
  ]);
  expect(floors(roomGraph(graph))).toEqual([['top'], ['middle'], ['low']]);
});

test('modules that threads load by address count as imported', () => {
  const text = "new URL('./kernel.ts', import.meta.url)";
  const graph = importGraph('p', [{ path: 'packages/p/src/a.ts', text }, file('kernel.ts', './a.ts')]);
  expect(cycles(graph)).toEqual([['a.ts', 'kernel.ts']]);
});
