/** Responses, headers and schemas that several families declare, as OpenAPI describes them. */
import { type TSchema, Type } from 'typebox';
import { WARNINGS_HEADER } from './warnings.ts';

const text = (description: string, examples: readonly string[] = []) =>
  Type.String({ description, ...(examples.length === 0 ? {} : { examples }) });

const header = (description: string, example: string) => ({
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** On every response. */
export const REQUEST_ID_HEADER = {
  'x-request-id': header(
    'Id of the request, also written to the server log. Echoed if you send one.',
    '4f1a6c0e9b2d-1k',
  ),
};

const optionalHeader = (name: string, description: string, example: string) => ({
  in: 'header',
  name,
  required: false,
  description,
  schema: { type: 'string' },
  example,
});

/** Request headers of every operation that answers with a file. */
export const CONDITIONAL_HEADERS = [
  optionalHeader('If-None-Match', '`ETag` of the copy you have; 304 when it is current.', '"0b369fcdd7a7"'),
  optionalHeader(
    'If-Modified-Since',
    '`Last-Modified` of the copy you have; 304 when it is current. Ignored with `If-None-Match`.',
    'Thu, 29 Feb 2024 06:00:00 GMT',
  ),
  optionalHeader('Range', 'One range of bytes; the response is 206 with these bytes.', 'bytes=0-1023'),
  optionalHeader(
    'If-Range',
    '`ETag` or `Last-Modified` of the copy that a `Range` completes; without a match you get the whole file.',
    '"0b369fcdd7a7"',
  ),
];

/** Request header of every operation that can become a job. */
export const PREFER_HEADER = optionalHeader(
  'Prefer',
  '`respond-async` makes the request a job: the response is 202 with its `Location`.',
  'respond-async',
);

/** On responses of families where parameters can be ignored. */
export const IGNORED_HEADER = {
  [WARNINGS_HEADER]: {
    description: 'Ignored parameters, as a JSON list of sentences; absent if there are none.',
    schema: { type: 'string' },
  },
};

/** Set where the reader of a response should know something of its numbers. */
export const warningsHeader = {
  [WARNINGS_HEADER]: text('Notes about the numbers, as a JSON list of sentences; absent if there are none.'),
};

const ENTITY_HEADERS = {
  ETag: text('SHA-256 of the file, in quotes.'),
  'Last-Modified': text('Time when the file was created.'),
};
const FILE_HEADERS = {
  ...ENTITY_HEADERS,
  'Accept-Ranges': text('`bytes`'),
  'Content-Disposition': text('Suggested file name.'),
};

/**
 * The responses of an operation that answers with `sendFile`: the whole file, a range of it, or nothing when the client
 * has it. 416 and the request headers that lead to these follow from them.
 */
export function fileResponses(
  description: string,
  content: Readonly<Record<string, { readonly schema: TSchema }>>,
  headers: Readonly<Record<string, TSchema>> = {},
) {
  const bytes = { schema: Type.String({ format: 'binary' }) };
  return {
    200: { description, headers: { ...FILE_HEADERS, ...headers }, content },
    206: {
      description: 'The bytes requested with `Range`.',
      headers: {
        ...FILE_HEADERS,
        ...headers,
        'Content-Range': text('Range of these bytes and the size of the file.'),
      },
      content: Object.fromEntries(Object.keys(content).map((type) => [type, bytes])),
    },
    304: { description: 'Your copy is current.', type: 'null', headers: ENTITY_HEADERS },
  } as const;
}

/** The response to `Prefer: respond-async`, which is described as a header of every operation that declares it. */
export const acceptedResponse = {
  202: {
    description: 'The request is computed as a job; `Location` points to its state and result.',
    headers: {
      Location: text('Path of the job.'),
      'Retry-After': text('Seconds to wait before requesting the state.'),
      'Preference-Applied': text('`respond-async`'),
    },
    content: {
      'application/json': {
        schema: Type.Object(
          { id: Type.String(), state: Type.String(), location: Type.String() },
          {
            title: 'AcceptedJob',
            description: 'An accepted job.',
            examples: [
              {
                id: '0b9a3f1c-52c1-4a0e-9f6e-6a2f3d9c8f11',
                state: 'queued',
                location: '/v0/jobs/0b9a3f1c-52c1-4a0e-9f6e-6a2f3d9c8f11',
              },
            ],
          },
        ),
      },
    },
  },
} as const;

const position = Type.Array(Type.Number(), {
  minItems: 2,
  maxItems: 3,
  description: 'Longitude and latitude in degrees, altitude in metres.',
});
const line = Type.Array(position, { title: 'Line', description: 'Positions along a line or a ring.' });

export const lineString = Type.Object(
  { type: Type.Literal('LineString'), coordinates: line },
  { title: 'LineString', description: 'A line.' },
);
const multiPolygon = Type.Object(
  { type: Type.Literal('MultiPolygon'), coordinates: Type.Array(Type.Array(line)) },
  { title: 'MultiPolygon', description: 'Polygons, each an outer ring and its holes.' },
);

/** GeoJSON (RFC 7946) whose features have one kind of geometry; `title` goes before the names of its types. */
export const featureCollection = (title: string, geometry: TSchema, properties: TSchema) =>
  Type.Object(
    {
      type: Type.Literal('FeatureCollection'),
      features: Type.Array(
        Type.Object({ type: Type.Literal('Feature'), geometry, properties }, { title: `${title}Feature` }),
      ),
    },
    { title: `${title}FeatureCollection`, description: 'Features as defined in RFC 7946 (GeoJSON).' },
  );

/** Regions as polygons. */
export const regionCollection = featureCollection(
  '',
  multiPolygon,
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
    description: 'What the region shows.',
  }),
);
