import { Type } from 'typebox';
import { DisplayName, Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { visibilities } from '../../../core/visibility.ts';
import { AuthMethodList } from './auth-methods/schemas.ts';
import { MAX_LISTED_TENANTS, MAX_MERGED_PROFILES } from './queries.ts';

/** A player’s access record in a tenant. */
export const TenantAccessSchema = Type.Object(
  {
    tenantId: Guid,
    tenantRole: Type.String(),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    loginCount: Type.Integer(),
  },
  { title: 'TenantAccess' },
);

export const TenantAccessList = Type.Array(TenantAccessSchema, {
  title: 'TenantAccessList',
  maxItems: MAX_LISTED_TENANTS,
});

/** A profile as its own player sees it. */
export const FullPlayerProfile = Type.Object(
  {
    id: Guid,
    displayName: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    email: Nullable(Type.String()),
    platformRole: Type.String(),
    profileVisibility: OneOf(visibilities, {
      title: 'ProfileVisibility',
      description: 'How much of the profile other players and studios see.',
    }),
    createdAt: Timestamp,
    isActive: Type.Boolean({ description: 'False after the profile was deleted.' }),
    mergedIntoId: Nullable(Guid),
    mergedProfileIds: Type.Array(Guid, {
      maxItems: MAX_MERGED_PROFILES,
      description: 'The profiles that were merged into this one.',
    }),
    authMethods: AuthMethodList,
    tenantAccess: TenantAccessList,
  },
  { title: 'FullPlayerProfile' },
);

export const UpdateProfileRequest = Type.Object(
  {
    displayName: Type.Optional(Nullable(DisplayName(64, ' Null clears it.'))),
    avatarUrl: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2048,
          description: 'An https URL, or the URL of an uploaded avatar. Null clears it.',
        }),
      ),
    ),
    profileVisibility: Type.Optional(OneOf(visibilities, { title: 'ProfileVisibility' })),
  },
  { title: 'UpdateProfileRequest' },
);
