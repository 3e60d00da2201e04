import { defineKernel } from '@contrails/engine/compute';
import { makeSky, type Sky, type SkySettings } from '@contrails/testbed/sky';

/** Ground of a synthetic satellite; takes some seconds. */
export default defineKernel<SkySettings, Sky>((input) => () => makeSky(input));
