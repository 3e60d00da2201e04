import { Argument, type Command } from 'commander';
import { example } from '../flags.ts';
import { print } from '../output.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function defineCompletion(program: Command): void {
  const command = program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action(async (shell: Shell) => print((await script(shell, program)).trimEnd()));
  example(
    command,
    'source <(contrails completion bash)',
    'contrails completion zsh > ~/.zfunc/_contrails',
    'contrails completion fish > ~/.config/fish/completions/contrails.fish',
  );
}

async function script(shell: Shell, program: Command): Promise<string> {
  const { completionTree } = await import('../completion/tree.ts');
  const tree = completionTree(program);
  if (shell === 'bash') return (await import('../completion/bash.ts')).bashCompletion(tree);
  if (shell === 'zsh') return (await import('../completion/zsh.ts')).zshCompletion(tree);
  return (await import('../completion/fish.ts')).fishCompletion(tree);
}
