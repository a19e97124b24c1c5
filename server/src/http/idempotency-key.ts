import { Type } from 'typebox';

/** The request headers of operations that a client may repeat. Header names are compared in lower case. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 128,
      pattern: '^[!-~]*$',
      description:
        'A random text of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action.',
    }),
  ),
});
