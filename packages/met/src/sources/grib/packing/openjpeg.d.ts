declare module '@cornerstonejs/codec-openjpeg/decodewasmjs' {
  interface FrameInfo {
    readonly width: number;
    readonly height: number;
    readonly bitsPerSample: number;
    readonly componentCount: number;
  }

  interface J2KDecoder {
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    getFrameInfo(): FrameInfo;
    getDecodedBuffer(): Uint8Array;
    delete(): void;
  }

  interface OpenJpeg {
    readonly J2KDecoder: new () => J2KDecoder;
  }

  export default function load(options?: { print?: (line: string) => void }): Promise<OpenJpeg>;
}
