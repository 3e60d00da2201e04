import { expect, test } from 'vitest';
import { placesOf } from '../../build/places.ts';

const CSV = `icao,iata,name,municipality,country,continent,size,latitude,longitude,elevation_ft,scheduled
LFPG,CDG,Charles de Gaulle,"Paris (Roissy-en-France, Val-d'Oise)",FR,EU,large,49.01,2.55,392,1
LFPO,ORY,Paris-Orly,"Paris (Orly, Val-de-Marne)",FR,EU,large,48.72,2.38,291,1
EDDS,STR,Stuttgart,Stuttgart,DE,EU,large,48.69,9.22,1276,1
EDFM,MHG,Mannheim,Mannheim,DE,EU,medium,49.47,8.51,308,1
`;

test('a town with several airports is one city, and the well-known ones come first', () => {
  const { features } = placesOf(CSV);
  const of = (kind: string) =>
    features.flatMap(({ properties }) => (properties?.kind === kind ? [properties] : []));
  expect(of('city')).toEqual([
    { kind: 'city', name: 'Paris', rank: 1 },
    { kind: 'city', name: 'Stuttgart', rank: 2 },
  ]);
  expect(of('airport').map(({ name }) => name)).toEqual(['CDG', 'ORY', 'STR']);
});
