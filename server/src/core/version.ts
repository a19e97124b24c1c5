import packageJson from '../../../package.json' with { type: 'json' };

/** The version of Guildhall. The package.json of the repository is its only source. */
export const version: string = packageJson.version;
