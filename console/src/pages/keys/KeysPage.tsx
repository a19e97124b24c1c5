import { Switch } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { useSearchChange } from '../../components/use-search-change';
import { KeyPanel } from './KeyPanel';

const route = getRouteApi('/app/games/$tenantId/keys');

export function KeysPage() {
  const game = useGame();
  const { revoked, key: selectedKey } = route.useSearch();
  const common = { tenantId: game.id, includeRevoked: revoked === 'true', selectedKey };
  const change = useSearchChange<{ revoked: string | undefined }>();
  return (
    <Page
      title="Keys"
      subtitle="Game keys write data of this game. API keys only read it."
      actions={
        <Switch
          label="Show revoked keys"
          checked={revoked === 'true'}
          onChange={({ currentTarget: { checked } }) => change({ revoked: checked ? 'true' : undefined })}
        />
      }
    >
      <KeyPanel {...common} kind="game" />
      <KeyPanel {...common} kind="api" />
    </Page>
  );
}
