import type { ProviderName } from './queries';

interface Field {
  name: string;
  label: string;
  description: string;
  required: boolean;
  /** The server never returns it. An empty field keeps the stored value. */
  secret?: boolean;
  /** Several values, separated by commas. */
  list?: 'numbers' | 'texts';
}

interface ProviderForm {
  /** What players do, and what the studio needs for it. */
  text: string;
  fields: Field[];
}

/** What the form of each provider asks for. */
export const providerForms: Record<ProviderName, ProviderForm> = {
  StoreA: {
    text: 'Players sign in with a ticket of the store client.',
    fields: [
      {
        name: 'appId',
        label: 'Application id',
        description: 'The id of the game in the store.',
        required: true,
      },
      {
        name: 'webApiKey',
        label: 'Web API key',
        description: 'A publisher key that may check tickets.',
        required: true,
        secret: true,
      },
      {
        name: 'identity',
        label: 'Identity',
        description: 'The identity that the game passes when it requests tickets, if it uses one.',
        required: false,
      },
    ],
  },
  StoreB: {
    text: 'Players sign in with an access token of the store.',
    fields: [
      {
        name: 'clientId',
        label: 'Client id',
        description: 'Client id in the tokens.',
        required: true,
      },
    ],
  },
  WalletJwt: {
    text: 'Players sign in with a JWT of a wallet service. Its keys are discovered from the issuer.',
    fields: [
      {
        name: 'issuer',
        label: 'Issuer',
        description: 'An https address. Must equal the `iss` claim.',
        required: true,
      },
      {
        name: 'audience',
        label: 'Audience',
        description: 'The `aud` claim of the tokens. Several are separated by commas.',
        required: true,
        list: 'texts',
      },
      {
        name: 'addressClaim',
        label: 'Address claim',
        description: 'The claim with the address of the wallet, if it has one.',
        required: false,
      },
    ],
  },
  EvmWallet: {
    text: 'Players sign a message with their wallet.',
    fields: [
      {
        name: 'chainIds',
        label: 'Chain ids',
        description: 'The chains that are accepted, separated by commas. Empty: all chains.',
        required: false,
        list: 'numbers',
      },
    ],
  },
  EmailOneTimeCode: { text: 'Players receive a code of six digits by email.', fields: [] },
  EmailPassword: { text: 'Players sign in with an address and a password.', fields: [] },
  Mock: { text: 'Players sign in with any name. Only for development and tests.', fields: [] },
};

/** A stored setting as the text of its field. */
export const toText = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';

/** The settings of the form. An empty one is not sent: the server removes it, and keeps a stored secret. */
export function toSettings(fields: Field[], values: Record<string, string>): Record<string, unknown> {
  const given = fields.map(({ name, list }): [string, unknown] => {
    const text = values[name]?.trim() ?? '';
    if (text === '') return [name, undefined];
    if (!list) return [name, text];
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    if (list === 'numbers') return [name, parts.map(Number)];
    return [name, parts.length === 1 ? parts[0] : parts];
  });
  return Object.fromEntries(given);
}

/** The check of each field. A stored secret does not have to be entered again. */
export function checksOf(
  fields: Field[],
  isConfigured: boolean,
): Record<string, (text: string) => string | null> {
  return Object.fromEntries(
    fields.map(({ name, required, secret, list }) => [
      name,
      (text) => {
        if (text.trim() === '') return required && !(secret && isConfigured) ? 'Enter a value.' : null;
        if (list === 'texts' && !/[^\s,]/.test(text)) return 'Enter a value.';
        return list === 'numbers' && !NUMBERS.test(text) ? 'Enter whole numbers, separated by commas.' : null;
      },
    ]),
  );
}

const NUMBERS = /^\s*\d+\s*(,\s*\d+\s*)*$/;
