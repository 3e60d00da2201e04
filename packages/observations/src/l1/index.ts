export { l1FileName } from '../frame/index.ts';
export { QUALITY, qualityFlags } from './quality.ts';
export { isL1, type L1Product, readL1, readTruthMask } from './read.ts';
export {
  type ConfidenceImage,
  encodeL1,
  type L1Origin,
  STORED_FILL,
  STORED_PER_UNIT,
} from './write.ts';
