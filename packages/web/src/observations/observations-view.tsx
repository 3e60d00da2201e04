import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { validDate } from '../inventory/inventory-state.ts';
import { Legend } from '../map/legend.tsx';
import { detectionShapes, segmentShapes } from '../map/satellite-shapes.ts';
import { SaveMap } from '../map/save-map.tsx';
import { DETECTION_LAYERS, LINE_SWATCH, PIXEL_SWATCH, SEGMENT_LAYERS } from '../map/shape-styles.ts';
import { isAbort, messageOf, service } from '../service.ts';
import { replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { TypedField } from '../shell/typed-field.tsx';
import type { Shapes } from '../stage/stage.ts';
import { timeText } from '../text.ts';
import { boundsOf } from '../track.ts';
import { FlightEvidence, type SeenFlight } from './flight-evidence.tsx';
import { FlightLookup } from './flight-lookup.tsx';
import { FrameBar } from './frame-bar.tsx';
import { type Frame, type FrameDay, isServed, loadPicture, openFrames, verify } from './load-observations.ts';
import { formatState, type ObservationsState, parseState } from './observations-state.ts';
import { VerificationChart } from './verification-chart.tsx';

const FLIGHT_SWATCH = { fill: '#e84a8a', fillOpacity: 1, line: '#e84a8a', width: 0 };
const PICTURE_SWATCH = { fill: '#20245c', fillOpacity: 1, line: '#8a93c9', width: 1 };
const LEGEND = [
  { title: 'line that may be a contrail (L2)', swatch: LINE_SWATCH },
  { title: 'pixel that may be a contrail, the stronger the surer (L1)', swatch: PIXEL_SWATCH },
  {
    title: 'thin ice cloud in the infrared picture; thick cloud is red, warm ground bright',
    swatch: PICTURE_SWATCH,
  },
  { title: 'contrail of the chosen flight', swatch: FLIGHT_SWATCH },
];
const ATTRIBUTED: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': FLIGHT_SWATCH.fill, 'line-width': 5 },
  },
];

/** What satellites saw on a day: images on a time bar, lines and pixels on the map, flights, and the models alongside. */
export function ObservationsView({ parameters }: { readonly parameters: URLSearchParams }) {
  const [state, setState] = useState(() => parseState(parameters));
  const update = useCallback(
    (change: Partial<ObservationsState>) => setState((before) => ({ ...before, ...change })),
    [],
  );
  const { date, clock, flights: keys, chosen } = state;
  useEffect(() => setState(parseState(parameters)), [parameters]);

  const { value: day, error, isLoading } = useLoaded((signal) => openFrames(date, signal), date);
  const index = useMemo(() => indexOf(day, clock), [day, clock]);
  const frame = day?.frames[index];
  const flights = useLoaded(
    (signal) =>
      day === undefined ? undefined : service.observations.flights({ date: day.date }, { signal }),
    day?.date,
  );
  const verification = useLoaded(
    (signal) => (day === undefined ? undefined : verify(day.date, signal)),
    day?.date,
  );
  const notice = useFrameShapes(frame);
  useFlightShape(flights.value?.find(({ flight }) => flight === chosen));

  useEffect(() => {
    if (day !== undefined) replaceParameters('observations', formatState({ ...state, date: day.date }));
  }, [day, state]);

  return (
    <main class="observations-view">
      <aside class="panel" aria-label="Observations">
        <div class="day-bar">
          <TypedField
            label="Day"
            type="date"
            value={day?.date ?? date ?? ''}
            onValue={(value) => update({ date: validDate(value), clock: undefined, chosen: undefined })}
          />
          {day !== undefined && (
            <p class="hint">
              {day.satellite}: {day.frames.filter(isServed).length} of {day.frames.length} images are ready
            </p>
          )}
        </div>
        {error !== undefined && (
          <p class="notice" role="status">
            {error}
          </p>
        )}
        {isLoading && <p aria-busy="true">Loading the images…</p>}
        {day !== undefined && (
          <>
            <FrameBar
              frames={day.frames}
              index={index}
              onIndex={(next) => update({ clock: day.frames[next]?.time.slice(11, 16) })}
            />
            <Legend entries={LEGEND} />
            <SaveMap
              name={`contrails-${day.satellite}-${frame?.time.slice(0, 16)}`}
              parts={
                frame && {
                  title: 'Contrails in satellite imagery',
                  lines: [
                    `${day.satellite}, image of ${timeText(Date.parse(frame.time))}`,
                    ...(chosen === undefined ? [] : [`Chosen flight: ${chosen}`]),
                  ],
                  legend: LEGEND,
                }
              }
            />
            {notice !== undefined && (
              <p class="notice" role="status">
                {notice}
              </p>
            )}
            <section aria-label="Flights that were seen">
              <h2>Flights that were seen</h2>
              {flights.error !== undefined && <p class="hint">{flights.error}</p>}
              {flights.value?.length === 0 && (
                <p class="hint">
                  No contrail of this day is attributed to a flight yet. It is when the telemetry of the hours
                  before the image is there.
                </p>
              )}
              {flights.value !== undefined && (
                <FlightEvidence
                  flights={flights.value}
                  chosen={chosen}
                  onChoose={(flight) => update({ chosen: flight })}
                />
              )}
            </section>
            <FlightLookup keys={keys} onKeys={(wanted) => update({ flights: wanted })} />
            <section aria-label="Verification">
              <h2>Seen and computed</h2>
              {verification.error !== undefined && <p class="hint">{verification.error}</p>}
              {verification.value !== undefined && <VerificationChart verification={verification.value} />}
            </section>
          </>
        )}
      </aside>
    </main>
  );
}

function indexOf(day: FrameDay | undefined, clock: string | undefined): number {
  if (day === undefined) return 0;
  const asked = day.frames.findIndex(({ time }) => time.slice(11, 16) === clock);
  if (asked >= 0) return asked;
  const served = day.frames.findLastIndex(isServed);
  return served < 0 ? day.frames.length - 1 : served;
}

/** What a key of the view loads; loaded again with another key and after the service was away. */
function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T> | undefined,
  subject: string | undefined,
): { readonly value: T | undefined; readonly error: string | undefined; readonly isLoading: boolean } {
  const { key, connection } = useSession();
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<string>();
  const [isLoading, setLoading] = useState(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` depends on the subject alone
  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    setError(undefined);
    setValue(undefined);
    setLoading(true);
    load(stopped.signal)
      ?.then(setValue, (problem: unknown) => {
        if (!stopped.signal.aborted && !isAbort(problem)) setError(messageOf(problem));
      })
      .finally(() => {
        if (!stopped.signal.aborted) setLoading(false);
      });
    return () => stopped.abort();
  }, [key, connection, subject]);

  return { value, error, isLoading };
}

/** Lines and pixels of a frame on the map; returns why they are not there. */
function useFrameShapes(frame: Frame | undefined): string | undefined {
  const { stage } = useSession();
  const [notice, setNotice] = useState<string>();
  const shown = frame !== undefined && isServed(frame) ? frame : undefined;

  useEffect(() => {
    setNotice(undefined);
    if (stage === undefined || shown === undefined) return;
    const { time } = shown;
    const stopped = new AbortController();
    const { signal } = stopped;
    const show = async () => {
      const [picture, segments, file] = await Promise.all([
        loadPicture(shown, signal),
        service.observations.segments({ time }, { signal }),
        service.observations.detections({ time }, { signal }),
      ]);
      const pixels = detectionShapes(await file.arrayBuffer());
      if (signal.aborted) return;
      const lines = segmentShapes(segments);
      stage.setPicture(picture);
      stage.setShapes('seen-pixels', { data: pixels, layers: DETECTION_LAYERS });
      stage.setShapes('seen-lines', { data: lines, layers: SEGMENT_LAYERS });
      const points = lines.features.flatMap(({ geometry }) =>
        geometry.type === 'LineString' ? geometry.coordinates : [],
      );
      if (points.length > 0) {
        const positions = points.map(([longitude = 0, latitude = 0]) => ({ longitude, latitude }));
        stage.fit(boundsOf(positions), mapPadding());
      }
    };
    show().catch((problem: unknown) => {
      if (!signal.aborted && !isAbort(problem)) setNotice(messageOf(problem));
    });
    return () => {
      stopped.abort();
      stage.setPicture(undefined);
      stage.setShapes('seen-lines', undefined);
      stage.setShapes('seen-pixels', undefined);
    };
  }, [stage, shown]);

  return notice;
}

function mapPadding() {
  return matchMedia('(min-width: 48rem)').matches
    ? { left: 500, right: 60, top: 80, bottom: 60 }
    : { left: 20, right: 20, top: 70, bottom: Math.round(innerHeight * 0.66) };
}

/** The contrails of a flight as they were attributed. */
function useFlightShape(flight: SeenFlight | undefined): void {
  const { stage } = useSession();
  useEffect(() => {
    if (stage === undefined || flight === undefined) return;
    const features = flight.attributions.flatMap(({ contrail_geometry: geometry }): GeoJSON.Feature[] =>
      geometry === null || geometry === undefined
        ? []
        : [{ type: 'Feature', properties: {}, geometry: geometry as GeoJSON.Geometry }],
    );
    stage.setShapes('seen-flight', { data: { type: 'FeatureCollection', features }, layers: ATTRIBUTED });
    return () => stage.setShapes('seen-flight', undefined);
  }, [stage, flight]);
}
