import { createHash, randomUUID } from 'node:crypto';

/** A random id, or one made from the key, which can then make one job only. */
export function jobId(kind: string, owner: string | null, key: string | undefined): string {
  if (key === undefined) return randomUUID();
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, owner, key]))
    .digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  // RFC 9562: version 8 is the one whose bits the application chooses.
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function isJobId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** The key of a job that another one makes: the same payload twice is the same job. */
export function fanOutKey(parentId: string, payload: unknown): string {
  return `${parentId}/${createHash('sha256')
    .update(JSON.stringify(payload) ?? '')
    .digest('hex')}`;
}
