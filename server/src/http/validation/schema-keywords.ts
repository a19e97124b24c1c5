import type { Ajv, SchemaValidateFunction } from 'ajv';
import { normaliseKey } from '../../core/text.ts';
import { toMicroseconds } from '../../core/timestamps.ts';

/** Keywords of this server. The OpenAPI document leaves them out, and descriptions say what they mean. */
export const OWN_KEYWORDS = ['transform', 'normaliseKey', 'isBefore'];

/** Adds `normaliseKey` and `isBefore`. `transform` is a keyword of ajv-keywords. */
export function addSchemaKeywords(ajv: Ajv): void {
  const normalise: SchemaValidateFunction = (_schema, value, _parent, context) => {
    if (typeof value === 'string') context!.parentData[context!.parentDataProperty] = normaliseKey(value);
    return true;
  };
  // It runs before the limits of the length, which apply to the stored form.
  ajv.addKeyword({
    keyword: 'normaliseKey',
    before: 'enum',
    modifying: true,
    errors: false,
    validate: normalise,
  });

  const isBefore: SchemaValidateFunction = (name: string, value, _parent, context) => {
    const [time, later] = [value, context!.parentData[name]].map(
      (text) => typeof text === 'string' && toMicroseconds(text),
    );
    // The format refuses a value that is no time. Compared as texts, because Date has no microseconds.
    return !time || !later || time < later;
  };
  ajv.addKeyword({
    keyword: 'isBefore',
    type: 'string',
    schemaType: 'string',
    validate: isBefore,
    error: { message: ({ schema }) => `must be earlier than ${schema}` },
  });
}
