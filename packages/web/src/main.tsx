import { render } from 'preact';
import { KeyCheck } from './key-check.tsx';
import { ServiceState } from './service-state.tsx';
import './style.css';

function Page() {
  return (
    <main>
      <header>
        <h1>Contrails</h1>
        <p>
          Where flights leave warming contrails, and how to avoid them: models, grids and forecasts over HTTP.
        </p>
      </header>
      <ServiceState />
      <KeyCheck />
      <nav aria-label="Documentation">
        <a href="openapi">Try the API</a>
        <a href="openapi.json">OpenAPI description</a>
        <a href="problems">What errors mean</a>
      </nav>
    </main>
  );
}

const root = document.getElementById('page');
if (root) render(<Page />, root);
