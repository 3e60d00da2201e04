import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a run with the names of all skipped tests and of those that passed only when they were repeated, and one line of
 * counts; a test that failed fails the run.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    const skipped: string[] = [];
    const repeated: string[] = [];
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        counts[state] += 1;
        if (state === 'skipped') skipped.push(name);
        if (state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0) repeated.push(name);
      }
    }
    const lines = [
      ...listed('Not run here:', skipped),
      ...listed(`Failed at first, passed when repeated (${repeated.length}):`, repeated),
      `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    ];
    process.stdout.write(`\n${lines.join('\n')}\n`);
    // The PostgreSQL of the run ends this process with 0 once nothing is left to do, even if tests failed.
    if (counts.failed > 0) {
      process.on('exit', () => {
        process.exitCode = 1;
      });
    }
  }
}

function listed(heading: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [heading, ...names.map((name) => `  ${name}`)];
}
