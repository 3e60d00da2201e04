type Json = Record<string, unknown>;

interface Operation {
  readonly operationId?: string;
  parameters?: unknown[];
  readonly responses: Readonly<Record<string, { headers?: Json }>>;
}

interface Use {
  readonly name: string;
  /** The operation that has it first. */
  readonly operationId: string;
  readonly replace: (reference: Json) => void;
}

/**
 * Moves parameters and headers that several operations have to `components`, under their name; a second one of that name also has
 * that of the first operation that uses it.
 */
export function shareParts(
  operations: readonly Operation[],
  responses: Readonly<Record<string, { headers?: Json }>>,
): { parameters: Json; headers: Json } {
  const parameters = new Parts('parameters');
  const headers = new Parts('headers');
  const addHeaders = (operationId: string, response: { headers?: Json }) => {
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      const replace = (reference: Json) => {
        response.headers = { ...response.headers, [name]: reference };
      };
      headers.add(header as Json, { name, operationId, replace });
    }
  };
  for (const operation of operations) {
    const { operationId = '' } = operation;
    operation.parameters?.forEach((parameter, index, list) => {
      const { name } = parameter as { name: string };
      const replace = (reference: Json) => {
        list[index] = reference;
      };
      parameters.add(parameter as Json, { name, operationId, replace });
    });
    for (const response of Object.values(operation.responses)) addHeaders(operationId, response);
  }
  for (const [name, response] of Object.entries(responses)) addHeaders(name, response);
  return { parameters: parameters.share(), headers: headers.share() };
}

class Parts {
  readonly #kind: string;
  readonly #uses = new Map<string, { readonly part: Json; readonly uses: Use[] }>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(part: Json, use: Use): void {
    if ('$ref' in part) return;
    const key = JSON.stringify([use.name, part]);
    const known = this.#uses.get(key);
    if (known === undefined) this.#uses.set(key, { part, uses: [use] });
    else known.uses.push(use);
  }

  /** The components, to which all uses refer from now on. */
  share(): Json {
    const components: Json = {};
    const often = [...this.#uses.values()].filter(({ uses }) => uses.length > 1);
    for (const { part, uses } of often.sort((a, b) => b.uses.length - a.uses.length)) {
      const { name, operationId } = uses[0] as Use;
      const key = name in components ? `${name}.${operationId}` : name;
      components[key] = part;
      for (const { replace } of uses) replace({ $ref: `#/components/${this.#kind}/${key}` });
    }
    return components;
  }
}
