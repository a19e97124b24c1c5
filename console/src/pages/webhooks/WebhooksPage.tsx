import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useGameNames } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import type { Column } from '../../components/DataTable';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { RelativeTime } from '../../components/RelativeTime';
import { TablePanel } from '../../components/TablePanel';
import { CreateWebhookDialog } from './WebhookForm';
import { SigningSecretDialog } from './SigningSecretDialog';
import { WebhookState } from './WebhookState';
import { linkTo, useCanChange } from './owner';
import { eventTypeNames, PLATFORM, webhooksQuery, type Webhook } from './queries';

export const preload = (queryClient: QueryClient, { workspaceId = PLATFORM }: { workspaceId?: string }) =>
  queryClient.prefetchQuery(webhooksQuery(workspaceId));

/** The webhooks of a workspace or of the deployment. */
export function WebhooksPage() {
  const { workspaceId = PLATFORM } = useParams({ strict: false });
  const isOfWorkspace = workspaceId !== PLATFORM;
  const webhooks = useQuery(webhooksQuery(workspaceId));
  const canChange = useCanChange(workspaceId);
  const navigate = useNavigate();
  const gameNames = useGameNames(workspaceId, { enabled: isOfWorkspace });
  const [isCreating, creating] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  return (
    <Page
      title={isOfWorkspace ? 'Webhooks' : 'Platform webhooks'}
      subtitle={`Signed requests to your servers when something happens${isOfWorkspace ? '' : ' in any workspace'}`}
      actions={canChange && <Button onClick={creating.open}>Add a webhook</Button>}
    >
      <TablePanel
        label="Webhooks"
        columns={[...columns(workspaceId), ...(isOfWorkspace ? [gameColumn(gameNames)] : [])]}
        rows={webhooks.data?.items}
        rowKey={({ id }) => id}
        query={webhooks}
        onOpen={({ id }) => void navigate(linkTo({ workspaceId, webhookId: id }))}
        empty={
          <EmptyState
            title="No webhooks yet"
            next={
              canChange && (
                <Button w="fit-content" onClick={creating.open}>
                  Add a webhook
                </Button>
              )
            }
          >
            A webhook sends alerts, usage warnings and changes of players to your server as signed POST
            requests. Failed deliveries are tried again for more than a day.
          </EmptyState>
        }
      />
      {isCreating && (
        <CreateWebhookDialog workspaceId={workspaceId} onClose={creating.close} onCreated={setSecret} />
      )}
      <SigningSecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  );
}

const columns = (workspaceId: string): Column<Webhook>[] => [
  {
    id: 'url',
    header: 'URL',
    narrowWidth: 256,
    cell: ({ id, url }) => <Link {...linkTo({ workspaceId, webhookId: id })}>{url}</Link>,
  },
  {
    id: 'events',
    header: 'Events',
    width: 150,
    cell: ({ eventTypes }) => eventTypes?.map((type) => eventTypeNames[type]).join(', ') ?? 'All events',
  },
  {
    id: 'state',
    header: 'State',
    width: 130,
    narrowWidth: 110,
    cell: (webhook) => <WebhookState webhook={webhook} />,
  },
  { id: 'created', header: 'Created', width: 110, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

const gameColumn = (gameNames: Map<string, string>): Column<Webhook> => ({
  id: 'game',
  header: 'Game',
  width: 120,
  cell: ({ tenantId }) =>
    tenantId === null ? 'All games' : <CopyableId id={tenantId} name={gameNames.get(tenantId)} />,
});
