import manifest from '../package.json' with { type: 'json' };

/** What servers of data are told in `User-Agent`, with the page where their operators can complain. */
export const USER_AGENT = `contrails/${manifest.version} (+${manifest.bugs})`;
