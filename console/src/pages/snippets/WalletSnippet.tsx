import { Snippet } from '../../components/Snippet';
import { useSnippetKey } from '../keys/queries';

/** Adds a first wallet player, with the address of this server and a key of the game. */
export function WalletSnippet() {
  const gameKey = useSnippetKey();
  return (
    <Snippet
      label="curl command"
      code={`curl -sS ${window.location.origin}/api/BlockchainStorage/players/add/anon \\
  -H 'X-Game-Key: ${gameKey}' -H 'Content-Type: application/json' \\
  -d '{"playerId":"ada","playerAddress":"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359","signInPassword":"correct horse"}'`}
    />
  );
}
