import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  BellRing,
  BookOpen,
  Boxes,
  Building,
  Building2,
  FileKey2,
  Gauge,
  HeartPulse,
  Inbox,
  KeyRound,
  LayoutDashboard,
  ListTree,
  LogIn,
  ScrollText,
  Settings,
  Swords,
  UserSearch,
  Users,
  UsersRound,
  UserX,
  Wallet,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { useCan, useIsPlatformAdmin } from '../account';
import { openApiReference } from '../api-reference';
import { usePlace } from '../game';

export interface Destination {
  label: string;
  icon: LucideIcon;
  /** A page of the console. */
  link?: Pick<LinkProps, 'to' | 'params'>;
  /** Or a page of the server, which opens in a new tab. */
  href?: string;
  open?: () => void;
  /** Other pages whose path begins with this one do not mark it as current. */
  exact?: boolean;
}

export interface DestinationGroup {
  label?: string;
  items: Destination[];
}

/** The places of the side bar and of the command palette. Places that the account may not see are left out. */
export function useDestinations(): DestinationGroup[] {
  const { workspaceId, tenantId } = usePlace();
  const canSeeDefinitions = useCan(workspaceId, 'admin');
  const isPlatformAdmin = useIsPlatformAdmin();
  const groups: DestinationGroup[] = [];

  if (tenantId !== undefined) {
    const params = { tenantId };
    groups.push(
      {
        items: [
          { label: 'Overview', icon: LayoutDashboard, link: { to: '/games/$tenantId', params }, exact: true },
          { label: 'Players', icon: Users, link: { to: '/games/$tenantId/players', params } },
          { label: 'Matches', icon: Swords, link: { to: '/games/$tenantId/matches', params } },
          { label: 'Events', icon: Activity, link: { to: '/games/$tenantId/events', params } },
          { label: 'Wallet ledger', icon: Wallet, link: { to: '/games/$tenantId/wallet', params } },
          ...(canSeeDefinitions
            ? [
                {
                  label: 'Definitions',
                  icon: ListTree,
                  link: { to: '/games/$tenantId/definitions', params },
                } as const,
              ]
            : []),
        ],
      },
      {
        label: 'Integrate',
        items: [
          { label: 'Keys', icon: KeyRound, link: { to: '/games/$tenantId/keys', params } },
          { label: 'Sign-in providers', icon: LogIn, link: { to: '/games/$tenantId/providers', params } },
          { label: 'Game settings', icon: Settings, link: { to: '/games/$tenantId/settings', params } },
          {
            label: 'API reference',
            icon: BookOpen,
            href: '/docs/',
            open: () => openApiReference(tenantId),
          },
        ],
      },
    );
  }
  const workspaces: Destination = {
    label: 'Workspaces',
    icon: Building,
    link: { to: '/workspaces' },
    exact: true,
  };
  if (workspaceId === undefined) groups.push({ items: [workspaces] });
  else {
    const params = { workspaceId };
    groups.push(
      {
        label: 'Observe',
        items: [
          { label: 'Alerts', icon: BellRing, link: { to: '/workspaces/$workspaceId/alerts', params } },
          { label: 'Webhooks', icon: Webhook, link: { to: '/workspaces/$workspaceId/webhooks', params } },
          { label: 'Usage and plan', icon: Gauge, link: { to: '/workspaces/$workspaceId/usage', params } },
          tenantId === undefined
            ? { label: 'Audit log', icon: ScrollText, link: { to: '/workspaces/$workspaceId/audit', params } }
            : {
                label: 'Audit log',
                icon: ScrollText,
                link: { to: '/games/$tenantId/audit', params: { tenantId } },
              },
        ],
      },
      {
        label: 'Workspace',
        items: [
          { label: 'Games', icon: Boxes, link: { to: '/workspaces/$workspaceId', params }, exact: true },
          { label: 'Members', icon: UsersRound, link: { to: '/workspaces/$workspaceId/members', params } },
          workspaces,
        ],
      },
    );
  }
  if (isPlatformAdmin)
    groups.push({
      label: 'Platform',
      items: [
        { label: 'All workspaces', icon: Building2, link: { to: '/platform/workspaces' } },
        { label: 'Find a player', icon: UserSearch, link: { to: '/platform/players' } },
        { label: 'Deletion receipts', icon: UserX, link: { to: '/platform/deletion-receipts' } },
        { label: 'Signing keys', icon: FileKey2, link: { to: '/platform/signing-keys' } },
        { label: 'Platform webhooks', icon: Webhook, link: { to: '/platform/webhooks' } },
        { label: 'Health and jobs', icon: HeartPulse, link: { to: '/platform/health' } },
        { label: 'Outbox', icon: Inbox, link: { to: '/platform/outbox' } },
        { label: 'All audit records', icon: ScrollText, link: { to: '/platform/audit' } },
      ],
    });
  return groups;
}
