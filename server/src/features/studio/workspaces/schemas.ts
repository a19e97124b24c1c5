import { Type } from 'typebox';
import { roles } from '../../../core/role.ts';
import { Guid, Name, Nullable, OneOf, Page, Slug, Timestamp } from '../../../http/schemas.ts';

/** The most events of a request, whatever the plan says (spec: limits). */
const MOST_EVENTS = 10_000;

export const WorkspaceParams = Type.Object({ workspaceId: Guid });

export const CreateWorkspaceBody = Type.Object({ name: Name(128), slug: Type.Optional(Slug) });

export const ChangeWorkspaceBody = Type.Object({
  name: Type.Optional(Name(128)),
  slug: Type.Optional(Slug),
});

const LARGEST_INTEGER = 2 ** 31 - 1;
const Count = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

const rateLimit = {
  perMinute: Count(LARGEST_INTEGER, 'Requests a minute.'),
  perHour: Count(LARGEST_INTEGER, 'Requests an hour.'),
};

const plan = {
  name: Name(64),
  monthlyUnits: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Units in a billing period; null: unlimited.',
    }),
  ),
  hardStop: Type.Boolean({ description: 'Whether requests are refused when the units are used up.' }),
  maxMatchEventRecordsPerRequest: Count(MOST_EVENTS, 'Match events in a request.'),
  maxPlayerEventRecordsPerRequest: Count(MOST_EVENTS, 'Player events in a request.'),
};

export const Plan = Type.Object(
  { ...plan, rateLimit: Type.Object(rateLimit) },
  { description: 'What the workspace may use. The rate limit is that of each key that has none of its own.' },
);

export const ChangePlanBody = Type.Object({
  ...Type.Partial(Type.Object(plan)).properties,
  rateLimit: Type.Optional(Type.Partial(Type.Object(rateLimit))),
});

export const Workspace = Type.Object({
  id: Guid,
  name: Type.String(),
  slug: Type.String(),
  role: OneOf(roles, { description: 'What the caller may do in it.' }),
  plan: Plan,
  createdAt: Timestamp,
});

export const WorkspacePage = Page(Workspace);
