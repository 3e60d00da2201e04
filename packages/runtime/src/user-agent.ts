import manifest from '../package.json' with { type: 'json' };

/** The `User-Agent` sent to data servers, with the page where their operators can complain. */
export const USER_AGENT = `contrails/${manifest.version} (+${manifest.bugs})`;
