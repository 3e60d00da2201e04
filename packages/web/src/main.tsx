import { render } from 'preact';
import { App } from './app.tsx';
import './style/base.css';
import './style/map.css';
import './style/flight.css';
import './style/tables.css';

const root = document.getElementById('page');
if (root) render(<App />, root);
