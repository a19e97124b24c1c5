import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import addKeywords from 'ajv-keywords';
import fastJson from 'fast-json-stringify';
import { isGuid } from '../../core/ids.ts';
import { toMicroseconds } from '../../core/timestamps.ts';
import { removeOptionalNulls, removeUndeclaredMembers } from './body-members.ts';
import { addMetadataLimits } from './metadata-limits.ts';
import { addSchemaKeywords } from './schema-keywords.ts';

/**
 * Compiles the validator of a route at its first request. To compile all of them at start takes half a second.
 * Body values are not coerced, and undeclared members are removed. Query, path and header values are coerced.
 */
export function lazyValidators() {
  const bodies = ajv({ coerceTypes: false, useDefaults: true });
  const texts = ajv({ coerceTypes: 'array', useDefaults: true });
  return ({ schema, httpPart }: { schema: object; httpPart?: string | undefined }) => {
    let validate: ValidateFunction | undefined;
    return (data: unknown) => {
      validate ??= (httpPart === 'body' ? bodies : texts).compile(schema);
      if (httpPart === 'body') removeOptionalNulls(schema, data);
      if (!validate(data)) return { error: validate.errors as unknown as Error };
      if (httpPart === 'body') removeUndeclaredMembers(schema, data);
      return true;
    };
  };
}

function ajv(options: { coerceTypes: boolean | 'array'; useDefaults: boolean }): Ajv {
  const instance = new Ajv({
    ...options,
    strict: false,
    allErrors: false,
    removeAdditional: false,
    discriminator: true,
    // A test validates all schemas. To compile the schema of schemas takes 40 ms of processor time.
    validateSchema: false,
  });
  addFormats.default(instance, ['email', 'uri']);
  // ajv-formats also accepts `urn:uuid:…`, which PostgreSQL rejects.
  instance.addFormat('uuid', isGuid);
  instance.addFormat('date-time', (text) => toMicroseconds(text) !== undefined);
  // Use cases check int64 values, because strings of digits are allowed too.
  instance.addFormat('int64', true);
  addKeywords.default(instance, ['transform']);
  addMetadataLimits(instance);
  addSchemaKeywords(instance);
  return instance;
}

/** Compiles one serializer per schema. Several hundred responses share the schema of the problem document. */
export function cachedSerializers() {
  const cache = new WeakMap<object, (data: unknown) => string>();
  return ({ schema }: { schema: unknown }) => {
    const key = schema as object;
    let serialize = cache.get(key);
    if (!serialize) {
      let compiled: ((data: unknown) => string) | undefined;
      serialize = (data) =>
        (compiled ??= fastJson(key as fastJson.Schema, { largeArrayMechanism: 'default' }) as never)(data);
      cache.set(key, serialize);
    }
    return serialize;
  };
}
