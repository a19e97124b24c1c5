import { Type } from 'typebox';
import { Guid, Nullable, Page, Timestamp } from '../../../http/schemas.ts';

export const Outbox = Page(
  Type.Object({
    id: Guid,
    to: Type.String(),
    subject: Type.String(),
    text: Nullable(Type.String({ description: 'Null once it was delivered, or given up.' })),
    createdAt: Timestamp,
    sentAt: Nullable(Type.String({ format: 'date-time', description: 'When the mail server took it.' })),
    failedAt: Nullable(
      Type.String({ format: 'date-time', description: 'When it was refused for good, or given up.' }),
    ),
    failure: Nullable(
      Type.String({ description: 'What the mail server said last, where it did not take it.' }),
    ),
  }),
);
