import {
  allowedValues,
  dotted,
  isConfidential,
  type SchemaNode,
  schemaKeys,
  variableName,
} from './schema-node.ts';

/** The reference page of the configuration, in Markdown, generated from its schema. */
export function configurationReference(schema: SchemaNode): string {
  const sections = Object.entries(schema.properties ?? {}).filter(
    ([, node]) => node.properties !== undefined,
  );
  const top = Object.entries(schema.properties ?? {}).filter(([, node]) => node.properties === undefined);
  return [
    INTRODUCTION,
    '## Data and database',
    table(top.map(([name, node]) => ({ path: [name], node }))),
    ...sections.flatMap(([name, node]) => [
      `## \`${name}\``,
      `${node.description ?? ''}`,
      table(schemaKeys(node, [name])),
      ...entryTables(node, name),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

const INTRODUCTION = `# Configuration

<!-- Generated from packages/platform/src/config/schema.ts; update it with \`npx vitest run packages/service/test/config -u\`. -->

The program reads \`contrails.yaml\` in the working directory, or the file that \`--config\` or \`CONTRAILS_CONFIG\` names.
Every key has a default, so you can run without a file. Environment variables override the file, and command-line flags
override both. If a key or variable does not exist, or a value is not allowed, the program stops with an error that gives the
line and the allowed values.

\`\`\`yaml
data: ./data
database: embedded
server: { host: 127.0.0.1, port: 8080 }
workers: { threads: auto }
met:
  sources:
    - { name: era5, kind: netcdf, paths: [met/era5-*.nc], provider: ECMWF, dataset: ERA5, product: reanalysis }
\`\`\`

- **Variables.** The variable of \`server.port\` is \`CONTRAILS_SERVER__PORT\`: the path in capitals, joined by two underscores.
  Write lists as \`a,b\`, JSON or YAML, and whole sections as JSON or YAML. An empty variable counts as not set.
- **Secrets** (marked 🔒) are rejected in the file. Set them in the environment, or store them in a file and put its path
  into the variable with \`_FILE\` appended (\`CONTRAILS_DATABASE_FILE=/run/secrets/database\`). They never appear in logs, errors or the
  output of \`contrails doctor\`.
- **Paths** in the file are relative to the directory of the file, paths in variables and flags to the working directory.`;

/** Lists whose entries are sections have a table of their keys; those have no variables. */
function entryTables(section: SchemaNode, name: string): string[] {
  return Object.entries(section.properties ?? {}).flatMap(([key, { items }]) =>
    items?.properties === undefined
      ? []
      : [
          `Keys of each entry of \`${name}.${key}\`:`,
          rows(
            ['Key', 'Default', 'Allowed', 'Meaning'],
            Object.entries(items.properties).map(([entry, node]) => [
              `\`${entry}\``,
              shownDefault(node),
              allowedValues(node),
              node.description ?? '',
            ]),
          ),
        ],
  );
}

function shownDefault(node: SchemaNode): string {
  return node.default === undefined ? '—' : `\`${JSON.stringify(node.default).replace(/^"|"$/g, '')}\``;
}

function table(keys: readonly { path: readonly string[]; node: SchemaNode }[]): string {
  const cells = keys.map(({ path, node }) => {
    const variable = variableName(path);
    return [
      `\`${dotted(path)}\`${node.secret ? ' 🔒' : ''}`,
      shownDefault(node),
      node.secret ? 'a text' : allowedValues(node),
      `\`${variable}\`${isConfidential(node) ? `, \`${variable}_FILE\`` : ''}`,
      node.description ?? '',
    ];
  });
  return rows(['Key', 'Default', 'Allowed', 'Variable', 'Meaning'], cells);
}

function rows(head: readonly string[], cells: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...cells]
    .map((row) => `| ${row.map(escapeCell).join(' | ')} |`)
    .join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
