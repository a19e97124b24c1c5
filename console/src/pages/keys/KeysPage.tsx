import { Switch } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { KeyPanel } from './KeyPanel';

const route = getRouteApi('/app/games/$tenantId/keys');

export function KeysPage() {
  const game = useGame();
  const { revoked } = route.useSearch();
  const navigate = useNavigate({ from: '/games/$tenantId/keys' });
  return (
    <Page
      title="Keys"
      subtitle="Game keys write data of this game. API keys only read it."
      actions={
        <Switch
          label="Show revoked keys"
          checked={revoked === 'true'}
          onChange={({ currentTarget: { checked } }) =>
            void navigate({ search: checked ? { revoked: 'true' } : {}, replace: true })
          }
        />
      }
    >
      <KeyPanel tenantId={game.id} kind="game" includeRevoked={revoked === 'true'} />
      <KeyPanel tenantId={game.id} kind="api" includeRevoked={revoked === 'true'} />
    </Page>
  );
}
