import type { Ajv } from 'ajv';
import { isNestedWithin } from '../../core/text.ts';

/** Adds the keywords `x-max-levels` and `x-max-bytes`, which limit a whole JSON value. */
export function addMetadataLimits(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'x-max-levels',
    schemaType: 'number',
    validate: (most: number, value: unknown) => isNestedWithin(value, most),
    error: { message: ({ schema }) => `must have at most ${schema} levels of objects and arrays` },
  });
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    schemaType: 'number',
    validate: (most: number, value: unknown) => storedBytes(value) <= most,
    error: { message: ({ schema }) => `must be at most ${schema} bytes as JSON` },
  });
}

/**
 * The size of a value as JSON, with numbers written without exponents. PostgreSQL returns `1e308` in a jsonb column as
 * 309 digits, so 8 KiB of such numbers would become 400 KiB.
 */
function storedBytes(value: unknown): number {
  let hidden = 0;
  const text = JSON.stringify(value, (_name, item: unknown) => {
    if (typeof item === 'number') hidden += Math.abs(Number(/e([+-]\d+)$/.exec(String(item))?.[1] ?? 0));
    return item;
  });
  return Buffer.byteLength(text) + hidden;
}
