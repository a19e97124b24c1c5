import { linkOptions } from '@tanstack/react-router';
import { useCan, useIsPlatformAdmin } from '../../app/account';
import { PLATFORM, type WebhookPath } from './queries';

/** Whether the signed-in account may change the webhooks of a workspace or of the deployment. */
export function useCanChange(workspaceId: string): boolean {
  const isAdmin = useCan(workspaceId, 'admin');
  const isPlatformAdmin = useIsPlatformAdmin();
  return workspaceId === PLATFORM ? isPlatformAdmin : isAdmin;
}

/** The page of all webhooks of a workspace or of the deployment. */
export const linkToList = (workspaceId: string) =>
  workspaceId === PLATFORM
    ? linkOptions({ to: '/platform/webhooks' })
    : linkOptions({ to: '/workspaces/$workspaceId/webhooks', params: { workspaceId } });

/** The page of a webhook. */
export const linkTo = ({ workspaceId, webhookId }: WebhookPath) =>
  workspaceId === PLATFORM
    ? linkOptions({ to: '/platform/webhooks/$webhookId', params: { webhookId } })
    : linkOptions({ to: '/workspaces/$workspaceId/webhooks/$webhookId', params: { workspaceId, webhookId } });
