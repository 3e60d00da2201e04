import { isRecord } from '@contrails/runtime/is-record';
import { acceptedNumber, type NumberRule } from '@contrails/runtime/options/number';
import { ErrorList } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import Schema from 'typebox/schema';

type Loc = readonly (string | number)[];

/** The words of JSON Schema that bodies are described with. */
interface Node extends Pick<NumberRule, 'minimum' | 'maximum' | 'exclusiveMinimum'> {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  /** Our own word: what a pattern accepts, for people. */
  readonly accepted?: string;
}

/**
 * Reads a JSON body by its schema: the declared keys alone, or every error in them. A declared key that may be left out
 * may also be null, as clients in Python send it.
 */
export function bodyReader(schema: object): (body: unknown) => unknown {
  const rule = compile(schema as Node);
  return (body) => {
    const known = rule.properties === undefined ? body : pick(rule, body);
    if (rule.check(known)) return known;
    const errors = new ErrorList();
    explain(rule, known, ['body'], errors);
    return errors.rejected();
  };
}

/** A schema with a compiled check for each of its parts, so finding the invalid ones stays cheap. */
interface Rule {
  readonly node: Node;
  readonly check: (value: unknown) => boolean;
  readonly properties?: ReadonlyMap<string, Rule>;
  readonly items?: Rule;
  readonly anyOf?: readonly Rule[];
}

function compile(node: Node): Rule {
  const validator = Schema.Compile(node);
  return {
    node,
    check: (value) => validator.Check(value),
    ...(node.properties === undefined
      ? {}
      : {
          properties: new Map(Object.entries(node.properties).map(([name, child]) => [name, compile(child)])),
        }),
    ...(node.items === undefined ? {} : { items: compile(node.items) }),
    ...(node.anyOf === undefined ? {} : { anyOf: node.anyOf.map(compile) }),
  };
}

function pick(rule: Rule, body: unknown): unknown {
  if (!isRecord(body)) return body;
  const known: Record<string, unknown> = {};
  for (const [name, child] of rule.properties ?? []) {
    if (!Object.hasOwn(body, name)) continue;
    const value = body[name];
    if (value === null && !isRequired(rule, name) && !child.check(null)) continue;
    known[name] = value;
  }
  return known;
}

/** Adds the errors of a value that does not pass its rule. */
function explain(rule: Rule, value: unknown, loc: Loc, errors: ErrorList): void {
  if (rule.properties !== undefined && isRecord(value))
    explainObject(rule, rule.properties, value, loc, errors);
  else if (rule.items !== undefined && Array.isArray(value))
    explainList(rule, rule.items, value, loc, errors);
  else if (rule.anyOf !== undefined) explainAlternatives(rule, rule.anyOf, value, loc, errors);
  else addWrongValue(rule.node, value, loc, errors);
}

function explainObject(
  rule: Rule,
  properties: ReadonlyMap<string, Rule>,
  value: Record<string, unknown>,
  loc: Loc,
  errors: ErrorList,
): void {
  for (const [name, child] of properties) {
    const here = [...loc, name];
    if (!Object.hasOwn(value, name)) {
      if (isRequired(rule, name))
        errors.add(here, `${named(here)} is missing; it has to be given`, 'missing');
    } else if (!child.check(value[name])) {
      explain(child, value[name], here, errors);
    }
  }
}

function explainList(rule: Rule, items: Rule, values: readonly unknown[], loc: Loc, errors: ErrorList): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = rule.node;
  if (values.length < minItems || values.length > maxItems) {
    errors.add(loc, `${named(loc)} has ${values.length} elements; give ${accepted(rule.node)}`, 'length');
    return;
  }
  for (let index = 0; index < values.length; index++) {
    if (items.check(values[index])) continue;
    if (errors.isFull) errors.count();
    else explain(items, values[index], [...loc, index], errors);
  }
}

/** Where only one alternative has the shape of the value (a list or one number), that one's errors are the most useful. */
function explainAlternatives(
  rule: Rule,
  alternatives: readonly Rule[],
  value: unknown,
  loc: Loc,
  errors: ErrorList,
): void {
  const alike = alternatives.filter(
    ({ items, properties }) =>
      (items !== undefined && Array.isArray(value)) || (properties !== undefined && isRecord(value)),
  );
  const [only] = alike;
  if (only !== undefined && alike.length === 1) explain(only, value, loc, errors);
  else addWrongValue(rule.node, value, loc, errors);
}

function addWrongValue(node: Node, value: unknown, loc: Loc, errors: ErrorList): void {
  if (loc.length === 1 && (value === null || value === undefined)) {
    errors.add(loc, `the body is missing; send ${accepted(node)} as application/json`, 'missing');
    return;
  }
  const { word, type } = complaint(node, value);
  errors.add(loc, `${named(loc)} ${shown(value)} ${word}; give ${accepted(node)}`, type);
}

function complaint(node: Node, value: unknown): { word: string; type: string } {
  if (node.enum !== undefined || node.const !== undefined) return { word: 'is not accepted', type: 'choice' };
  const isSameType =
    (node.type === typeof value && typeof value !== 'object') ||
    (node.type === 'integer' && Number.isInteger(value));
  return isSameType
    ? { word: 'is out of range', type: 'range' }
    : { word: 'is not accepted', type: node.type ?? 'type' };
}

/** What a schema accepts, in words. */
function accepted(node: Node): string {
  if (node.accepted !== undefined) return node.accepted;
  if (node.anyOf !== undefined) return node.anyOf.map(accepted).join(' or ');
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  if (node.const !== undefined) return String(node.const);
  if (node.type === 'number') return acceptedNumber(node);
  if (node.type === 'integer') return acceptedNumber({ ...node, integer: true });
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'string') return 'a text';
  if (node.type === 'array') return `a list${itemCount(node)}`;
  return node.type === 'object' ? 'an object' : (node.type ?? 'another value');
}

function itemCount({ minItems, maxItems }: Node): string {
  if (minItems !== undefined && maxItems !== undefined) return ` of ${minItems} to ${maxItems} elements`;
  if (minItems !== undefined) return ` of at least ${minItems} elements`;
  return maxItems === undefined ? '' : ` of at most ${maxItems} elements`;
}

function named(loc: Loc): string {
  if (loc.length === 1) return 'the body';
  return loc
    .slice(1)
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

function isRequired(rule: Rule, name: string): boolean {
  return rule.node.required?.includes(name) ?? false;
}
