import manifest from '../package.json' with { type: 'json' };

/** Version of the models, which every product and answer carries. */
export const MODELING_VERSION: string = manifest.version;
