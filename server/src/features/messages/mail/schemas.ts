import { Type } from 'typebox';
import { Guid, Nullable, Page, Timestamp } from '../../../http/schemas.ts';

export const OutboxMailPage = Page(
  Type.Object(
    {
      id: Guid,
      to: Type.String(),
      subject: Type.String(),
      text: Nullable(Type.String({ description: 'Null after the email was delivered or has failed.' })),
      createdAt: Timestamp,
      sentAt: Nullable(
        Type.String({ ...Timestamp, description: 'When the mail server accepted the email.' }),
      ),
      failedAt: Nullable(Type.String({ ...Timestamp, description: 'When the delivery failed finally.' })),
      failure: Nullable(
        Type.String({ description: 'The reason of the last failure, such as the reply of the mail server.' }),
      ),
    },
    { title: 'OutboxMail' },
  ),
);
