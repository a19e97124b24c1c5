import { Snippets } from '../../components/Snippet';
import { useKeyPlaceholder } from '../keys/queries';

/** The sign-in of a first player, with the address of this server and a key of the game. */
export function SignInSnippet({ tenantId, username = 'ada' }: { tenantId: string; username?: string }) {
  const gameKey = useKeyPlaceholder(tenantId, 'game');
  const { origin } = window.location;
  const token = `mock:${username}:secret`;
  return (
    <Snippets
      name="Sign-in"
      curl={`LOGIN=$(curl -s ${origin}/api/player-auth/login \\
  -H 'X-Game-Key: ${gameKey}' -H 'Content-Type: application/json' \\
  -d '{"provider":"Mock","token":"${token}"}')
${keep('ACCESS_TOKEN', 'accessToken')}
${keep('PLAYER_ID', 'playerId')}
echo "$LOGIN"`}
      sdk={`import { createPlayerClient } from '@guildhall/client';

const game = createPlayerClient({ baseUrl: '${origin}', gameKey: '${gameKey}' });
await game.signIn.withProvider({ provider: 'Mock', token: '${token}' });`}
    />
  );
}

/** A line for the shell that keeps a member of the answer, for the commands of the next steps. */
const keep = (variable: string, member: string): string =>
  String.raw`${variable}=$(echo "$LOGIN" | sed 's/.*"${member}":"\([^"]*\)".*/\1/')`;
