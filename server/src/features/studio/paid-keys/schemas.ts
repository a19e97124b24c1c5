import { Type } from 'typebox';
import { Guid, Nullable, Page, Timestamp } from '../../../http/schemas.ts';

export const PaidKeyPath = Type.Object({ workspaceId: Guid, keyId: Guid });

const PaidKey = Type.Object(
  {
    id: Guid,
    name: Type.String(),
    prefix: Type.String({ description: 'The first characters of the key.' }),
    tenantId: Guid,
    tenantName: Type.String(),
    workspaceId: Type.String({ ...Guid, description: 'The workspace that owns the key.' }),
    agreedBy: Type.String({ ...Guid, description: 'The account that agreed to pay.' }),
    agreedAt: Timestamp,
    expiresAt: Nullable(Timestamp),
  },
  { title: 'PaidKey' },
);

export const PaidKeyPage = Page(PaidKey);
