import { dirname, posix } from 'node:path';
import type { SourceFile } from './layers.ts';

/** Imports of the modules of one package: path → paths, relative to its `src`. Type-only imports count. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

const RELATIVE_IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\bnew URL\(\s*)['"](\.[^'"]+)['"]/g;

export function importGraph(name: string, files: readonly SourceFile[]): ImportGraph {
  const source = `packages/${name}/src/`;
  const own = files.filter(({ path }) => path.startsWith(source));
  return new Map(
    own.map(({ path, text }) => {
      const file = path.slice(source.length);
      const imported = [...text.matchAll(RELATIVE_IMPORT)].map(([, specifier = '']) =>
        posix.join(dirname(file), specifier),
      );
      return [file, new Set(imported.filter((target) => target !== file && !target.startsWith('..')))];
    }),
  );
}

/** The same graph between rooms: the folders of `src`. Each module outside a folder is its own room. */
export function roomGraph(graph: ImportGraph): ImportGraph {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imported] of graph) {
    const room = rooms.get(roomOf(file)) ?? new Set();
    rooms.set(roomOf(file), room);
    for (const target of imported) if (roomOf(target) !== roomOf(file)) room.add(roomOf(target));
  }
  return rooms;
}

function roomOf(file: string): string {
  return file.split('/')[0]?.replace(/\.tsx?$/, '') ?? file;
}

/** Groups of nodes that import one another in a cycle (Tarjan's strongly connected components). */
export function cycles(graph: ImportGraph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) found.push(group.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** Rooms from top to bottom; a room is one line above the highest room that it imports. */
export function floors(graph: ImportGraph): string[][] {
  const heights = new Map<string, number>();
  const heightOf = (node: string, path: readonly string[] = []): number => {
    const known = heights.get(node);
    if (known !== undefined) return known;
    const below = [...(graph.get(node) ?? [])].filter((next) => graph.has(next) && !path.includes(next));
    const height = Math.max(0, ...below.map((next) => 1 + heightOf(next, [...path, node])));
    heights.set(node, height);
    return height;
  };
  const lines: string[][] = [];
  for (const node of [...graph.keys()].sort()) {
    const height = heightOf(node);
    lines[height] = [...(lines[height] ?? []), node];
  }
  return lines.reverse();
}
