import openjpeg from '@cornerstonejs/codec-openjpeg/decodewasmjs';

type Decoder = Awaited<ReturnType<typeof openjpeg>>;
let loading: Promise<Decoder> | undefined;

/** Integers as a grey image in JPEG 2000 (GRIB2 template 5.40), with which older GFS files are packed. */
export async function decodeJpeg2000(bytes: Uint8Array, count: number): Promise<Uint32Array> {
  loading ??= openjpeg({ print: () => {} });
  const { J2KDecoder } = await loading;
  const decoder = new J2KDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    decoder.decode();
    const { bitsPerSample, width, height, componentCount } = decoder.getFrameInfo();
    if (width * height !== count || componentCount !== 1) {
      throw new RangeError(
        `the image holds ${width} × ${height} × ${componentCount} values instead of ${count}`,
      );
    }
    // The codec delivers 16 bits at most and would cut wider values off without a word.
    if (bitsPerSample > 16)
      throw new RangeError(`values of ${bitsPerSample} bits in JPEG 2000 are not read; repack them`);
    const image = decoder.getDecodedBuffer();
    return bitsPerSample <= 8 ? Uint32Array.from(image.subarray(0, count)) : sixteenBits(image, count);
  } finally {
    decoder.delete();
  }
}

function sixteenBits(image: Uint8Array, count: number): Uint32Array {
  const values = new Uint32Array(count);
  for (let i = 0; i < count; i++) values[i] = (image[2 * i] as number) | ((image[2 * i + 1] as number) << 8);
  return values;
}
