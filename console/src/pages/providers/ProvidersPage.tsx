import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGame } from '../../app/game';
import { ErrorState } from '../../components/ErrorState';
import { Page } from '../../components/Page';
import { ProviderPanel } from './ProviderPanel';
import { providersQuery } from './queries';

export function ProvidersPage() {
  const game = useGame();
  const providers = useQuery(providersQuery(game.id));
  return (
    <Page title="Sign-in providers" subtitle="How players sign in to this game">
      {providers.error && !providers.data && (
        <ErrorState
          error={providers.error}
          what="The providers could not be loaded"
          retry={() => void providers.refetch()}
        />
      )}
      {!providers.data && !providers.error && <Skeleton height={320} radius="md" />}
      {providers.data?.items.map((provider) => (
        <ProviderPanel key={provider.provider} tenantId={game.id} provider={provider} />
      ))}
    </Page>
  );
}
