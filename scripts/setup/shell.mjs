import { spawn } from 'node:child_process';

/** Prints one line on standard error for each step of the set-up; no output means there was nothing to do. */
export function say(line) {
  process.stderr.write(`contrails: ${line}\n`);
}

/**
 * Runs a program without a shell, so spaces in paths are harmless. Shows its output only if it fails or
 * if `show` is set.
 */
export function run(command, args, { cwd, env, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const text = Buffer.concat(output).toString();
      if (code === 0) resolve(text);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}\n${excerpt(text)}`));
    });
  });
}

/** The first and last lines: tools print the cause at one end or the other. */
function excerpt(text) {
  const lines = text.trimEnd().split('\n');
  return lines.length <= 60 ? lines.join('\n') : [...lines.slice(0, 20), '…', ...lines.slice(-40)].join('\n');
}

/** Replaces this process as far as Node can: forwards signals and exits with the child's exit code. */
export function become(command, args, { cwd, env } = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    say(`cannot start ${command}: ${error.message}`);
    process.exit(1);
  });
  child.on('close', (code) => process.exit(code ?? 1));
}
