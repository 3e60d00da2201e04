import { defineKernel } from '../compute/index.ts';
import { checkIntegrity, type Integrity, type IntegrityWork } from './integrity.ts';

export default defineKernel<IntegrityWork, Integrity>((work) => () => checkIntegrity(work));
