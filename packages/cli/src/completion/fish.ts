import { allNodes, type CompletionNode, type Values } from './tree.ts';

/** A fish completion script: each line applies when the words before the cursor name that command. */
export function fishCompletion(root: CompletionNode): string {
  const nodes = allNodes(root);
  const known = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')));
  const valued = new Set(
    nodes.flatMap(({ options }) =>
      options.filter(({ values }) => values !== undefined).flatMap(({ flags }) => flags),
    ),
  );
  return `# fish completion for contrails; load it with: contrails completion fish | source
function __contrails_at
    set -l path
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word ${[...valued].join(' ')}
            set skip 1
        else if contains -- (string join ' ' -- $path $word) ${known.join(' ')}
            set -a path $word
        end
    end
    test "$path" = "$argv"
end

function __contrails_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l head (string replace -rf '^(.*,)[^,]*$' '$1' -- $typed)
    for choice in $argv
        string match -q "*,$choice,*" -- ",$head"; or echo "$head$choice"
    end
end

complete -c contrails -f
${nodes.flatMap(nodeLines).join('\n')}

function __contrails_npx
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = contrails
end
complete -c npx -n __contrails_npx -f -a '(complete -C (string replace -r "^\\\\s*npx\\\\s+" "" -- (commandline -cp)))'
`;
}

function nodeLines({ path, options, argument, children }: CompletionNode): string[] {
  const start = `complete -c contrails -n ${quote(`__contrails_at ${path.join(' ')}`.trim())}`;
  return [
    ...children.map((child) => `${start} -a ${child.path.at(-1)} -d ${quote(child.description)}`),
    ...(argument?.kind === 'choice' ? [`${start} -a ${quote(argument.choices.join(' '))}`] : []),
    ...(argument?.kind === 'file' ? [`${start} -F`] : []),
    ...options.map(({ flags, description, values }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      return [start, ...names, `-d ${quote(description)}`, ...valueWords(values)].join(' ');
    }),
  ];
}

function valueWords(values: Values | undefined): string[] {
  switch (values?.kind) {
    case undefined:
      return [];
    case 'file':
      return ['-rF'];
    case 'directory':
      return ['-x', `-a ${quote('(__fish_complete_directories)')}`];
    case 'choice':
      return ['-x', `-a ${quote(values.choices.join(' '))}`];
    case 'list':
      return ['-x', `-a ${quote(`(__contrails_list ${values.choices.join(' ')})`)}`];
    case 'none':
      return ['-x'];
  }
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
