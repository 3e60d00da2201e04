import { useEffect, useState } from 'preact/hooks';
import type { Theme } from '../stage/basemap-style.ts';

const NAME = 'contrails-theme';

/** The theme that was chosen, else that of the system. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(initialTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  const choose = (chosen: Theme) => {
    localStorage.setItem(NAME, chosen);
    setTheme(chosen);
  };
  return [theme, choose];
}

function initialTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  if (kept === 'light' || kept === 'dark') return kept;
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}
