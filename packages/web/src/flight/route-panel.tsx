import { massText, timeText } from '../text.ts';
import { FrontChart, pointText } from './front-chart.tsx';
import { changedSettings, type PlanSettings } from './plan-settings.ts';
import { type FoundRoutes, SEARCH } from './routes.ts';

export interface RouteSearch {
  readonly isRunning: boolean;
  /** The newest answer, also while another is made. */
  readonly routes: FoundRoutes | undefined;
  /** Id of the option that the map and the profile show. */
  readonly selected: string | undefined;
  /** Why the last search failed. */
  readonly message: string | undefined;
}

interface RoutePanelProps {
  readonly search: RouteSearch;
  readonly settings: PlanSettings;
  readonly onSearch: () => void;
  readonly onCancel: () => void;
  readonly onSelect: (id: string | undefined) => void;
}

/** Ways across, up and down: what each burns and how much it warms. */
export function RoutePanel({ search, settings, onSearch, onCancel, onSelect }: RoutePanelProps) {
  const { isRunning, routes, message } = search;
  return (
    <div class="plan routes">
      <h3>Other routes</h3>
      <p class="hint">
        To the side, up and down, with the winds and at the prices above. Airspace, charges and traffic are
        not known.
      </p>
      <div class="exports">
        <button
          type="button"
          class="primary"
          disabled={isRunning || routes?.settings === settings}
          onClick={onSearch}
        >
          {isRunning ? 'Searching routes…' : routes === undefined ? 'Search routes' : 'Search again'}
        </button>
        {isRunning && (
          <button type="button" onClick={onCancel}>
            Cancel the search
          </button>
        )}
      </div>
      {message !== undefined && (
        <p class="error" role="alert">
          {message}
        </p>
      )}
      {routes !== undefined && <Found routes={routes} selected={search.selected} onSelect={onSelect} />}
    </div>
  );
}

interface FoundProps {
  readonly routes: FoundRoutes;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}

function Found({ routes, selected, onSelect }: FoundProps) {
  const { options, sentence, isChange, notes, settings } = routes;
  const shown = options.find(({ id }) => id === selected);
  const start = options[0]?.points[0]?.timeMs;
  return (
    <>
      <p class={isChange ? 'meaning better' : 'meaning'} role="status">
        {sentence}
      </p>
      {options.length > 0 && (
        <FrontChart
          options={options}
          selected={selected}
          source={`Verified by the full models${start === undefined ? '' : `; cruise from ${timeText(start)}`}`}
          onSelect={onSelect}
        />
      )}
      <p class="hint">
        Each route weighs contrails against fuel in another way; the cheapest is that at your prices. Select a
        point to see its route on the map and its profile.
      </p>
      <p aria-live="polite">{shown === undefined ? 'No route is selected.' : pointText(shown)}</p>
      {shown !== undefined && (
        <button type="button" class="quiet" onClick={() => onSelect(undefined)}>
          Show the flight again
        </button>
      )}
      <table class="levels">
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col">Fuel</th>
            <th scope="col">Time</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {options.map((option) => (
            <tr key={option.id} class={option.id === routes.chosen?.id ? 'best' : ''}>
              <th scope="row">{option.name}</th>
              <td>{massText(option.fuelKg)}</td>
              <td>{Math.round(option.minutes)} min</td>
              <td>{Math.round(option.cost).toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">{notes.join(' ')}</p>
      <p class="hint">
        The same on the command line: <code>{routeCommand(settings)}</code>
      </p>
    </>
  );
}

function routeCommand(settings: PlanSettings): string {
  const flags = changedSettings(settings).map(([name, value]) => `--${name.replaceAll('_', '-')} ${value}`);
  const search = Object.entries(SEARCH).map(([name, value]) => `--${name.replaceAll('_', '-')} ${value}`);
  return ['contrails plan route FLIGHT --front verified', ...search, ...flags].join(' ');
}
