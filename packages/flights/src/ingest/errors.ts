import { ContrailsError, type Facts } from '@contrails/runtime';

/** An input is not in the declared format, or in none that is known. Nothing was read of it. */
export class FormatError extends ContrailsError {
  constructor(message: string, facts: Facts = {}) {
    super(message, { facts });
  }
}

/** The bytes of an input end or break off where more should come; what came before is good. */
export class DamagedError extends ContrailsError {}

/** An input has more bytes, decompressed, than its reader is allowed. */
export class TooLargeError extends ContrailsError {
  constructor(maxBytes: number) {
    super(
      `the input has more than ${Math.floor(maxBytes / 2 ** 20)} MiB after decompression; split it into smaller ones`,
      { facts: { maxBytes } },
    );
  }
}
