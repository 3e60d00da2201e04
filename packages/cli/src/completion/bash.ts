import { allNodes, type CompletionNode, type Values } from './tree.ts';

/**
 * A bash completion script. It reads the line itself rather than COMP_WORDS, which bash splits at `:` and `=`
 * (a scope is called `inventory:segments`), and hands back only the part after the last such character.
 */
export function bashCompletion(root: CompletionNode): string {
  const nodes = allNodes(root);
  const steps = nodes
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `      '${step(path)}') path='${path.join(' ')}' ;;`);
  return `# bash completion for contrails; load it with: source <(contrails completion bash)
_contrails() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur='' path='' option='' word
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    cur="\${words[\${#words[@]}-1]}"
    unset "words[\${#words[@]}-1]"
  fi
  for word in "\${words[@]:1}"; do
    if [[ -n $option ]]; then
      option=''
      continue
    fi
    case "$path/$word" in
${steps.join('\n')}
      *) _contrails_takes_value "$path" "$word" && option="$word" ;;
    esac
  done
  local before=''
  if [[ -z $option && $cur == --*=* ]]; then
    option="\${cur%%=*}"
    before="$option="
  fi
  COMPREPLY=()
  if [[ -n $option ]]; then
    _contrails_values "$path" "$option" "$before" "\${cur#"$before"}"
  elif [[ $cur == -* ]]; then
    _contrails_words "$(_contrails_options "$path")" '' "$cur"
  else
    _contrails_argument "$path" "$cur"
  fi
  # Bash puts the answer behind the last word break, so what stands before it must not come twice.
  local breaks="\${COMP_WORDBREAKS//[^:=]/}" kept
  if [[ -n $breaks ]]; then
    kept="\${cur%"\${cur##*[$breaks]}"}"
    [[ -n $kept ]] && COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
  fi
}

_contrails_words() {
  local IFS=$' \\t\\n' word
  for word in $1; do
    [[ $2$word == "$2$3"* ]] && COMPREPLY+=("$2$word")
  done
}

_contrails_list() {
  local head=''
  [[ $3 == *,* ]] && head="\${3%,*},"
  local word left=''
  for word in $1; do
    [[ ",$head" == *",$word,"* ]] || left+=" $word"
  done
  _contrails_words "$left" "$2$head" "\${3#"$head"}"
  compopt -o nospace 2>/dev/null
}

_contrails_takes_value() {
  case "$1/$2" in
${cases(nodes, (option) => (option === undefined ? undefined : 'return 0'))}
  esac
  return 1
}

_contrails_options() {
  case "$1" in
${nodes.map(({ path, options }) => `    '${path.join(' ')}') echo '${options.flatMap(({ flags }) => flags).join(' ')}' ;;`).join('\n')}
  esac
}

_contrails_argument() {
  case "$1" in
${nodes.map((node) => `    '${node.path.join(' ')}') ${argumentAction(node)} ;;`).join('\n')}
  esac
}

_contrails_values() {
  case "$1/$2" in
${cases(nodes, valueAction)}
  esac
}

_contrails_npx() {
  COMPREPLY=()
  if [[ $COMP_LINE =~ ^[[:space:]]*npx[[:space:]]+(contrails[[:space:]].*)$ ]]; then
    local skipped=$((\${#COMP_LINE} - \${#BASH_REMATCH[1]}))
    local COMP_LINE="\${BASH_REMATCH[1]}" COMP_POINT=$((COMP_POINT - skipped))
    _contrails
  else
    [[ contrails == "\${COMP_LINE##*[[:space:]]}"* ]] && COMPREPLY=(contrails)
    compopt -o default 2>/dev/null
  fi
}

complete -F _contrails contrails
# Another completion of npx stays; npm has none.
complete -p npx &>/dev/null || complete -F _contrails_npx npx
`;
}

function step(path: readonly string[]): string {
  return `${path.slice(0, -1).join(' ')}/${path.at(-1)}`;
}

function cases(
  nodes: readonly CompletionNode[],
  action: (values: Values | undefined) => string | undefined,
): string {
  return nodes
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, values }) => {
        const act = action(values);
        return act === undefined ? [] : flags.map((flag) => `    '${path.join(' ')}/${flag}') ${act} ;;`);
      }),
    )
    .join('\n');
}

function valueAction(values: Values | undefined): string | undefined {
  switch (values?.kind) {
    case 'file':
      return 'compopt -o default 2>/dev/null';
    case 'directory':
      return 'compopt -o dirnames 2>/dev/null';
    case 'choice':
      return `_contrails_words '${values.choices.join(' ')}' "$3" "$4"`;
    case 'list':
      return `_contrails_list '${values.choices.join(' ')}' "$3" "$4"`;
    default:
      return undefined;
  }
}

function argumentAction({ children, argument }: CompletionNode): string {
  if (children.length > 0)
    return `_contrails_words '${children.map(({ path }) => path.at(-1)).join(' ')}' '' "$2"`;
  if (argument?.kind === 'choice') return `_contrails_words '${argument.choices.join(' ')}' '' "$2"`;
  return argument?.kind === 'file' ? 'compopt -o default 2>/dev/null' : ':';
}
