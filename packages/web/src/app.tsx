import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { FlightView } from './flight/flight-view.tsx';
import { InventoryView } from './inventory/inventory-view.tsx';
import { LiveView } from './live/live-view.tsx';
import { MapBackdrop } from './map/map-backdrop.tsx';
import { MapView } from './map/map-view.tsx';
import { ObservationsView } from './observations/observations-view.tsx';
import { Search } from './search/search.tsx';
import { hasLiveSky } from './service.ts';
import { Banner } from './shell/banner.tsx';
import { Header } from './shell/header.tsx';
import { KeyDialog } from './shell/key-dialog.tsx';
import { type Route, useFirstView, useRoute } from './shell/route.ts';
import { type Session, SessionContext, useConnection, useKey, useStatus } from './shell/session.ts';
import { useTheme } from './shell/theme.ts';
import { Tour } from './shell/tour.tsx';
import { SkillView } from './skill/skill-view.tsx';
import type { MapStage } from './stage/stage.ts';
import { StatusView } from './status/status-view.tsx';

/** The app: one map behind all views, a header above them. */
export function App() {
  const route = useRoute();
  const [theme, setTheme] = useTheme();
  const { isReachable, connection } = useConnection();
  const [key, setKey] = useKey(connection);
  const isChosen = useFirstView(key === 'present', hasLiveSky);
  const status = useStatus(key, connection);
  const [stage, setStage] = useState<MapStage>();
  const [isKeyOpen, setKeyOpen] = useState(false);
  /** Whether the map shows a field, which the tour begins with. */
  const [isSomethingShown, setSomethingShown] = useState(false);
  const onShown = useCallback(() => setSomethingShown(true), []);
  const openSearch = useRef(() => {});
  const onOpenSearch = useCallback((open: () => void) => {
    openSearch.current = open;
  }, []);
  const session = useMemo<Session>(
    () => ({ key, isReachable, connection, status, theme, stage }),
    [key, isReachable, connection, status, theme, stage],
  );
  return (
    <SessionContext.Provider value={session}>
      <a class="skip" href="#main">
        Skip to the controls
      </a>
      <MapBackdrop theme={theme} parameters={route.parameters} onReady={setStage} />
      <Header
        view={route.view}
        theme={theme}
        onTheme={setTheme}
        onKey={() => setKeyOpen(true)}
        onSearch={() => openSearch.current()}
      />
      <Banner />
      <div id="main" class="view" tabIndex={-1}>
        {isChosen && <CurrentView route={route} onShown={onShown} />}
      </div>
      {(isKeyOpen || key === 'missing') && (
        <KeyDialog
          isRequired={key === 'missing'}
          onClose={() => setKeyOpen(false)}
          onKey={(isPresent) => {
            setKey(isPresent ? 'present' : 'waiting');
            setKeyOpen(false);
          }}
        />
      )}
      <Search onOpen={onOpenSearch} />
      {key === 'present' && isSomethingShown && <Tour view={route.view} />}
    </SessionContext.Provider>
  );
}

function CurrentView({
  route: { view, parameters },
  onShown,
}: {
  readonly route: Route;
  readonly onShown: () => void;
}) {
  if (view === 'live') return <LiveView parameters={parameters} onShown={onShown} />;
  if (view === 'flight') return <FlightView parameters={parameters} />;
  if (view === 'inventory') return <InventoryView parameters={parameters} />;
  if (view === 'observations') return <ObservationsView parameters={parameters} />;
  if (view === 'skill') return <SkillView parameters={parameters} />;
  if (view === 'status') return <StatusView />;
  return <MapView parameters={parameters} onShown={onShown} />;
}
