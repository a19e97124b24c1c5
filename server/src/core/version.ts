import packageJson from '../../../package.json' with { type: 'json' };

/** The version of Guildhall. It stands in the package.json of the repository only. */
export const version: string = packageJson.version;
