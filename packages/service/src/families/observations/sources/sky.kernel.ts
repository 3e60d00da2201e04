import { makeSky, type Sky, type SkySettings } from '@contrails/observations/synthetic';
import { defineKernel } from '../../../compute/index.ts';

/** Ground of a synthetic satellite; takes some seconds. */
export default defineKernel<SkySettings, Sky>((input) => () => makeSky(input));
