import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { assertProblem, type Answer } from '../../src/testing/http-client.ts';
import type { Operation, Schema } from '../world.ts';

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addFormat('binary', true);
const compiled = new Map<Schema, ValidateFunction>();

/** The validator of a schema, without coercion. */
export function validatorOf(schema: Schema): ValidateFunction {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Says what is wrong with an answer: a 5xx, or a status, content type or body that the operation does not declare. */
export function faultOf({ responses, method }: Operation, answer: Answer): string | undefined {
  const { status, headers, text, body } = answer;
  const declared = responses[status];
  if (status >= 500 || !declared) return `the status ${status}: ${text.slice(0, 300)}`;
  const content = declared.content ?? {};
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (Object.keys(content).length === 0 || method === 'HEAD' || text === '') return undefined;
  const media = content[type] ?? Object.entries(content).find(([name]) => name.startsWith(`${type};`))?.[1];
  if (!media) return `the content type ${type} with the status ${status}`;
  if (!/[/+]json$/.test(type)) return undefined;
  if (type === 'application/problem+json') assertProblem(answer);
  const validate = validatorOf(media.schema);
  return validate(body)
    ? undefined
    : `an undeclared body: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`;
}
