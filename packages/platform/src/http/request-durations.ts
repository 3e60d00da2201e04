import type { Metric } from 'prom-client';

const NAME = 'contrails_http_request_duration_seconds';
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

interface Series {
  readonly labels: { readonly route: string; readonly method: string; readonly status: number };
  /** Requests by the first bound they do not exceed; the last entry is for those beyond all. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * Histogram of how long requests take. Prometheus' own class costs several microseconds for each request, a fair part
 * of what a small one takes; here a request adds to two numbers, and the lines are made when they are read.
 */
export class RequestDurations {
  readonly name = NAME;
  readonly #series = new Map<string, Map<number, Series>>();

  observe(route: string, method: string, status: number, seconds: number): void {
    const series = this.#seriesOf(route, method, status);
    let index = 0;
    while (index < BOUNDS.length && seconds > (BOUNDS[index] ?? 0)) index++;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += seconds;
  }

  asMetric(): Metric {
    return this as unknown as Metric;
  }

  /** What the registry asks of every metric. */
  async get() {
    const all = [...this.#series.values()].flatMap((byStatus) => [...byStatus.values()]);
    return {
      name: NAME,
      help: 'Time from the arrival of a request until its answer is sent, by route, method and status.',
      type: 'histogram',
      aggregator: 'sum',
      values: all.flatMap(lines),
    };
  }

  #seriesOf(route: string, method: string, status: number): Series {
    const name = method === 'GET' ? route : `${method} ${route}`;
    let byStatus = this.#series.get(name);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.#series.set(name, byStatus);
    }
    let series = byStatus.get(status);
    if (series === undefined) {
      series = { labels: { route, method, status }, counts: new Float64Array(BOUNDS.length + 1), sum: 0 };
      byStatus.set(status, series);
    }
    return series;
  }
}

function lines({ labels, counts, sum }: Series) {
  let count = 0;
  const buckets = [...BOUNDS, '+Inf'].map((bound, index) => {
    count += counts[index] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le: bound, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
