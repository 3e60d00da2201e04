import type { Theme } from '../stage/basemap-style.ts';
import { MetricSelect } from './metric-select.tsx';
import type { View } from './route.ts';
import { useSession } from './session.ts';

const NAMES: Readonly<Record<View, string>> = {
  live: 'Live',
  map: 'Map',
  flight: 'Flight',
  inventory: 'Inventory',
  observations: 'Satellites',
  skill: 'Skill',
  status: 'Status',
};

interface HeaderProps {
  readonly view: View;
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
  readonly onKey: () => void;
  readonly onSearch: () => void;
}

export function Header({ view, ...actions }: HeaderProps) {
  const { status } = useSession();
  const isSynthetic = status?.weather.some(({ synthetic }) => synthetic) ?? false;
  return (
    <header class="header">
      <h1>Contrails</h1>
      <nav aria-label="Views">
        {Object.entries(NAMES).map(([name, label]) => (
          <a key={name} href={`#/${name}`} aria-current={name === view ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {isSynthetic && (
        <strong class="synthetic" title="This service runs on made-up weather. Do not use the numbers.">
          Synthetic<span> demonstration data</span>
        </strong>
      )}
      <div class="actions">
        <button
          type="button"
          class="find"
          aria-label="Search"
          aria-keyshortcuts="/"
          onClick={actions.onSearch}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path
              d="M8.5 3a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11zM12.5 12.5l4.5 4.5"
              fill="none"
              stroke="currentColor"
              stroke-width="1.8"
            />
          </svg>
          <kbd>/</kbd>
        </button>
        <div class="wide">
          <Actions view={view} {...actions} />
        </div>
        <button type="button" class="more" popovertarget="more" aria-label="More">
          …
        </button>
        <div id="more" popover>
          <Actions view={view} {...actions} />
        </div>
      </div>
    </header>
  );
}

/** In the header, and on a phone in a menu. */
function Actions({ view, theme, onTheme, onKey }: Omit<HeaderProps, 'onSearch'>) {
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <>
      {(view === 'live' || view === 'flight' || view === 'inventory') && <MetricSelect />}
      <a href="docs">Manual</a>
      <a href="openapi">API</a>
      <button type="button" onClick={onKey}>
        Key
      </button>
      <button type="button" aria-label={`Switch to the ${other} theme`} onClick={() => onTheme(other)}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M10 2a8 8 0 1 0 0 16zM10 2a8 8 0 0 1 0 16z" fill="none" stroke="currentColor" />
          <path d="M10 2a8 8 0 0 1 0 16z" fill="currentColor" />
        </svg>
      </button>
    </>
  );
}
