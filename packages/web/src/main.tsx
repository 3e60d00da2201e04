import { render } from 'preact';
import { App } from './app.tsx';
import './style/base.css';
import './style/map.css';
import './style/live.css';
import './style/flight.css';
import './style/panels.css';
import './style/tables.css';

// The map code takes longest to load, so it begins with the page and not after its first frame.
import('./stage/stage.ts').catch(() => undefined);

const root = document.getElementById('page');
if (root) render(<App />, root);
