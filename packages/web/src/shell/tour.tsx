import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo, type View } from './route.ts';

const NAME = 'contrails-tour';
/** A link to a view is followed without a tour; the views write into the address later. */
const CAME_BY_LINK = location.hash.length > 2;

interface Step {
  readonly view: View;
  readonly title: string;
  readonly text: string;
}

const LIVE_STEP: Step = {
  view: 'live',
  title: 'The sky now',
  text: 'Aircraft as they fly, and the contrails that they have left where the wind has carried them: red ones warm at this moment, blue ones cool. Click an aircraft, or play the last hours below.',
};

const STEPS: readonly Step[] = [
  {
    view: 'map',
    title: 'Where contrails warm',
    text: 'Colours show how much the contrail of a flight would warm, from 0 (not at all) to 4. Move the flight level on the right and the hour below, or press play.',
  },
  {
    view: 'map',
    title: 'What lies behind it',
    text: 'Layers switch to humidity, temperature and wind, and to the regions that a flight should avoid. Values under the pointer are at the bottom.',
  },
  {
    view: 'flight',
    title: 'Your own flight',
    text: 'Drop a track here, or choose two airports and an aircraft. The service follows the contrails of the flight until they end and adds up what they do.',
  },
  {
    view: 'inventory',
    title: 'A whole day',
    text: 'The inventory lists every flight of a day. A few flights cause most of the warming: sort the table and see which.',
  },
];

/** Some steps for the first visit, from the view that it began with; can be skipped, and does not come back. */
export function Tour({ view }: { readonly view: View }) {
  const [steps] = useState(() => (view === 'live' ? [LIVE_STEP, ...STEPS] : STEPS));
  const [step, setStep] = useState<number | undefined>(() =>
    localStorage.getItem(NAME) === null && !CAME_BY_LINK ? 0 : undefined,
  );
  const card = useRef<HTMLElement>(null);

  useEffect(() => {
    if (step !== undefined) card.current?.focus();
  }, [step]);

  const shown = step === undefined ? undefined : steps[step];
  if (step === undefined || shown === undefined) return null;
  const end = () => {
    localStorage.setItem(NAME, 'seen');
    setStep(undefined);
  };
  const show = (next: number) => {
    const target = steps[next];
    if (target === undefined) {
      end();
      goTo(steps[0]?.view ?? 'map');
      return;
    }
    setStep(next);
    if (target.view !== shown.view) goTo(target.view);
  };
  return (
    <section
      ref={card}
      class="tour"
      tabIndex={-1}
      aria-label={`Tour, step ${step + 1} of ${steps.length}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') end();
      }}
    >
      <p class="step">
        {step + 1} of {steps.length}
      </p>
      <h2>{shown.title}</h2>
      <p>{shown.text}</p>
      <footer>
        <button type="button" class="quiet" onClick={end}>
          Skip
        </button>
        {step > 0 && (
          <button type="button" onClick={() => show(step - 1)}>
            Back
          </button>
        )}
        <button type="button" class="primary" onClick={() => show(step + 1)}>
          {step === steps.length - 1 ? 'Done' : 'Next'}
        </button>
      </footer>
    </section>
  );
}
