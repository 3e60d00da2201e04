import { ContrailsError } from './error.ts';
import { fileOf, openRanges, type RemoteFile, type RemoteRanges, warningsOf } from './files.ts';
import type { paths } from './generated/openapi.ts';
import { cancelJob, jobPath, runJob, type WaitOptions, waitForJob } from './jobs.ts';
import { readJson } from './json.ts';
import { type LiveEvent, type StreamOptions, streamEvents } from './live.ts';
import { createTransport, type Exchange, type Transport, type TransportOptions } from './transport.ts';
import type {
  AcceptedJob,
  Attributions,
  BatchReceipt,
  CocipResult,
  ContrailSegments,
  EmissionsResult,
  FeatureCollection,
  Flight,
  FlownRoute,
  ForecastRuns,
  ForecastSkill,
  FrameList,
  GridAvailability,
  GridModel,
  Health,
  InventoryCompleteness,
  InventoryDates,
  InventoryFlight,
  InventoryTotals,
  IssrResult,
  Job,
  JobList,
  KeyInfo,
  LevelsPlan,
  LiveContrails,
  LiveFlightDetail,
  LiveFlights,
  LiveSky,
  LiveSummary,
  PathsWith,
  PlannedFlight,
  PlannedProfileFlight,
  PlannedRoute,
  ProfilePlan,
  Query,
  Readiness,
  RouteToPlan,
  SacResult,
  ServiceStatus,
  TrajectoryModel,
  Verification,
} from './types.ts';

/** How to reach the service. */
export type ClientOptions = TransportOptions;

export interface CallOptions {
  /** Aborting it ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what a reader of the numbers should know, if there is anything. */
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined;
}

export interface ProductOptions extends CallOptions {
  /** How long to wait for a product that the service is computing [ms]. Default 0: the call fails with `not-found`. */
  readonly waitMs?: number | undefined;
}

export interface WorkOptions extends CallOptions, WaitOptions {
  /** Computes as a job of the service. Default: with `onProgress`, and for a fleet. */
  readonly background?: boolean | undefined;
}

interface TrajectoryResults {
  readonly sac: SacResult;
  readonly issr: IssrResult;
  readonly emissions: EmissionsResult;
  readonly cocip: CocipResult;
}

export type TrajectoryOptions<M extends TrajectoryModel> = Query<`/v0/trajectory/${M}`, 'post'> & WorkOptions;
type GridFormat = 'netcdf' | 'geojson' | 'kml';
export type GridQuery<M extends GridModel> = WithDates<Omit<Query<`/v0/grid/${M}`>, 'format'>>;

/** Times may also be given as `Date`. */
export type WithDates<Q> = {
  [K in keyof Q]: K extends 'time' | 'date' | 'from' | 'to' | 'forecast_reference_time' ? Q[K] | Date : Q[K];
};

/** A model along a flight, or along a fleet when `flight_id` is a list. */
export type TrajectoryEndpoint<M extends TrajectoryModel> = (
  flight: Flight,
  options?: TrajectoryOptions<M>,
) => Promise<TrajectoryResults[M]>;

interface PlannedFlights {
  readonly levels: PlannedFlight;
  readonly profile: PlannedProfileFlight;
}

interface Plans {
  readonly levels: LevelsPlan;
  readonly profile: ProfilePlan;
}

/** Plans for a flight, or for a fleet when `flight_id` is a list. */
export type PlanningEndpoint<K extends 'levels' | 'profile'> = (
  flight: PlannedFlights[K],
  options?: Query<`/v1/planning/${K}`, 'post'> & WorkOptions,
) => Promise<Plans[K]>;

/** A model on a grid: polygons with `format: 'geojson'`, otherwise a file. */
export type GridEndpoint<M extends GridModel, O = ProductOptions> = <F extends GridFormat = 'netcdf'>(
  query: GridQuery<M> & { readonly format?: F },
  options?: O,
) => Promise<F extends 'geojson' ? FeatureCollection : RemoteFile>;

/** A stored file, whole or in ranges. */
export interface FileEndpoint<P extends PathsWith<'get'>> {
  (query: WithDates<Query<P>>, options?: ProductOptions): Promise<RemoteFile>;
  /** Leaves the file at the service and fetches the ranges that a reader of Parquet asks for. */
  ranges(query: WithDates<Query<P>>, options?: ProductOptions): Promise<RemoteRanges>;
}

const DETECTIONS = '/v1/observations/provider-a/source-a/L1/detections';
const SEGMENTS = '/v1/observations/provider-a/source-a/L2/segments';
const ATTRIBUTIONS = '/v1/observations/provider-b/geostationary/L4/attributions';

export interface ContrailsClient {
  /** Address of the service; ends with `/`. */
  readonly baseUrl: string;
  readonly trajectory: {
    readonly [M in TrajectoryModel]: TrajectoryEndpoint<M>;
  } & {
    /** Creates the job without waiting for it; `jobs.wait` does. */
    submit<M extends TrajectoryModel>(
      model: M,
      flight: Flight,
      options?: Query<`/v0/trajectory/${M}`, 'post'> & CallOptions,
    ): Promise<AcceptedJob>;
  };
  /** Levels and profiles of a flight, or of a fleet when `flight_id` is a list. */
  readonly grid: {
    readonly sac: GridEndpoint<'sac'>;
    readonly issr: GridEndpoint<'issr'>;
    readonly pcr: GridEndpoint<'pcr'>;
    /** Climate change functions; polygons need a `threshold`. */
    readonly accf: GridEndpoint<'accf'>;
    /** Hours that are not stored are computed as a job; `background: false` fails instead. */
    readonly cocip: GridEndpoint<'cocip', ProductOptions & WorkOptions>;
    /** Temperature, humidity and wind of a level as netCDF. */
    readonly weather: FileEndpoint<'/v0/grid/weather'>;
    /** What contrails of a region live in, on the grid of the weather source, as netCDF. */
    readonly contrailWeather: FileEndpoint<'/v0/grid/weather/contrails'>;
    availability(options?: CallOptions): Promise<GridAvailability>;
  };
  readonly forecast: {
    /** The forcing index 0 to 4 as netCDF. */
    readonly grid: FileEndpoint<'/v1/grids'>;
    /** Polygons around cells that reach a threshold of the index. */
    regions(query: WithDates<Query<'/v1/regions'>>, options?: ProductOptions): Promise<FeatureCollection>;
    /** Which hours are published, being computed or planned. */
    runs(query?: Query<'/v1/forecast/runs'>, options?: CallOptions): Promise<ForecastRuns>;
    /** How often the forecast was right, by the last scheduled score. */
    skill(options?: CallOptions): Promise<ForecastSkill>;
  };
  readonly planning: {
    /** What every other level would have cost. */
    readonly levels: PlanningEndpoint<'levels'>;
    /** The best profile under the caller's prices, verified by the full models. */
    readonly profile: PlanningEndpoint<'profile'>;
    /** The cheapest way across, up and down between two points. */
    route(
      route: RouteToPlan | FlownRoute,
      options?: Query<'/v1/planning/route', 'post'> & WorkOptions,
    ): Promise<PlannedRoute>;
  };
  readonly telemetry: {
    /** Reports of one hour as Parquet. */
    readonly hour: FileEndpoint<'/v1/adsb/telemetry'>;
    /** Stores a batch of reports; the same batch is applied once, however often it is sent. */
    post(
      reports: string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob,
      query?: Query<'/v1/adsb/ingest', 'post'>,
      options?: CallOptions,
    ): Promise<BatchReceipt>;
  };
  readonly inventory: {
    /** Flights of a day, or of several, as Parquet or CSV. */
    readonly summary: FileEndpoint<'/v1/inventory/summary'>;
    /** Minutes of flight of an hour as Parquet. */
    readonly segments: FileEndpoint<'/v1/inventory/segments'>;
    /** What became of every leg of a day, as Parquet. */
    readonly rejections: FileEndpoint<'/v1/inventory/rejections'>;
    completeness(
      query: WithDates<Query<'/v1/inventory/completeness'>>,
      options?: CallOptions,
    ): Promise<InventoryCompleteness>;
    /** Sums over the flights of some days, for all of them and by group. */
    totals(query: WithDates<Query<'/v1/inventory/totals'>>, options?: CallOptions): Promise<InventoryTotals>;
    /** A flight as the body of a request that gives the same numbers. */
    flight(query: WithDates<Query<'/v1/inventory/flight'>>, options?: CallOptions): Promise<InventoryFlight>;
    /** The days that have an inventory or are on the way to one. */
    dates(options?: CallOptions): Promise<InventoryDates>;
  };
  /** Aircraft in the air now, and the contrails they leave. */
  readonly live: {
    flights(query?: Query<'/v1/live/flights'>, options?: CallOptions): Promise<LiveFlights>;
    contrails(query?: Query<'/v1/live/contrails'>, options?: CallOptions): Promise<LiveContrails>;
    /** One flight with its minutes. */
    flight(id: string, options?: CallOptions): Promise<LiveFlightDetail>;
    summary(options?: CallOptions): Promise<LiveSummary>;
    /** A past minute. */
    at(query: WithDates<Query<'/v1/live/at'>>, options?: CallOptions): Promise<LiveSky>;
    /** What changes, until it is left or aborted; a lost connection is resumed. */
    stream(query?: Query<'/v1/live/stream'>, options?: StreamOptions): AsyncGenerator<LiveEvent>;
  };
  readonly observations: {
    /** Which frames there are. */
    frames(query?: WithDates<Query<'/v1/observations/frames'>>, options?: CallOptions): Promise<FrameList>;
    /** The confidence of every pixel of a frame as netCDF. */
    readonly detections: FileEndpoint<typeof DETECTIONS>;
    /** The infrared composite of a frame as PNG, for maps. */
    readonly picture: FileEndpoint<'/v1/observations/picture'>;
    /** Lines of a frame that may be contrails. */
    segments(query: WithDates<Query<typeof SEGMENTS>>, options?: ProductOptions): Promise<ContrailSegments>;
    /** Observed contrails of flights. */
    attributions(query: Query<typeof ATTRIBUTIONS>, options?: ProductOptions): Promise<Attributions>;
    /** Flights of a day whose contrails satellites saw. */
    flights(
      query: WithDates<Query<'/v1/observations/flights'>>,
      options?: CallOptions,
    ): Promise<Attributions>;
    /** Observed and modelled contrails of a day. */
    verification(
      query: WithDates<Query<'/v1/observations/verification'>>,
      options?: CallOptions,
    ): Promise<Verification>;
  };
  readonly jobs: {
    /** The newest 50 jobs of the key, newest first, without their results. */
    list(options?: CallOptions): Promise<JobList>;
    get(id: string, options?: CallOptions): Promise<Job>;
    /** Waits until the job is done; aborting cancels it. */
    wait(id: string, options?: WaitOptions): Promise<Job>;
    /** The body that the request would have been answered with. */
    result<T = unknown>(id: string, options?: CallOptions): Promise<T>;
    cancel(id: string, options?: CallOptions): Promise<void>;
  };
  readonly auth: {
    /** Name, scopes, expiry and limits of the key. */
    validateKey(options?: CallOptions): Promise<KeyInfo>;
  };
  /** `health` and `readiness` need no key and are not retried: what they throw is the status. */
  readonly status: {
    /** Weather, products, jobs and versions at one look. */
    overview(options?: CallOptions): Promise<ServiceStatus>;
    health(options?: CallOptions): Promise<Health>;
    /** What the service depends on; also where it is not ready. */
    readiness(options?: CallOptions): Promise<Readiness>;
  };
  /** Any endpoint; throws `ContrailsError` unless the status is 2xx or 304. Retries, key and address as for the others. */
  request(
    path: (keyof paths & string) | (string & {}),
    options?: Omit<Exchange, 'path' | 'method'> & { readonly method?: Exchange['method'] },
  ): Promise<Response>;
}

export function createClient(options: ClientOptions = {}): ContrailsClient {
  const transport = createTransport(options);
  return {
    baseUrl: transport.base,
    trajectory: trajectoryOf(transport),
    grid: gridOf(transport),
    forecast: {
      grid: fileEndpoint(transport, '/v1/grids'),
      regions: (query, call) => getJson(transport, '/v1/regions', query, call),
      runs: (query, call) => getJson(transport, '/v1/forecast/runs', query, call),
      skill: (call) => getJson(transport, '/v1/forecast/skill', undefined, call),
    },
    planning: {
      levels: flightEndpoint(transport, '/v1/planning/levels'),
      profile: flightEndpoint(transport, '/v1/planning/profile'),
      route: flightEndpoint<
        (RouteToPlan | FlownRoute) & { flight_id?: unknown },
        PlannedRoute,
        Query<'/v1/planning/route', 'post'>
      >(transport, '/v1/planning/route'),
    },
    telemetry: {
      hour: fileEndpoint(transport, '/v1/adsb/telemetry'),
      post: (body, query, call) =>
        sendJson(transport, call, {
          method: 'POST',
          path: '/v1/adsb/ingest',
          query,
          headers: { 'content-type': 'application/octet-stream' },
          body,
          isRepeatable: true,
        }),
    },
    inventory: {
      summary: fileEndpoint(transport, '/v1/inventory/summary'),
      segments: fileEndpoint(transport, '/v1/inventory/segments'),
      rejections: fileEndpoint(transport, '/v1/inventory/rejections'),
      completeness: (query, call) => getJson(transport, '/v1/inventory/completeness', query, call),
      totals: (query, call) => getJson(transport, '/v1/inventory/totals', query, call),
      flight: (query, call) => getJson(transport, '/v1/inventory/flight', query, call),
      dates: (call) => getJson(transport, '/v1/inventory/dates', {}, call),
    },
    live: {
      flights: (query, call) => getJson(transport, '/v1/live/flights', query, call),
      contrails: (query, call) => getJson(transport, '/v1/live/contrails', query, call),
      flight: (id, call) => getJson(transport, `/v1/live/flights/${encodeURIComponent(id)}`, {}, call),
      summary: (call) => getJson(transport, '/v1/live/summary', {}, call),
      at: (query, call) => getJson(transport, '/v1/live/at', query, call),
      stream: (query = {}, options = {}) => streamEvents(transport, query, options),
    },
    observations: {
      frames: (query, call) => getJson(transport, '/v1/observations/frames', query, call),
      detections: fileEndpoint(transport, DETECTIONS),
      picture: fileEndpoint(transport, '/v1/observations/picture'),
      segments: (query, call) => getJson(transport, SEGMENTS, query, call),
      attributions: (query, call) => getJson(transport, ATTRIBUTIONS, query, call),
      flights: (query, call) => getJson(transport, '/v1/observations/flights', query, call),
      verification: (query, call) => getJson(transport, '/v1/observations/verification', query, call),
    },
    jobs: {
      list: (call) => getJson(transport, '/v0/jobs', {}, call),
      get: (id, call) => getJson(transport, jobPath(id), {}, call),
      wait: (id, wait = {}) => waitForJob(transport, id, wait),
      result: (id, call) => getJson(transport, `${jobPath(id)}/result`, {}, call),
      cancel: (id, call) => cancelJob(transport, id, call?.signal),
    },
    auth: { validateKey: (call) => getJson(transport, '/v0/auth/validate-key', {}, call) },
    status: {
      overview: (call) => getJson(transport, '/v0/status', {}, call),
      health: (call) => sendJson(transport, call, { method: 'GET', path: '/healthz', attempts: 1 }),
      readiness: (call) => readinessOf(transport, call),
    },
    request: (path, { method = 'GET', ...exchange } = {}) =>
      transport.send({ ...exchange, method, path }, async (response) => response),
  };
}

function trajectoryOf(transport: Transport): ContrailsClient['trajectory'] {
  const endpoint = <M extends TrajectoryModel>(model: M): TrajectoryEndpoint<M> =>
    flightEndpoint(transport, `/v0/trajectory/${model}`);
  return {
    sac: endpoint('sac'),
    issr: endpoint('issr'),
    emissions: endpoint('emissions'),
    cocip: endpoint('cocip'),
    submit: (model, flight, options) => {
      const { signal, onWarnings, ...query } = options ?? ({} as CallOptions);
      return submitFlight(transport, `/v0/trajectory/${model}`, flight, query, { signal, onWarnings });
    },
  };
}

function flightExchange(path: string, flight: object, query: object) {
  return { method: 'POST', path, query, body: JSON.stringify(flight) } as const;
}

function submitFlight(
  transport: Transport,
  path: string,
  flight: object,
  query: object,
  call?: CallOptions,
): Promise<AcceptedJob> {
  return sendJson<AcceptedJob>(transport, call, {
    ...flightExchange(path, flight, query),
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
  });
}

/** Computes a flight or a fleet at once, or as a job that is waited for. */
function flightEndpoint<
  F extends { flight_id?: unknown },
  R extends { warnings?: string[] },
  O extends object,
>(transport: Transport, path: string): (flight: F, options?: O & WorkOptions) => Promise<R> {
  return async (flight, options) => {
    const { signal, onWarnings, onProgress, background, ...query } = options ?? ({} as O & WorkOptions);
    const isJob = background ?? (onProgress !== undefined || Array.isArray(flight.flight_id));
    if (isJob) {
      const job = await runJob(transport, () => submitFlight(transport, path, flight, query), {
        signal,
        onProgress,
      });
      return withWarnings(resultOf<R>(job), job.warnings ?? [], onWarnings);
    }
    let warnings: readonly string[] = [];
    const collect = { signal, onWarnings: (list: readonly string[]) => (warnings = list) };
    const result = await sendJson<R>(transport, collect, {
      ...flightExchange(path, flight, query),
      headers: { 'content-type': 'application/json' },
      // Nothing but the answer comes of it.
      isRepeatable: true,
    });
    return withWarnings(result, warnings, onWarnings);
  };
}

function resultOf<T>({ id, result, detail }: Job): T {
  if (result !== undefined && result !== null) return result as T;
  throw new ContrailsError(detail ?? `the job ${id} has no result; send the request again`, {
    code: 'not-found',
    request: `GET ${jobPath(id)}`,
    jobId: id,
  });
}

/** The body has the warnings only where more than the plain fields was asked for. */
function withWarnings<T extends { warnings?: string[] }>(
  result: T,
  warnings: readonly string[],
  onWarnings: CallOptions['onWarnings'],
): T {
  if (warnings.length === 0) return result;
  onWarnings?.(warnings);
  return { ...result, warnings: [...warnings] };
}

function gridOf(transport: Transport): ContrailsClient['grid'] {
  const computed =
    <M extends GridModel>(model: M): GridEndpoint<M> =>
    (query, call) =>
      transport.send(getExchange(`/v0/grid/${model}`, query, call), readGrid(query.format, call));
  return {
    sac: computed('sac'),
    issr: computed('issr'),
    pcr: computed('pcr'),
    accf: computed('accf'),
    cocip: async (query, options = {}) => {
      const { background = true, signal, onProgress } = options;
      const exchange = getExchange('/v0/grid/cocip', query, options);
      const read = readGrid(query.format, options);
      if (!background) return transport.send(exchange, read);
      const headers = { prefer: 'respond-async' };
      const made = await transport.send({ ...exchange, headers }, async (response) =>
        response.status === 202
          ? { job: await readJson<AcceptedJob>(response) }
          : { answer: await read(response) },
      );
      if ('answer' in made) return made.answer;
      await waitForJob(transport, made.job.id, { signal, onProgress });
      return transport.send(exchange, read);
    },
    weather: fileEndpoint(transport, '/v0/grid/weather'),
    contrailWeather: fileEndpoint(transport, '/v0/grid/weather/contrails'),
    availability: (call) => getJson(transport, '/v0/grid/availability', {}, call),
  };
}

/** Polygons are read as JSON, everything else is a file. */
function readGrid<F extends GridFormat>(format: F | undefined, call: CallOptions | undefined) {
  type Answer = F extends 'geojson' ? FeatureCollection : RemoteFile;
  const read = format === 'geojson' ? jsonReader<FeatureCollection>(call) : fileReader(call);
  return read as (response: Response) => Promise<Answer>;
}

function fileEndpoint<P extends PathsWith<'get'>>(transport: Transport, path: P): FileEndpoint<P> {
  return Object.assign(
    (query: WithDates<Query<P>>, call?: ProductOptions) => getFile(transport, path, query, call),
    {
      ranges: (query: WithDates<Query<P>>, call?: ProductOptions) =>
        openRanges(transport, getExchange(path, query, call)),
    },
  );
}

function getFile(
  transport: Transport,
  path: string,
  query: object,
  call: ProductOptions | undefined,
): Promise<RemoteFile> {
  return transport.send(getExchange(path, query, call), fileReader(call));
}

function fileReader(call: CallOptions | undefined) {
  return async (response: Response): Promise<RemoteFile> => {
    const file = fileOf(response, `GET ${response.url}`);
    if (file.warnings.length > 0) call?.onWarnings?.(file.warnings);
    return file;
  };
}

function getJson<T>(
  transport: Transport,
  path: string,
  query: object = {},
  call: ProductOptions | undefined = {},
): Promise<T> {
  return sendJson(transport, call, getExchange(path, query, call));
}

function sendJson<T>(transport: Transport, call: CallOptions | undefined, exchange: Exchange): Promise<T> {
  return transport.send({ ...exchange, signal: call?.signal }, jsonReader<T>(call));
}

function jsonReader<T>(call: CallOptions | undefined) {
  return async (response: Response): Promise<T> => {
    const json = await readJson<T>(response);
    const warnings = warningsOf(response.headers);
    if (warnings.length > 0) call?.onWarnings?.(warnings);
    return json;
  };
}

function getExchange(path: string, query: object, call: ProductOptions | undefined): Exchange {
  const { signal, waitMs } = call ?? {};
  return { method: 'GET', path, query, signal, waitMs };
}

/** A service that is not ready lists its checks in the problem. */
async function readinessOf(transport: Transport, call: CallOptions | undefined): Promise<Readiness> {
  try {
    return await sendJson(transport, call, { method: 'GET', path: '/readyz', attempts: 1 });
  } catch (error) {
    const { checks } = ((error instanceof ContrailsError && error.problem) || {}) as Partial<Readiness>;
    if (checks === undefined) throw error;
    return { status: 'not ready', checks };
  }
}
