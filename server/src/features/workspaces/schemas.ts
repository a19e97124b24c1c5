import { Type } from 'typebox';
import { roles } from '../../http/credential-scope.ts';
import { Guid, Name, Nullable, OneOf, Page, Slug, Timestamp } from '../../http/schemas.ts';

export const WorkspaceParams = Type.Object({ workspaceId: Guid });

export const CreateWorkspaceBody = Type.Object({ name: Name(128), slug: Type.Optional(Slug) });

export const ChangeWorkspaceBody = Type.Object({
  name: Type.Optional(Name(128)),
  slug: Type.Optional(Slug),
});

const Plan = Type.Object(
  {
    name: Type.String(),
    monthlyUnits: Nullable(Type.Integer({ description: 'Units in a billing period; null: unlimited.' })),
    hardStop: Type.Boolean({ description: 'Whether requests are refused when the units are used up.' }),
    rateLimit: Type.Object({ perMinute: Type.Integer(), perHour: Type.Integer() }),
    maxMatchEventRecordsPerRequest: Type.Integer(),
    maxPlayerEventRecordsPerRequest: Type.Integer(),
  },
  { description: 'What the workspace may use. The rate limit is that of each key that has none of its own.' },
);

export const Workspace = Type.Object({
  id: Guid,
  name: Type.String(),
  slug: Type.String(),
  role: OneOf(roles, { description: 'What the caller may do in it.' }),
  plan: Plan,
  createdAt: Timestamp,
});

export const WorkspacePage = Page(Workspace);
