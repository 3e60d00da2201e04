/** Credentials that may read a bucket, and the region of the bucket. */
export interface S3Signing {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Comes with temporary credentials. */
  readonly sessionToken?: string;
  readonly region: string;
}

/** Headers that authorise a GET: AWS Signature Version 4. The path must be escaped as {@link escapeS3Path} does it. */
export async function signS3(
  url: URL,
  { region, ...credentials }: S3Signing,
  now: Date,
): Promise<Record<string, string>> {
  // Loaded when first needed: most stores are public.
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials,
    sha256: Sha256,
    uriEscapePath: false,
  });
  const request = {
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host },
  };
  const { host: _, ...headers } = (await signer.sign(request, { signingDate: now })).headers;
  return headers;
}

/** Escapes everything but letters, digits and `-._~`, more than URLs need. */
export function escapeS3Path(key: string): string {
  const escapeRest = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return key
    .split('/')
    .map((segment) => encodeURIComponent(segment).replace(/[!'()*]/g, escapeRest))
    .join('/');
}
