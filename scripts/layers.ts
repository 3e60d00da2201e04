import { dirname, join, relative, sep } from 'node:path';

/** The packages from top to bottom; packages on one line may not import one another. */
const LAYERS: readonly (readonly string[])[] = [
  ['web', 'manual'],
  ['cli'],
  ['service'],
  ['platform', 'engine'],
  ['client', 'testbed'],
  ['flights', 'observations'],
  ['met'],
  ['formats'],
  ['runtime'],
  ['physics'],
];

export interface SourceFile {
  /** Relative to the repository, e.g. `packages/service/src/index.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface PackageManifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\bnew URL\(\s*)['"]([^'"]+)['"]/g;
const SCOPE = '@contrails/';

/** One sentence for each import that goes up, sideways, out of its package, to another family, or to an undeclared dependency. */
export function findViolations(
  root: string,
  files: readonly SourceFile[],
  manifests: Readonly<Record<string, PackageManifest>>,
): string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(IMPORT)].flatMap(([, specifier]) => {
      const violation = specifier && violationOf(root, file.path, specifier, manifests);
      return violation ? [`${file.path}: ${violation}`] : [];
    }),
  );
}

function violationOf(
  root: string,
  path: string,
  specifier: string,
  manifests: Readonly<Record<string, PackageManifest>>,
): string | undefined {
  const from = path.split('/')[1] ?? '';
  if (specifier.startsWith('.')) {
    const target = relative(root, join(root, dirname(path), specifier));
    if (!target.startsWith(join('packages', from) + sep))
      return `imports ${specifier} from outside its package`;
    const [own, other] = [familyOf(path), familyOf(target)];
    return own === undefined || other === undefined || own === other
      ? undefined
      : `imports ${specifier} from the family beside it; put what both need into a room below the families`;
  }
  if (specifier.startsWith('node:')) {
    return from === 'physics' || from === 'web' || from === 'client'
      ? `imports ${specifier}, but ${from} uses no Node API`
      : undefined;
  }
  if (!/^(@[\w.-]+\/)?[\w.-]+/.test(specifier) || specifier.includes(':')) return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const manifest = manifests[from] ?? {};
  const declared = {
    ...manifest.dependencies,
    ...(from === 'web' || from === 'manual' ? manifest.devDependencies : {}),
  };
  if (!(name in declared)) return `imports ${name}, which ${SCOPE}${from} does not declare as a dependency`;
  if (name.startsWith(SCOPE) && layerOf(name.slice(SCOPE.length)) <= layerOf(from)) {
    return `imports ${name}, which is not a layer below ${SCOPE}${from}`;
  }
  return undefined;
}

/** The family whose folder holds a file. */
function familyOf(path: string): string | undefined {
  return /^packages\/service\/src\/families\/([^/]+)\//.exec(path.replaceAll(sep, '/'))?.[1];
}

function layerOf(name: string): number {
  const layer = LAYERS.findIndex((names) => names.includes(name));
  if (layer < 0) throw new Error(`package ${name} has no layer: add it to LAYERS in scripts/layers.ts`);
  return layer;
}
