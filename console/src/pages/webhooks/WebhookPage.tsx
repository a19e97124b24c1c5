import { Button, Menu, Text } from '@mantine/core';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useGameNames } from '../../app/game';
import { CopyableId } from '../../components/CopyableId';
import { ErrorText } from '../../components/ErrorState';
import { ButtonLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import { RecordPage } from '../../components/RecordPage';
import { RelativeTime } from '../../components/RelativeTime';
import { DeliveryLog } from './DeliveryLog';
import { SigningSecretDialog } from './SigningSecretDialog';
import { DeleteWebhookDialog, RotateSecretDialog } from './WebhookDialogs';
import { EditWebhookDialog } from './WebhookForm';
import { WebhookState } from './WebhookState';
import { linkToList, useCanChange } from './owner';
import {
  deliveriesQuery,
  eventTypeNames,
  PLATFORM,
  useChangeWebhook,
  useTestWebhook,
  webhookQuery,
  type DeliveryFilter,
  type Webhook,
  type WebhookPath,
} from './queries';

interface Params {
  workspaceId?: string;
  webhookId?: string;
}

const toPath = ({ workspaceId = PLATFORM, webhookId }: Params): WebhookPath => ({
  workspaceId,
  webhookId: webhookId!,
});

export const preload = (queryClient: QueryClient, params: Params, filter: DeliveryFilter) =>
  Promise.all([
    queryClient.prefetchQuery(webhookQuery(toPath(params))),
    queryClient.ensureInfiniteQueryData(deliveriesQuery(toPath(params), filter)),
  ]);

/** A webhook of a workspace or of the deployment. */
export function WebhookPage() {
  const path = toPath(useParams({ strict: false }));
  const webhook = useQuery(webhookQuery(path));
  return (
    <RecordPage
      title="Webhook"
      query={webhook}
      list={<ButtonLink {...linkToList(path.workspaceId)}>Open the webhooks</ButtonLink>}
    >
      {(data) => <LoadedWebhook path={path} webhook={data} />}
    </RecordPage>
  );
}

interface WebhookProps {
  path: WebhookPath;
  webhook: Webhook;
}

function LoadedWebhook({ path, webhook }: WebhookProps) {
  const { workspaceId } = path;
  const canChange = useCanChange(workspaceId);
  const isOfWorkspace = workspaceId !== PLATFORM;
  const gameNames = useGameNames(workspaceId, { enabled: isOfWorkspace });
  return (
    <Page
      title="Webhook"
      state={<WebhookState webhook={webhook} />}
      subtitle={webhook.url}
      actions={canChange && <Actions path={path} webhook={webhook} />}
    >
      <Panel title="Settings">
        <Facts
          facts={{
            Events: webhook.eventTypes?.map((type) => eventTypeNames[type]).join(', ') ?? 'All events',
            ...(isOfWorkspace && { Game: <Game id={webhook.tenantId} names={gameNames} /> }),
            Description: webhook.description ?? '–',
            Created: <RelativeTime at={webhook.createdAt} />,
            ...(webhook.failingSince !== null && {
              'Failing since': <RelativeTime at={webhook.failingSince} />,
            }),
            ...(webhook.previousSecretUntil !== null && {
              'Old secrets work until': <RelativeTime at={webhook.previousSecretUntil} />,
            }),
          }}
        />
      </Panel>
      {!webhook.enabled && (
        <Text>
          This webhook is disabled, and its deliveries wait. To send a test or a delivery again, enable it
          first.
        </Text>
      )}
      <DeliveryLog path={path} canChange={canChange} isEnabled={webhook.enabled} />
    </Page>
  );
}

/** The game that the webhook is restricted to. */
const Game = ({ id, names }: { id: string | null; names: Map<string, string> }) =>
  id === null ? 'All games of the workspace' : <CopyableId id={id} name={names.get(id)} />;

type OpenDialog = { kind: 'edit' | 'rotate' | 'delete' } | { kind: 'secret'; secret: string | undefined };

function Actions({ path, webhook }: WebhookProps) {
  const test = useTestWebhook(path);
  const change = useChangeWebhook(path);
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  const error = test.error ?? change.error;
  return (
    <>
      {error && <ErrorText error={error} />}
      <Button
        variant="default"
        disabled={!webhook.enabled}
        loading={test.isPending}
        onClick={() => test.mutate(undefined)}
      >
        Send a test
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog({ kind: 'edit' })}>Edit</Menu.Item>
          <Menu.Item onClick={() => setDialog({ kind: 'rotate' })}>Rotate the secret</Menu.Item>
          <Menu.Item onClick={() => change.mutate({ enabled: !webhook.enabled })}>
            {webhook.enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Item c="var(--gh-bad)" onClick={() => setDialog({ kind: 'delete' })}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog?.kind === 'edit' && <EditWebhookDialog path={path} onClose={close} current={webhook} />}
      {dialog?.kind === 'rotate' && (
        <RotateSecretDialog
          path={path}
          onClose={close}
          onRotated={(secret) => setDialog({ kind: 'secret', secret })}
        />
      )}
      {dialog?.kind === 'delete' && <DeleteWebhookDialog path={path} onClose={close} url={webhook.url} />}
      <SigningSecretDialog secret={dialog?.kind === 'secret' ? dialog.secret : undefined} onClose={close} />
    </>
  );
}
