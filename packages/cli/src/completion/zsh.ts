import { allNodes, type CompletionNode, type CompletionOption, type Values } from './tree.ts';

/** A zsh completion script: one function for each command, on top of zsh's own `_arguments`. */
export function zshCompletion(root: CompletionNode): string {
  return `#compdef contrails
# zsh completion for contrails; load it with: source <(contrails completion zsh)
${allNodes(root).map(commandFunction).join('\n')}
_contrails_npx() {
  if [[ $words[2] == contrails ]]; then
    shift words
    (( CURRENT-- ))
    _contrails
  else
    _default
  fi
}
# Another completion of npx stays; npm has none.
(( $+_comps[npx] )) || compdef _contrails_npx npx
if [[ $funcstack[1] == _contrails ]]; then
  _contrails "$@"
else
  compdef _contrails contrails
fi
`;
}

function commandFunction(node: CompletionNode): string {
  const specs = node.options.map(optionSpec);
  if (node.children.length === 0) {
    const argument = node.argument === undefined ? [] : [quote(`1:${'argument'}:${action(node.argument)}`)];
    return `${functionName(node.path)}() {\n  _arguments ${[...specs, ...argument].join(' \\\n    ')}\n}`;
  }
  const names = node.children.map(({ path, description }) => quote(`${path.at(-1)}:${description}`));
  const calls = node.children.map(({ path }) => `        ${path.at(-1)}) ${functionName(path)} ;;`);
  return `${functionName(node.path)}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C ${[...specs, quote('1: :->command'), quote('*:: :->rest')].join(' \\\n    ')}
  case $state in
    command)
      local -a commands=(${names.join(' ')})
      _describe -t commands command commands
      ;;
    rest)
      case $line[1] in
${calls.join('\n')}
      esac
      ;;
  esac
}`;
}

function functionName(path: readonly string[]): string {
  return ['_contrails', ...path].join('_');
}

function optionSpec({ flags, description, values }: CompletionOption): string {
  const excluded = flags.length > 1 ? `(${flags.join(' ')})` : '';
  const text = `[${description.replace(/[[\]:\\]/g, '\\$&')}]`;
  const value = values === undefined ? '' : `:value:${action(values)}`;
  return flags
    .map((flag) => {
      const joined = values !== undefined && flag.startsWith('--') ? '=' : '';
      return quote(`${excluded}${flag}${joined}${text}${value}`);
    })
    .join(' ');
}

function action(values: Values): string {
  switch (values.kind) {
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'choice':
      return `(${values.choices.map((choice) => choice.replaceAll(':', '\\:')).join(' ')})`;
    case 'list':
      return `_sequence compadd - ${values.choices.map((choice) => choice.replaceAll(':', '\\:')).join(' ')}`;
    case 'none':
      return '( )';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
