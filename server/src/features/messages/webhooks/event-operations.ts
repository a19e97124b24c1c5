import { Type } from 'typebox';
import { eventCatalogue } from './event-types.ts';

const header = (name: string, description: string) => ({
  in: 'header',
  name,
  required: true,
  description,
  schema: Type.String(),
});

const parameters = [
  header(
    'webhook-id',
    'The id of the delivery. It is the same in each attempt, so use it to recognize a repetition.',
  ),
  header('webhook-timestamp', 'The time of the attempt in Unix seconds.'),
  header(
    'webhook-signature',
    'One or several signatures of Standard Webhooks, separated by spaces. Verify one of them before you parse the body.',
  ),
];

const responses = {
  '2XX': { description: 'The delivery succeeded.' },
  410: { description: 'The attempt failed, and Guildhall disables the webhook.' },
  default: { description: 'The attempt failed. Guildhall makes up to eight attempts.' },
};

/** The `webhooks` of the OpenAPI document: what a receiver implements for each event type. */
export const eventOperations = Object.fromEntries(
  Object.entries(eventCatalogue).map(([type, { body, ...names }]) => {
    const requestBody = { required: true, content: { 'application/json': { schema: body } } };
    return [
      type,
      { post: { ...names, tags: ['Webhooks'], security: [], parameters, requestBody, responses } },
    ];
  }),
);
