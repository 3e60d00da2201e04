import { defineKernel } from '@contrails/engine/compute';

interface Input {
  readonly temperaturesK: Float64Array<SharedArrayBuffer>;
  readonly pressuresPa: Float64Array<SharedArrayBuffer>;
  readonly blockSize: number;
}

/** A loop bound by transcendental functions, as the physics is: a saturation pressure per point. */
export default defineKernel<Input>(({ temperaturesK, pressuresPa, blockSize }) => (index) => {
  const end = Math.min(temperaturesK.length, (index + 1) * blockSize);
  for (let i = index * blockSize; i < end; i++) {
    const t = temperaturesK[i] ?? 0;
    pressuresPa[i] = 100 * Math.exp(-6024.5282 / t + 24.721994 + 1.0613868e-2 * t - 0.49382577 * Math.log(t));
  }
});
