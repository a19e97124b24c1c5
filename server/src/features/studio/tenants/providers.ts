/** The sign-in providers, as requests and answers name them. */
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

/** The names of what a tenant sets for a provider. */
export interface SettingNames {
  /** Without these the provider does not work. */
  required: readonly string[];
  optional: readonly string[];
  /** Which of them are kept sealed and never shown again. */
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

/** Mock trusts whatever it is told: it may be enabled where the operator allows it, and in the demo tenant. */
export function mayUseMock(config: { mockProvider: boolean }, tenant: { isDemo: boolean }): boolean {
  return config.mockProvider || tenant.isDemo;
}
