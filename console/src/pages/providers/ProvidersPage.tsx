import { useQuery } from '@tanstack/react-query';
import { useGame } from '../../app/game';
import { Page } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { ProviderPanel } from './ProviderPanel';
import { providersQuery } from './queries';

export function ProvidersPage() {
  const game = useGame();
  const providers = useQuery(providersQuery(game.id));
  return (
    <Page title="Sign-in providers" subtitle="How players sign in to this game">
      {!providers.data && (
        <Pending query={providers} failure="The providers could not be loaded" height={320} />
      )}
      {providers.data?.items.map((provider) => (
        <ProviderPanel key={provider.provider} tenantId={game.id} provider={provider} />
      ))}
    </Page>
  );
}
