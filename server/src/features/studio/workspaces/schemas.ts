import { Type } from 'typebox';
import { MAX_EVENTS_PER_REQUEST } from '../../../core/callers.ts';
import { roles } from '../../../core/role.ts';
import {
  CursorPage,
  CursorQuery,
  DisplayName,
  Guid,
  Name,
  Nullable,
  OneOf,
  Page,
  Slug,
  Timestamp,
} from '../../../http/schemas.ts';
import { MAX_LISTED } from './platform-queries.ts';

export const WorkspaceRole = OneOf(roles, { title: 'WorkspaceRole' });

export const CreateWorkspaceRequest = Type.Object(
  { name: DisplayName(128), slug: Type.Optional(Slug) },
  { title: 'CreateWorkspaceRequest' },
);

export const UpdateWorkspaceRequest = Type.Object(
  {
    name: Type.Optional(DisplayName(128)),
    slug: Type.Optional(Slug),
  },
  { title: 'UpdateWorkspaceRequest' },
);

const LARGEST_INTEGER = 2 ** 31 - 1;
const Count = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

const rateLimit = {
  perMinute: Count(LARGEST_INTEGER, 'Requests per minute.'),
  perHour: Count(LARGEST_INTEGER, 'Requests per hour.'),
};

const plan = {
  name: Name(64),
  monthlyUnits: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Units per billing period. Null: unlimited.',
    }),
  ),
  hardStop: Type.Boolean({ description: 'Whether requests are refused after the last unit is used.' }),
  maxMatchEventRecordsPerRequest: Count(MAX_EVENTS_PER_REQUEST, 'Match events per request.'),
  maxPlayerEventRecordsPerRequest: Count(MAX_EVENTS_PER_REQUEST, 'Player events per request.'),
};

export const Plan = Type.Object(
  { ...plan, rateLimit: Type.Object(rateLimit, { title: 'PlanRateLimit' }) },
  {
    title: 'Plan',
    description:
      'The limits of the workspace. The rate limit applies to each key that has no rate limit of its own.',
  },
);

export const UpdatePlanRequest = Type.Object(
  {
    ...Type.Partial(Type.Object(plan)).properties,
    rateLimit: Type.Optional(Type.Partial(Type.Object(rateLimit), { title: 'UpdatePlanRateLimit' })),
  },
  { title: 'UpdatePlanRequest' },
);

export const Workspace = Type.Object(
  {
    id: Guid,
    name: Type.String(),
    slug: Type.String(),
    role: OneOf(roles, { title: 'WorkspaceRole', description: 'The role of the caller.' }),
    plan: Plan,
    createdAt: Timestamp,
  },
  { title: 'Workspace' },
);

export const WorkspacePage = Page(Workspace);

/** The role of an account in a workspace. */
export const MembershipSchema = Type.Object(
  {
    workspaceId: Guid,
    workspaceName: Type.String(),
    workspaceSlug: Type.String(),
    role: WorkspaceRole,
  },
  { title: 'Membership' },
);

const { role: _role, ...anyWorkspace } = Workspace.properties;

export const AnyWorkspacesQuery = Type.Object({
  search: Type.Optional(
    Name(254, 'The beginning of a name; or a whole id, slug, tenant id, or email address of a member.'),
  ),
  ...CursorQuery.properties,
});

export const AnyWorkspacePage = CursorPage(Type.Object(anyWorkspace, { title: 'AnyWorkspace' }));

export const AnyWorkspaceDetail = Type.Object(
  {
    ...anyWorkspace,
    members: Type.Array(
      Type.Object(
        { accountId: Guid, email: Type.String(), role: WorkspaceRole },
        { title: 'MemberOfWorkspace' },
      ),
      { maxItems: MAX_LISTED },
    ),
    tenants: Type.Array(
      Type.Object(
        { tenantId: Guid, name: Type.String(), slug: Type.String(), disabledAt: Nullable(Timestamp) },
        { title: 'TenantOfWorkspace' },
      ),
      { maxItems: MAX_LISTED },
    ),
  },
  { title: 'AnyWorkspaceDetail' },
);
