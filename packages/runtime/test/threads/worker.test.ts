import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { startWorker } from '../../src/threads/index.ts';

function start(env = process.env) {
  const messages: string[] = [];
  let onMessage = () => {};
  const message = new Promise<void>((resolve) => {
    onMessage = resolve;
  });
  let onExit: (end: { exitCode: number; uncaught: Error | undefined }) => void = () => {};
  const exit = new Promise<{ exitCode: number; uncaught: Error | undefined }>((resolve) => {
    onExit = resolve;
  });
  const worker = startWorker<string, string>(
    new URL('./programs/echo.ts', import.meta.url),
    { execArgv: [], env },
    {
      onMessage: (text) => {
        messages.push(text);
        onMessage();
      },
      onExit: (exitCode, uncaught) => onExit({ exitCode, uncaught }),
    },
  );
  return { worker, messages, message, exit };
}

test('a message that is posted before the thread is up arrives', async () => {
  const { worker, messages, message, exit } = start();
  worker.post('hello');
  await message;
  expect(messages).toEqual(['hello']);
  await worker.terminate();
  expect(await exit).toMatchObject({ uncaught: undefined });
});

test('an uncaught error is reported with the end', async () => {
  const { worker, exit } = start();
  worker.post('throw');
  expect(await exit).toMatchObject({ exitCode: 1, uncaught: { message: 'thrown uncaught' } });
});

test('a thread that exits by itself has no uncaught error', async () => {
  const { worker, exit } = start();
  worker.post('exit');
  expect(await exit).toEqual({ exitCode: 7, uncaught: undefined });
});

test('a thread without an environment keeps its modules in the compile cache of the process', async () => {
  enableCompileCache();
  const { worker, messages, message } = start({});
  worker.post('compile cache');
  await message;
  // Folders of threads that were started with other flags differ in their last part.
  const [found] = messages as [string];
  expect(dirname(found)).toBe(dirname(getCompileCacheDir() ?? ''));
  await worker.terminate();
});
