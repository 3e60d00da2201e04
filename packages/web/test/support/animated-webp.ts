/** An animation of still WebP pictures, as the container of WebP describes it. */
export interface AnimationFrame {
  /** A still picture; all have the same size. */
  readonly webp: Uint8Array;
  readonly durationMs: number;
}

const HAS_ANIMATION = 0x02;
/** Neither blended with the frame before nor removed after it. */
const REPLACE = 0x02;

export function animatedWebp(
  frames: readonly AnimationFrame[],
  { width, height }: { readonly width: number; readonly height: number },
): Buffer {
  const header = Buffer.alloc(10);
  header[0] = HAS_ANIMATION;
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', header),
    // White background, repeated for ever.
    chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0])),
    ...frames.map(({ webp, durationMs }) => {
      const frame = Buffer.alloc(16);
      frame.writeUIntLE(width - 1, 6, 3);
      frame.writeUIntLE(height - 1, 9, 3);
      frame.writeUIntLE(durationMs, 12, 3);
      frame[15] = REPLACE;
      return chunk('ANMF', Buffer.concat([frame, imageChunk(webp)]));
    }),
  ]);
  return chunk('RIFF', body);
}

/** The chunk with the pixels, behind the header of the file and of extended files. */
function imageChunk(webp: Uint8Array): Buffer {
  const file = Buffer.from(webp);
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (file.toString('latin1', at, at + 3) === 'VP8' && file[at + 3] !== 'X'.charCodeAt(0)) {
      return file.subarray(at, end);
    }
    at = end;
  }
  throw new Error('the picture is not a still WebP file');
}

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
