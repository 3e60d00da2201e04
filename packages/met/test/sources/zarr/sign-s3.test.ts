import { expect, test } from 'vitest';
import { escapeS3Path, signS3 } from '../../../src/sources/zarr/sign-s3.ts';

const keys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};

test('a request carries its time, its scope and a signature that changes with everything it covers', async () => {
  const sign = async (url: string, at: string, region = keys.region) =>
    (await signS3(new URL(url), { ...keys, region }, new Date(at))).authorization;
  const first = await sign('https://bucket.example/a', '2024-05-01T12:30:00Z');
  expect(first).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20240501\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
  );
  const others = await Promise.all([
    sign('https://bucket.example/b', '2024-05-01T12:30:00Z'),
    sign('https://other.example/a', '2024-05-01T12:30:00Z'),
    sign('https://bucket.example/a', '2024-05-01T12:30:01Z'),
    sign('https://bucket.example/a', '2024-05-01T12:30:00Z', 'eu-west-1'),
  ]);
  expect(new Set([first, ...others]).size).toBe(5);
});

test('a request has the signature that an independent implementation gives it', async () => {
  const { authorization } = await signS3(
    new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    keys,
    new Date('2013-05-24T00:00:00Z'),
  );
  expect(authorization).toMatch(
    /Signature=df548e2ce037944d03f3e68682813b093763996d597cf890ca3d9037fd231eb4$/,
  );
});

test('a session token is sent and signed', async () => {
  const headers = await signS3(
    new URL('https://bucket.example/a'),
    { ...keys, sessionToken: 'temporary' },
    new Date('2024-05-01T12:30:00Z'),
  );
  expect(headers).toMatchObject({ 'x-amz-security-token': 'temporary' });
  expect(headers.authorization).toContain(
    'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,',
  );
});

test('the secret is in no header', async () => {
  const headers = await signS3(new URL('https://bucket.example/a'), keys, new Date());
  expect(JSON.stringify(headers)).not.toContain(keys.secretAccessKey);
});

test.each([
  ['/a/b.c-d_e~f', '/a/b.c-d_e~f'],
  ["/a b/(1)*!'", '/a%20b/%281%29%2A%21%27'],
  ['/år=2024/+', '/%C3%A5r%3D2024/%2B'],
])('%s is escaped as signatures want it', (path, expected) => {
  expect(escapeS3Path(path)).toBe(expected);
});
