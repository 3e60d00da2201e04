import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { Picture } from './picture.ts';

const compress = promisify(deflate);
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const TRUE_COLOUR = 2;
/** The filter that stores differences from the row above. */
const UP = 2;

/** A picture as a PNG file with eight bits per colour; pixels of one colour may be transparent. */
export async function encodePng(
  { width, height, pixels }: Picture,
  transparent?: readonly [red: number, green: number, blue: number],
): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, TRUE_COLOUR, 0, 0, 0], 8);
  const stride = 3 * width;
  const rows = Buffer.alloc(height * (stride + 1));
  for (let row = 0; row < height; row++) {
    const to = row * (stride + 1);
    const from = row * stride;
    rows[to] = UP;
    for (let k = 0; k < stride; k++) {
      const above = row === 0 ? 0 : (pixels[from - stride + k] as number);
      rows[to + 1 + k] = (pixels[from + k] as number) - above;
    }
  }
  const data = await compress(rows, { level: 6 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(transparent === undefined
      ? []
      : [chunk('tRNS', Buffer.from(transparent.flatMap((value) => [0, value])))]),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
