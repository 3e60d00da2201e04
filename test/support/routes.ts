/** Air routes that stand for the traffic of the world: most of it over North America, Europe and East Asia. */

export interface Route {
  /** Longitude and latitude [°]. */
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

const AIRPORTS = {
  ADD: [38.8, 9],
  AMS: [4.8, 52.3],
  ANC: [-150, 61.2],
  ARN: [17.9, 59.7],
  ATL: [-84.4, 33.6],
  BKK: [100.7, 13.7],
  BLR: [77.7, 13.2],
  BOS: [-71, 42.4],
  CAI: [31.4, 30.1],
  CAN: [113.3, 23.4],
  CDG: [2.5, 49],
  CGK: [106.7, -6.1],
  CPT: [18.6, -34],
  CTU: [104, 30.6],
  DEL: [77.1, 28.6],
  DEN: [-104.7, 39.9],
  DFW: [-97, 32.9],
  DXB: [55.4, 25.3],
  EZE: [-58.5, -34.8],
  FCO: [12.2, 41.8],
  FRA: [8.6, 50],
  GRU: [-46.5, -23.4],
  HEL: [25, 60.3],
  HKG: [113.9, 22.3],
  HND: [139.8, 35.6],
  IST: [28.7, 41.3],
  JFK: [-73.8, 40.6],
  JNB: [28.2, -26.1],
  KEF: [-22.6, 64],
  LAX: [-118.4, 33.9],
  LHR: [-0.5, 51.5],
  LIS: [-9.1, 38.8],
  MAD: [-3.6, 40.5],
  MEL: [144.8, -37.7],
  MIA: [-80.3, 25.8],
  MUC: [11.8, 48.4],
  ORD: [-87.9, 42],
  PEK: [116.6, 40.1],
  PER: [116, -31.9],
  PVG: [121.8, 31.1],
  REC: [-34.9, -8.1],
  SEA: [-122.3, 47.4],
  SFO: [-122.4, 37.6],
  SIN: [104, 1.4],
  SVO: [37.4, 56],
  SYD: [151.2, -33.9],
  YYZ: [-79.6, 43.7],
} as const;

const PAIRS = `
  JFK-LAX ORD-DFW ATL-DEN SEA-DEN BOS-MIA SFO-ORD DFW-ATL LAX-SEA MIA-JFK DEN-SFO YYZ-ORD
  LHR-FCO MAD-FRA ARN-CDG IST-AMS LIS-MUC HEL-LHR SVO-IST FRA-FCO CDG-MAD
  LHR-JFK FRA-ORD CDG-YYZ MAD-MIA KEF-SEA
  PEK-CAN PVG-CTU HND-PVG PEK-HND CAN-CTU DEL-BLR SIN-CGK BKK-HKG PEK-PVG
  LHR-DXB FRA-PEK HEL-HND DXB-SIN DEL-DXB
  LAX-HND SFO-HKG ANC-ORD SYD-LAX
  GRU-EZE GRU-REC SYD-MEL SYD-PER JNB-CPT LHR-JNB ADD-CAI
`;

export const ROUTES: readonly Route[] = PAIRS.trim()
  .split(/\s+/)
  .map((pair) => {
    const [from, to] = pair.split('-') as [keyof typeof AIRPORTS, keyof typeof AIRPORTS];
    return { from: AIRPORTS[from], to: AIRPORTS[to] };
  });
