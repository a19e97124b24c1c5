/** The sign-in providers, by their name in the API. */
export const providers = [
  'StoreA',
  'StoreB',
  'WalletJwt',
  'EvmWallet',
  'EmailOneTimeCode',
  'EmailPassword',
  'Mock',
] as const;
export type Provider = (typeof providers)[number];

/** The names of the settings of a provider. */
interface SettingNames {
  /** The provider does not work without these settings. */
  required: readonly string[];
  optional: readonly string[];
  /** These settings are stored encrypted and are never shown. */
  secret: readonly string[];
}

const none: SettingNames = { required: [], optional: [], secret: [] };

export const settingNames: Record<Provider, SettingNames> = {
  StoreA: { required: ['appId', 'webApiKey'], optional: ['identity'], secret: ['webApiKey'] },
  StoreB: { required: ['clientId'], optional: [], secret: [] },
  WalletJwt: { required: ['issuer', 'audience'], optional: ['addressClaim'], secret: [] },
  EvmWallet: { required: [], optional: ['chainIds'], secret: [] },
  EmailOneTimeCode: none,
  EmailPassword: none,
  Mock: none,
};

/** Mock verifies no credentials. It is allowed only in the demo tenant, or if the operator allows it. */
export function mayUseMock(config: { mockProvider: boolean }, tenant: { isDemo: boolean }): boolean {
  return config.mockProvider || tenant.isDemo;
}
