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
  link?: PageLink;
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

type PageLink = Pick<LinkProps, 'to' | 'params'>;

/** The places of the side bar and of the command palette. Places that the account may not see are left out. */
export function useDestinations(): DestinationGroup[] {
  const { workspaceId, tenantId } = usePlace();
  const canSeeDefinitions = useCan(workspaceId, 'admin');
  const isPlatformAdmin = useIsPlatformAdmin();
  return [
    ...(tenantId === undefined ? [] : gameGroups(tenantId, canSeeDefinitions)),
    ...(workspaceId === undefined ? [{ items: [workspaces] }] : workspaceGroups(workspaceId, tenantId)),
    ...(isPlatformAdmin ? [platform] : []),
  ];
}

const page = (label: string, icon: LucideIcon, link: PageLink, exact = false): Destination => ({
  label,
  icon,
  link,
  exact,
});

function gameGroups(tenantId: string, canSeeDefinitions: boolean): DestinationGroup[] {
  const params = { tenantId };
  const definitions = page('Definitions', ListTree, { to: '/games/$tenantId/definitions', params });
  return [
    {
      items: [
        page('Overview', LayoutDashboard, { to: '/games/$tenantId', params }, true),
        page('Players', Users, { to: '/games/$tenantId/players', params }),
        page('Matches', Swords, { to: '/games/$tenantId/matches', params }),
        page('Events', Activity, { to: '/games/$tenantId/events', params }),
        page('Wallet ledger', Wallet, { to: '/games/$tenantId/wallet', params }),
        ...(canSeeDefinitions ? [definitions] : []),
      ],
    },
    {
      label: 'Integrate',
      items: [
        page('Keys', KeyRound, { to: '/games/$tenantId/keys', params }),
        page('Sign-in providers', LogIn, { to: '/games/$tenantId/providers', params }),
        page('Game settings', Settings, { to: '/games/$tenantId/settings', params }),
        {
          label: 'API reference',
          icon: BookOpen,
          href: '/docs/',
          open: () => openApiReference(tenantId),
        },
      ],
    },
  ];
}

const workspaces = page('Workspaces', Building, { to: '/workspaces' }, true);

function workspaceGroups(workspaceId: string, tenantId: string | undefined): DestinationGroup[] {
  const params = { workspaceId };
  const gameAudit =
    tenantId === undefined
      ? []
      : [page('Audit log', ScrollText, { to: '/games/$tenantId/audit', params: { tenantId } })];
  return [
    {
      label: 'Observe',
      items: [
        page('Alerts', BellRing, { to: '/workspaces/$workspaceId/alerts', params }),
        page('Webhooks', Webhook, { to: '/workspaces/$workspaceId/webhooks', params }),
        page('Usage and plan', Gauge, { to: '/workspaces/$workspaceId/usage', params }),
        ...gameAudit,
      ],
    },
    {
      label: 'Workspace',
      items: [
        page('Games', Boxes, { to: '/workspaces/$workspaceId', params }, true),
        page('Members', UsersRound, { to: '/workspaces/$workspaceId/members', params }),
        page('Workspace audit log', ScrollText, { to: '/workspaces/$workspaceId/audit', params }),
        workspaces,
      ],
    },
  ];
}

const platform: DestinationGroup = {
  label: 'Platform',
  items: [
    page('All workspaces', Building2, { to: '/platform/workspaces' }),
    page('Find a player', UserSearch, { to: '/platform/players' }),
    page('Deletion receipts', UserX, { to: '/platform/deletion-receipts' }),
    page('Signing keys', FileKey2, { to: '/platform/signing-keys' }),
    page('Platform webhooks', Webhook, { to: '/platform/webhooks' }),
    page('Health and jobs', HeartPulse, { to: '/platform/health' }),
    page('Outbox', Inbox, { to: '/platform/outbox' }),
    page('All audit records', ScrollText, { to: '/platform/audit' }),
  ],
};
