import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../shell/session.ts';
import { energyText } from '../text.ts';
import type { CrossSection } from './cross-section.ts';
import { drawProfile, profileLayout, timeAt } from './draw-profile.ts';
import type { PlanPoint } from './plan.ts';
import type { ResultPoint } from './result.ts';

interface ProfileChartProps {
  readonly points: readonly ResultPoint[];
  readonly section: CrossSection | undefined;
  /** The profile that planning proposes; empty for none. */
  readonly proposal: readonly PlanPoint[];
}

/** Height over time with the humidity around the path; the value under the pointer is below. */
export function ProfileChart({ points, section, proposal }: ProfileChartProps) {
  const { theme } = useSession();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [pointed, setPointed] = useState<ResultPoint>();

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

  const point = (event: PointerEvent) => {
    const timeMs = timeAt(profileLayout(size.width, size.height), points, event.offsetX);
    setPointed(points.findLast((one) => one.timeMs <= timeMs));
  };

  return (
    <figure class="profile">
      <canvas
        ref={canvas}
        id="profile"
        role="img"
        aria-label={`Vertical profile: ${summaryOf(points)}`}
        onPointerMove={point}
        onPointerLeave={() => setPointed(undefined)}
      />
      <figcaption>
        {pointed === undefined
          ? `Colour: humidity over ice, blue from 100 % on. Dots: contrails form. Bars: energy forcing, red warms.${proposal.length === 0 ? '' : ' Green: proposed profile.'}`
          : pointText(pointed)}
      </figcaption>
    </figure>
  );
}

function pointText({ timeMs, altitudeFt, rhi, energyForcing, contrailAgeMin }: ResultPoint): string {
  const parts = [
    `${new Date(timeMs).toISOString().slice(11, 16)} UTC`,
    `FL${Math.round(altitudeFt / 100)}`,
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
