import { createHash, createHmac } from 'node:crypto';

/** Keys of whoever may read a bucket, and where it is. */
export interface S3Signing {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SIGNED_HEADERS = 'host;x-amz-content-sha256;x-amz-date';
const EMPTY_BODY = sha256('');

/** Headers that let a GET pass: AWS Signature Version 4. The path must be escaped as {@link escapeS3Path} does it. */
export function signS3(url: URL, signing: S3Signing, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${signing.region}/s3/aws4_request`;
  const request = [
    'GET',
    url.pathname,
    '',
    `host:${url.host}`,
    `x-amz-content-sha256:${EMPTY_BODY}`,
    `x-amz-date:${time}`,
    '',
    SIGNED_HEADERS,
    EMPTY_BODY,
  ].join('\n');
  const key = [day, signing.region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${signing.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key)
    .update([ALGORITHM, time, scope, sha256(request)].join('\n'))
    .digest('hex');
  return {
    'x-amz-content-sha256': EMPTY_BODY,
    'x-amz-date': time,
    authorization: `${ALGORITHM} Credential=${signing.accessKeyId}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
  };
}

/** Everything but letters, digits and `-._~` is escaped, more than URLs need. */
export function escapeS3Path(key: string): string {
  const escapeRest = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return key
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/[!'()*]/g, escapeRest))
    .join('/');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
