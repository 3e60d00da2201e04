/** What the answers hold, as OpenAPI describes it. */
import { Type } from 'typebox';

const instant = (description: string) => Type.String({ format: 'date-time', description });

const segment = Type.Object(
  {
    id: Type.String({ description: 'Id of the segment; stable as long as the result is the same.' }),
    time: instant('Nominal time of the frame.'),
    scan_time: instant('Time when the middle of the line was scanned.'),
    satellite: Type.String(),
    crs: Type.String({ description: 'PROJ string of the coordinates.' }),
    wkt: Type.String({ description: 'LINESTRING of the two ends in metres, the western one first.' }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Mean confidence of the pixels of the line.',
    }),
    length_m: Type.Integer({
      description: 'Length over the ground, assuming that the line is at a height of 10.5 km.',
    }),
    length_px: Type.Number(),
    width_px: Type.Number(),
    orientation_deg: Type.Number({
      description: 'Orientation in the image: 0 along increasing column, 90 along increasing row.',
    }),
    azimuth_deg: Type.Number({ description: 'Azimuth from true north at the middle of the line.' }),
    pixel_count: Type.Integer(),
    parallax_10km_m: Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description:
        'Offset to add to the apparent position of a feature at 10 km height to get its position on the ground.',
    }),
  },
  { title: 'ContrailSegment', description: 'A line that may be a contrail.' },
);

export const SEGMENT_LIST = Type.Array(segment, {
  examples: [
    [
      {
        id: '3081bc3cbc3256f1',
        time: '2024-03-07T15:00:00Z',
        scan_time: '2024-03-07T15:02:11Z',
        satellite: 'goes-east',
        crs: '+proj=geos +lon_0=-75.0 +h=35786023.0 +a=6378137.0 +b=6356752.31414 +sweep=x +units=m +no_defs',
        wkt: 'LINESTRING (-812440 3211030, -640230 3270110)',
        confidence: 0.703,
        length_m: 262_113,
        length_px: 90.9,
        width_px: 3.41,
        orientation_deg: 161.1,
        azimuth_deg: 66.4,
        pixel_count: 268,
        parallax_10km_m: [2310, -8720],
      },
    ],
  ],
});

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

const line = {
  type: Type.Literal('LineString'),
  coordinates: Type.Array(Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }), {
    description: 'Longitude, latitude [deg] and altitude [m], WGS 84.',
  }),
};

const attribution = Type.Object(
  {
    id: Type.String(),
    start_time: instant('First minute of flight whose contrail was seen.'),
    end_time: instant('Last minute.'),
    length_meters: Type.Number({ description: 'Flown distance of the contrail.' }),
    effective_energy_forcing_joules: nullable(Type.Number()),
    flight_geometry: Type.Object(line),
    contrail_geometry: nullable(
      Type.Object({ time: instant('Time of the last frame that shows it.'), ...line }),
    ),
    length_m: Type.Number({ description: 'Same as length_meters.' }),
    confidence: nullable(Type.Number()),
    evidence: nullable(Type.Number()),
    normal_wind_error_m_s: nullable(Type.Number()),
    first_seen_age_s: nullable(Type.Integer()),
    last_seen_age_s: nullable(Type.Integer()),
    observation_ids: Type.Array(Type.String()),
    energy_forcing_J: nullable(Type.Number({ description: 'Same as effective_energy_forcing_joules.' })),
    energy_forcing_share: nullable(Type.Number({ description: 'Share of the forcing of the whole flight.' })),
    energy_forcing_method: nullable(Type.String({ description: '`cocip` or `nominal`.' })),
    cocip_persistent: nullable(Type.Boolean()),
  },
  { title: 'ContrailAttribution', description: 'A part of a flight whose contrail was seen.' },
);

const observation = Type.Object(
  {
    id: Type.String(),
    time: instant('Nominal time of the frame.'),
    length_meters: Type.Number({ description: 'Total length of the segments attributed to the flight.' }),
    source: Type.String({ description: 'The satellite.' }),
    satellite: Type.String(),
    instrument: nullable(Type.String()),
    detections: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the L2 segment.' }),
        scan_time: instant('Time when the middle of the line was scanned.'),
        wkt: Type.String(),
        crs: Type.String(),
        confidence: Type.Number(),
        probability: Type.Number({ description: 'Probability that the line belongs to this flight.' }),
        distance_m: Type.Number(),
        angle_deg: Type.Number(),
        coverage: Type.Number(),
        age_s: Type.Integer(),
      }),
    ),
    image: Type.String({ description: 'Address of the L1 file.' }),
  },
  {
    title: 'ContrailObservation',
    description: 'A satellite image in which a contrail of the flight was seen.',
  },
);

const flightAttribution = Type.Object(
  {
    flight: Type.String(),
    status: Type.String({
      description: '`attributed`, `no_contrail_observed`, `not_covered` or `unknown_flight`.',
    }),
    status_detail: Type.String({
      description:
        '`attributed`, `not_observed`, `partial_coverage`, `no_coverage`, `not_analyzed`, `pending`, `not_found` or `malformed`.',
    }),
    reason: Type.Optional(
      nullable(Type.String({ description: 'Reason, for `not_analyzed`, `pending` and `malformed`.' })),
    ),
    expected_by: Type.Optional(instant('For `pending`: time by which the last frame is expected.')),
    flight_details: Type.Optional(
      Type.Object({
        carrier: nullable(Type.String()),
        flight_number: nullable(Type.String()),
        departure_date: nullable(Type.String()),
        departure_airport_iata: nullable(Type.String()),
        arrival_airport_icao: nullable(Type.String()),
        icao_address: Type.String(),
        callsign: nullable(Type.String()),
        flight_id: Type.String(),
        aircraft_type_icao: nullable(Type.String()),
      }),
    ),
    coverage: Type.Optional(
      Type.Object({
        analyzed_distance_m: Type.Number(),
        covered_distance_m: Type.Number(),
        satellites: Type.Array(Type.String()),
        frames_used: Type.Integer(),
        frames_missing: Type.Integer(),
      }),
    ),
    summary: Type.Optional(
      Type.Object({
        contrail_length_m: Type.Number(),
        energy_forcing_J: nullable(Type.Number()),
        cocip_energy_forcing_J: nullable(Type.Number()),
        attribution_count: Type.Integer(),
      }),
    ),
    observations: Type.Array(observation),
    attributions: Type.Array(attribution),
    methodology: Type.Optional(
      Type.Object({
        view: Type.String(),
        attribution_version: Type.String(),
        detector: Type.String(),
        met_source: nullable(Type.String()),
        cocip_version: nullable(Type.String()),
        is_synthetic: Type.Boolean(),
      }),
    ),
  },
  { title: 'FlightAttribution', description: 'Satellite observations of the contrails of a flight.' },
);

export const ATTRIBUTION_LIST = Type.Array(flightAttribution, {
  examples: [
    [
      {
        flight: 'LX~1234~2024-03-07~ZRH',
        status: 'unknown_flight',
        status_detail: 'not_found',
        attributions: [],
        observations: [],
      },
    ],
  ],
});

const region = Type.Object(
  {
    hour: instant('Start of the hour.'),
    bbox: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'West, south, east, north.' }),
    frames: Type.Integer(),
    observed_length_m: Type.Number(),
    modelled_length_m: Type.Number(),
  },
  { title: 'VerifiedRegion', description: 'Contrail lengths of a region in an hour.' },
);

export const VERIFICATION = Type.Object(
  {
    date: Type.String(),
    satellite: Type.String(),
    model: Type.Object({ source: Type.String(), run_id: Type.String(), status: Type.String() }),
    is_synthetic: Type.Boolean(),
    definitions: Type.Record(Type.String(), Type.String()),
    frames: Type.Integer(),
    total: Type.Object({ observed_length_m: Type.Number(), modelled_length_m: Type.Number() }),
    scores: Type.Object({
      hits: Type.Integer(),
      misses: Type.Integer(),
      false_alarms: Type.Integer(),
      correct_negatives: Type.Integer(),
      hit_rate: nullable(Type.Number()),
      false_alarm_ratio: nullable(Type.Number()),
    }),
    regions: Type.Array(region),
  },
  { title: 'Verification', description: 'Comparison of observed and modelled contrails.' },
);
