import { Snippet } from '../../components/Snippet';
import { useSnippetKey } from '../keys/queries';
import { SignInSnippet } from '../snippets/SignInSnippet';
import { providerNames } from './provider-names';
import type { Provider } from './queries';

/** The first request of a sign-in with a provider, with the address of this server and a key of the game. */
export function TrySnippet({ provider: { provider } }: { provider: Provider }) {
  const gameKey = useSnippetKey();
  // The commands of matches and events continue it.
  if (provider === 'Mock') return <SignInSnippet />;
  const [path, body] = firstRequest(provider);
  const code = `curl -sS ${window.location.origin}/api/player-auth/${path} \\
  -H 'X-Game-Key: ${gameKey}' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
  return <Snippet code={code} label={`Try ${providerNames[provider]}`} />;
}

function firstRequest(provider: Provider['provider']): [path: string, body: object] {
  switch (provider) {
    case 'EvmWallet':
      return ['wallet/challenge', { address: '0x…' }];
    case 'EmailOneTimeCode':
      return ['email/otc', { email: 'you@example.com' }];
    case 'EmailPassword':
      return ['email/signup', { email: 'you@example.com', password: 'correct horse' }];
    default:
      return ['login', { provider, token: '…' }];
  }
}
