declare module '@cornerstonejs/codec-charls/decodewasmjs' {
  interface FrameInfo {
    readonly width: number;
    readonly height: number;
    readonly bitsPerSample: number;
    readonly componentCount: number;
  }

  interface JpegLSDecoder {
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    getFrameInfo(): FrameInfo;
    getDecodedBuffer(): Uint8Array;
    delete(): void;
  }

  interface CharLS {
    readonly JpegLSDecoder: new () => JpegLSDecoder;
    getExceptionMessage(pointer: number): string;
  }

  export default function load(options?: { print?: (line: string) => void }): Promise<CharLS>;
}
