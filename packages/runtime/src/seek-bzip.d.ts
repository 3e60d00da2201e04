declare module 'seek-bzip' {
  interface OutputStream {
    writeByte(byte: number): void;
  }
  const Bunzip: {
    /** Throws a TypeError at damaged input. */
    decode(input: Uint8Array, output: OutputStream, multistream?: boolean): void;
  };
  export default Bunzip;
}
