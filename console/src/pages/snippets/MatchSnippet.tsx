import { keep, Snippets } from '../../components/Snippet';
import { useSnippetKey } from '../keys/queries';

/** The creation of a first match, with the address of this server and a key of the game. */
export function MatchSnippet() {
  const gameKey = useSnippetKey();
  const { origin } = window.location;
  return (
    <Snippets
      name="Match"
      curl={`MATCH=$(curl -sS ${origin}/api/game/matches \\
  -H 'X-Game-Key: ${gameKey}' -H 'Content-Type: application/json' \\
  -d '{"mode":"duel","players":[{"playerId":"'"$PLAYER_ID"'"}]}')
${keep('MATCH_ID', 'matchSessionId', 'MATCH')}
${keep('MATCH_PLAYER_ID', 'matchPlayerId', 'MATCH')}
echo "$MATCH"`}
      sdk={`import { createServerClient } from '@guildhall/client/server';

const server = createServerClient({ baseUrl: '${origin}', gameKey: '${gameKey}' });
const { matchSessionId, players } = await server.api.POST('/api/game/matches', {
  body: { mode: 'duel', players: [{ playerId }] },
});
const { matchPlayerId } = players[0];`}
    />
  );
}
