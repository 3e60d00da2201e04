import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../shell/session.ts';
import { energyText } from '../text.ts';
import type { CrossSection } from './cross-section.ts';
import { drawProfile, profileLayout, timeAt, xOf } from './draw-profile.ts';
import type { PlanPoint } from './plan.ts';
import type { ResultPoint } from './result.ts';

interface ProfileChartProps {
  readonly points: readonly ResultPoint[];
  readonly section: CrossSection | undefined;
  /** The profile that planning proposes; empty for none. */
  readonly proposal: readonly PlanPoint[];
  /** The minute whose values are shown, here and on the map. */
  readonly pointed: number | undefined;
  readonly onPoint: (index: number | undefined) => void;
}

/** Height over time with the humidity around the path; pointer and arrow keys read values, which the map shows too. */
export function ProfileChart({ points, section, proposal, pointed, onPoint }: ProfileChartProps) {
  const { theme } = useSession();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const layout = profileLayout(size.width, size.height);
  const point = pointed === undefined ? undefined : points[pointed];

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || size.width === 0) return;
    const ratio = devicePixelRatio;
    element.width = size.width * ratio;
    element.height = size.height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawProfile(context, profileLayout(size.width, size.height), { points, section, proposal }, theme);
  }, [points, section, proposal, theme, size]);

  const follow = (event: PointerEvent) => {
    const timeMs = timeAt(layout, points, event.offsetX);
    onPoint(
      Math.max(
        points.findLastIndex((one) => one.timeMs <= timeMs),
        0,
      ),
    );
  };

  return (
    <figure class="profile">
      <div class="plot">
        <canvas
          ref={canvas}
          id="profile"
          role="img"
          aria-label={`Vertical profile: ${summaryOf(points)}`}
          onPointerMove={follow}
          onPointerDown={follow}
          onPointerLeave={(event) => event.pointerType === 'mouse' && onPoint(undefined)}
        />
        {point !== undefined && (
          <i
            class="cursor"
            style={{
              left: `${xOf(layout, points, point.timeMs)}px`,
              top: `${layout.top}px`,
              height: `${layout.barsTop + layout.bars - layout.top}px`,
            }}
          />
        )}
      </div>
      <input
        type="range"
        aria-label="Minute of the flight"
        aria-valuetext={point === undefined ? 'none chosen' : pointText(point)}
        min={0}
        max={Math.max(points.length - 1, 1)}
        value={pointed ?? 0}
        onInput={(event) => onPoint(Number(event.currentTarget.value))}
      />
      <figcaption>
        {point === undefined
          ? 'Point at the chart or the track, or move the slider, to read values.'
          : pointText(point)}
      </figcaption>
    </figure>
  );
}

function pointText(point: ResultPoint): string {
  const { timeMs, altitudeFt, latitude, longitude, rhi, energyForcing, contrailAgeMin } = point;
  const parts = [
    `${new Date(timeMs).toISOString().slice(11, 16)} UTC`,
    `FL${Math.round(altitudeFt / 100)}`,
    `${Math.abs(latitude).toFixed(1)}°${latitude < 0 ? 'S' : 'N'} ${Math.abs(longitude).toFixed(1)}°${longitude < 0 ? 'W' : 'E'}`,
    rhi === null ? 'humidity unknown' : `RHi ${Math.round(100 * rhi)} %`,
    energyForcing === null
      ? 'outside the weather'
      : energyForcing === 0
        ? 'no lasting contrail'
        : `${energyText(energyForcing)}, lives ${Math.round(contrailAgeMin ?? 0)} min`,
  ];
  return parts.join(' · ');
}

function summaryOf(points: readonly ResultPoint[]): string {
  const count = points.filter(({ energyForcing }) => energyForcing !== null && energyForcing !== 0).length;
  const top = Math.max(...points.map(({ altitudeFt }) => altitudeFt));
  return `${points.length} minutes up to flight level ${Math.round(top / 100)}, lasting contrails in ${count} of them`;
}
