import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { ErrorText } from '../../components/ErrorState';
import { ButtonLink } from '../../components/links';
import { Facts, Page, Panel } from '../../components/Page';
import { RecordPage } from '../../components/RecordPage';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { DeliveryLog } from './DeliveryLog';
import { SigningSecretDialog } from './SigningSecretDialog';
import { EditWebhookDialog } from './WebhookForm';
import { WebhookState } from './WebhookState';
import { linkToList, useCanChange } from './owner';
import {
  deliveriesQuery,
  eventTypeNames,
  PLATFORM,
  useChangeWebhook,
  useDeleteWebhook,
  useRotateSecret,
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
    queryClient.prefetchInfiniteQuery(deliveriesQuery(toPath(params), filter)),
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
      {(data) => <LoadedWebhook workspaceId={path.workspaceId} webhook={data} />}
    </RecordPage>
  );
}

function LoadedWebhook({ workspaceId, webhook }: { workspaceId: string; webhook: Webhook }) {
  const canChange = useCanChange(workspaceId);
  const path = { workspaceId, webhookId: webhook.id };
  return (
    <Page
      title="Webhook"
      state={<WebhookState webhook={webhook} />}
      subtitle={webhook.url}
      actions={canChange && <Actions workspaceId={workspaceId} webhook={webhook} />}
    >
      <Panel title="Settings">
        <Facts
          facts={[
            ['Events', webhook.eventTypes?.map((type) => eventTypeNames[type]).join(', ') ?? 'All events'],
            ['Description', webhook.description ?? '–'],
            ['Created', <RelativeTime key="created" at={webhook.createdAt} />],
            ['Failing since', <MaybeTime key="failing" at={webhook.failingSince} />],
            ['Old secrets work until', <MaybeTime key="secret" at={webhook.previousSecretUntil} />],
          ]}
        />
      </Panel>
      <DeliveryLog path={path} canChange={canChange} />
    </Page>
  );
}

const OVERLAP_SECONDS = 86_400;

function Actions({ workspaceId, webhook }: { workspaceId: string; webhook: Webhook }) {
  const path = { workspaceId, webhookId: webhook.id };
  const test = useTestWebhook(path);
  const change = useChangeWebhook(path);
  const rotate = useRotateSecret(path);
  const remove = useDeleteWebhook(path);
  const navigate = useNavigate();
  const [isEditing, editing] = useDisclosure();
  const [isRotating, rotating] = useDisclosure();
  const [isDeleting, deleting] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  const error = test.error ?? change.error;
  return (
    <>
      {error && <ErrorText error={error} />}
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate(undefined)}>
        Send a test
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={editing.open}>Edit</Menu.Item>
          <Menu.Item onClick={rotating.open}>Rotate the secret</Menu.Item>
          <Menu.Item onClick={() => change.mutate({ enabled: !webhook.enabled })}>
            {webhook.enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Item c="var(--gh-bad)" onClick={deleting.open}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isEditing && <EditWebhookDialog workspaceId={workspaceId} onClose={editing.close} current={webhook} />}
      <ConfirmDialog
        opened={isRotating}
        onClose={rotating.close}
        title="Rotate the secret"
        verb="Rotate the secret"
        isPending={rotate.isPending}
        error={rotate.error}
        onConfirm={() =>
          rotate.mutate(OVERLAP_SECONDS, {
            onSuccess: (rotated) => {
              rotating.close();
              setSecret(rotated.secret);
            },
          })
        }
      >
        Creates a new signing secret. For one day, deliveries are signed with both, so your server can change
        over without an interruption.
      </ConfirmDialog>
      <SigningSecretDialog secret={secret} onClose={() => setSecret(undefined)} />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title="Delete the webhook"
        verb="Delete the webhook"
        typed="delete"
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => void navigate(linkToList(workspaceId)),
          })
        }
      >
        Deletes the webhook {webhook.url} with its delivery log. Pending deliveries are not sent. This cannot
        be undone.
      </ConfirmDialog>
    </>
  );
}
