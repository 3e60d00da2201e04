import type { Api } from '../../src/http/api.ts';
import { composeScopes } from '../../src/keys/scopes.ts';

const ordinary = (name: string) => ({ name, description: name, restricted: false });
const restricted = (name: string) => ({ name, description: name, restricted: true });

/** What routes of tests refer to. */
export const testApi: Api = {
  scopes: [
    ...['research', 'forecast', 'planning', 'observations', 'inventory'].map(ordinary),
    ...['adsb', 'adsb:write', 'inventory:segments'].map(restricted),
  ],
  tags: [
    { name: 'grid', description: 'grids', sharesOptions: true },
    { name: 'inventory', description: 'tables' },
  ],
  problems: {},
};

export const testScopes = composeScopes(testApi.scopes);
