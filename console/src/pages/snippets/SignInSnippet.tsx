import { useGame } from '../../app/game';
import { TextLink } from '../../components/links';
import { keep, Snippets } from '../../components/Snippet';
import { useSnippetKey } from '../keys/queries';

/** The sign-in of a first player, with the address of this server and a key of the game. */
export function SignInSnippet() {
  const gameKey = useSnippetKey();
  const { origin } = window.location;
  return (
    <Snippets
      name="Sign-in"
      curl={`LOGIN=$(curl -sS ${origin}/api/player-auth/login \\
  -H 'X-Game-Key: ${gameKey}' -H 'Content-Type: application/json' \\
  -d '{"provider":"Mock","token":"mock:ada:secret"}')
${keep('ACCESS_TOKEN', 'accessToken', 'LOGIN')}
${keep('PLAYER_ID', 'playerId', 'LOGIN')}
echo "$LOGIN"`}
      sdk={`import { createPlayerClient } from '@guildhall/client';

const game = createPlayerClient({ baseUrl: '${origin}', gameKey: '${gameKey}' });
const { playerId } = await game.signIn.withProvider({ provider: 'Mock', token: 'mock:ada:secret' });`}
    />
  );
}

/** Leads to the snippet of the sign-in. The providers offer it also when the game has players. */
export function SignInLink() {
  const { id: tenantId } = useGame();
  return (
    <TextLink to="/games/$tenantId/providers" params={{ tenantId }} inherit underline="always">
      the sign-in with Mock
    </TextLink>
  );
}
