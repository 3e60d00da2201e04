import type { Argument, Command, Option } from 'commander';
import { listChoices } from './list-option.ts';

/** What the value of an option or argument can be completed with. */
export type Values =
  | { readonly kind: 'none' }
  | { readonly kind: 'file' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Several choices, separated by commas. */
  | { readonly kind: 'list'; readonly choices: readonly string[] };

export interface CompletionOption {
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for an option that takes no value. */
  readonly values: Values | undefined;
}

/** One command as the shells need it: `path` is `['keys', 'create']`. */
export interface CompletionNode {
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletionOption[];
  readonly argument: Values | undefined;
  readonly children: readonly CompletionNode[];
}

export function completionTree(command: Command, path: readonly string[] = []): CompletionNode {
  const helper = command.createHelp();
  const options = [...helper.visibleOptions(command), ...helper.visibleGlobalOptions(command)];
  const [argument] = command.registeredArguments;
  return {
    path,
    description: command.description(),
    options: options.filter(isFirstOfItsName).map(completionOption),
    argument: argument === undefined ? undefined : argumentValues(argument),
    children: command.commands.map((child) => completionTree(child, [...path, child.name()])),
  };
}

export function allNodes(node: CompletionNode): CompletionNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

function isFirstOfItsName(option: Option, index: number, all: readonly Option[]): boolean {
  return all.findIndex(({ long }) => long === option.long) === index;
}

function completionOption(option: Option): CompletionOption {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    values: option.required || option.optional ? optionValues(option) : undefined,
  };
}

function optionValues(option: Option): Values {
  const choices = listChoices(option);
  if (choices !== undefined) return { kind: 'list', choices };
  if (option.argChoices !== undefined) return { kind: 'choice', choices: option.argChoices };
  return placeValues(/<(\w+)>/.exec(option.flags)?.[1]);
}

function argumentValues(argument: Argument): Values {
  return argument.argChoices === undefined
    ? placeValues(argument.name())
    : { kind: 'choice', choices: argument.argChoices };
}

/** `<file>`, `<files...>` and `<dir>` of a usage line, which the shell can complete. */
function placeValues(name: string | undefined): Values {
  if (name === 'file' || name === 'files') return { kind: 'file' };
  return name === 'dir' ? { kind: 'directory' } : { kind: 'none' };
}
