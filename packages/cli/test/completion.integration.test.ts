import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

/** What a shell offers for a line; the words in the order of the shell. */
type Complete = (line: string) => string[];

const cases: [string, string[]][] = [
  [
    'contrails ',
    [
      'serve',
      'worker',
      'trajectory',
      'replay',
      'plan',
      'flights',
      'grid',
      'init',
      'forecast',
      'met',
      'adsb',
      'inventory',
      'mrv',
      'observe',
      'jobs',
      'keys',
      'live',
      'backup',
      'restore',
      'migrate',
      'doctor',
      'completion',
    ],
  ],
  ['contrails ke', ['keys']],
  ['contrails keys ', ['create', 'list', 'update', 'rotate', 'revoke', 'usage']],
  ['contrails --data x keys cr', ['create']],
  ['contrails completion ', ['bash', 'zsh', 'fish']],
  ['contrails jobs list --state ', ['waiting', 'queued', 'running', 'done', 'failed', 'cancelled']],
  ['contrails keys create --scopes f', ['forecast']],
  ['contrails keys create --scopes adsb,inv', ['adsb,inventory', 'adsb,inventory:segments']],
  ['contrails keys create --name keys ', []],
  ['npx contrails ke', ['keys']],
  ['npx contrails jobs list --state r', ['running']],
];

const serveOptions = '--demo --no-workers --host --port --help --config --data --verbose --version'.split(
  ' ',
);

/** One test for each shell, so a machine without it says so in one line. */
function shellTest(shell: string, act: (shell: string) => Promise<void>): void {
  const missing = spawnSync(shell, ['-c', 'true']).status !== 0;
  test.skipIf(missing)(
    missing ? `${shell} completes (skipped: ${shell} is not installed)` : `${shell} completes`,
    () => act(shell),
  );
}

async function scriptOf(shell: string): Promise<string> {
  const { stdout, code } = await contrails(['completion', shell]);
  expect(code).toBe(0);
  return stdout;
}

function expectAll(complete: Complete): void {
  const offered = cases.map(([line]) => [line, complete(line).sort()]);
  expect(offered).toEqual(cases.map(([line, words]) => [line, [...words].sort()]));
  expect(complete('contrails serve --').sort()).toEqual([...serveOptions].sort());
}

shellTest('bash', async (shell) => {
  const script = await scriptOf(shell);
  const complete: Complete = (line) => {
    // Bash hands a completion function the line and the cursor; $COMP_WORDBREAKS is its own.
    const drive = `${script}
      COMP_LINE=$1 COMP_POINT=\${#1}; compopt() { echo "compopt $*"; }
      if [[ $1 == npx* ]]; then _contrails_npx; else _contrails; fi
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync(shell, ['--norc', '-c', drive, 'bash', line], { encoding: 'utf8' });
    return stdout.split('\n').filter((word) => word !== '' && word !== 'compopt -o nospace');
  };
  expectAll(complete);
  // A colon and an equals sign end a word for bash, which then wants only the rest.
  expect(complete('contrails keys create --scopes inventory:')).toEqual(['segments']);
  expect(complete('contrails jobs list --state=r')).toEqual(['running']);
  expect(complete('contrails serve --config ')).toEqual(['compopt -o default']);
  expect(complete('contrails trajectory cocip ')).toEqual(['compopt -o default']);
  expect(complete('contrails met import ')).toEqual(['compopt -o default']);
  expect(complete('npx contrails trajectory cocip ')).toEqual(['compopt -o default']);
  expect(complete('contrails serve --data ')).toEqual(['compopt -o dirnames']);
  const { stdout } = spawnSync(shell, ['--norc', '-c', `${script}\ncomplete -p contrails`], {
    encoding: 'utf8',
  });
  expect(stdout).toContain('-F _contrails contrails');
  const npx = spawnSync(shell, ['--norc', '-c', `${script}\ncomplete -p npx`], { encoding: 'utf8' });
  expect(npx.stdout).toContain('-F _contrails_npx npx');
});

shellTest('fish', async (shell) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'c.fish'), await scriptOf(shell));
  writeFileSync(join(directory, 'my.yaml'), '');
  mkdirSync(join(directory, 'my-data'));
  const complete: Complete = (line) => {
    const args = ['-c', 'source $argv[1]; complete -C $argv[2]', join(directory, 'c.fish'), line];
    const env = { ...process.env, HOME: directory };
    const { stdout } = spawnSync(shell, args, { encoding: 'utf8', cwd: directory, env });
    return stdout
      .split('\n')
      .map((offer) => offer.split('\t')[0] ?? '')
      .filter((word) => word !== '');
  };
  expectAll(complete);
  expect(complete('contrails serve --config my.')).toEqual(['my.yaml']);
  expect(complete('contrails serve --data my')).toEqual(['my-data/']);
  expect(complete('contrails trajectory cocip my.')).toEqual(['my.yaml']);
});

shellTest('zsh', async (shell) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'c.zsh'), await scriptOf(shell));
  // A zsh on a pseudo-terminal, whose `compadd` notes down what it offers.
  writeFileSync(
    join(directory, 'setup.zsh'),
    `PS1=; autoload -Uz compinit; compinit -u -d "$DIR/dump"; source "$DIR/c.zsh"
     compadd() {
       if [[ \${@[1,(i)--]} != *-[OAD]* ]]; then
         local -a found; builtin compadd -O found "$@"
         (( $#found )) && print -rl -- $IPREFIX$^found >> "$DIR/found"
       fi
       builtin compadd "$@"
     }
     _over() { print >> "$DIR/over" }; zle -N _over; bindkey '^T' _over`,
  );
  const drive = `zmodload zsh/zpty; rm -f $DIR/{found,over}; touch $DIR/found
    zpty z zsh -f -i; zpty -w z 'source "$DIR/setup.zsh"'; zpty -w -n z "$1"$'\t\x14'
    for i in {1..100}; do [[ -e $DIR/over ]] && break; zpty -r -t z chunk; sleep 0.1; done
    cat $DIR/found`;
  const complete: Complete = (line) => {
    const env = { ...process.env, DIR: directory };
    const { stdout } = spawnSync(shell, ['-f', '-c', drive, 'zsh', line], { encoding: 'utf8', env });
    // Where nothing else fits, zsh offers the options unasked.
    const unasked = (word: string) => word.startsWith('-') && !/ -+$/.test(line);
    return [...new Set(stdout.split('\n').filter((word) => word !== '' && !unasked(word)))];
  };
  expectAll(complete);
});
