/** Computing without a server: the engine with the weather and threads of the configuration. */
import type { Engine, EngineSettings } from '@contrails/engine';
import type { Config } from '@contrails/service/config';
import { openLog } from './configure.ts';

/** Runs work on an engine; its options are called by their flags. Weather is opened when it is first needed. */
export async function withEngine<T>(
  config: Config,
  work: (engine: Engine) => Promise<T>,
  settings: Partial<EngineSettings> = {},
): Promise<T> {
  const [{ openEngine }, { flagOf }] = await Promise.all([
    import('@contrails/engine'),
    import('@contrails/runtime/options/flags'),
  ]);
  const engine = await openEngine({
    weather: settings.weather ?? (await configuredWeather(config)),
    threads: config.workers.threads,
    heapMib: config.workers.heap_mib,
    gpu: {
      device: config.compute.device,
      adapters: config.compute.gpu_adapters,
      memoryMib: config.compute.gpu_memory_mib,
      onNotice: (text) => void console.error(text),
    },
    humidityScaling: config.met.humidity_scaling,
    mrv: config.mrv,
    accf: config.accf,
    optionName: flagOf,
    ...settings,
  });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

async function configuredWeather(config: Config) {
  const [{ requireWeather }, { createLazyMet }] = await Promise.all([
    import('@contrails/engine/weather/errors'),
    import('@contrails/service/weather'),
  ]);
  const met = createLazyMet(config);
  return {
    async open() {
      requireWeather(config);
      return met.open();
    },
    close: () => met.close(),
  };
}

/** The same for plans, which may read the contrail grids that the installation stores. */
export async function withPlanningEngine<T>(
  config: Config,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { describeProblem } = await import('@contrails/service/planning/problems');
  let close: (() => Promise<void>) | undefined;
  const openGrids = async () => {
    const [{ openServices }, { storedGrids }] = await Promise.all([
      import('@contrails/service/services'),
      import('@contrails/service/planning/stored-grids'),
    ]);
    const services = await openServices(config, await openLog(config));
    close = () => services.close();
    return storedGrids(services, config);
  };
  try {
    return await withEngine(config, work, {
      planMemoryMib: config.planning.memory_mib,
      describeProblem,
      openGrids,
    });
  } finally {
    await close?.();
  }
}

/** What is wrong with a body in one line, for its user. */
export async function explained(error: unknown): Promise<unknown> {
  const { ContrailsError, ValidationError } = await import('@contrails/runtime/errors');
  return error instanceof ValidationError ? new ContrailsError(error.summary, { cause: error }) : error;
}
