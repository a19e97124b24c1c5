import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import Fastify, { type FastifyPluginAsync } from 'fastify';
import { featureGroups } from '../../features/index.ts';
import { BODY_LIMIT } from './body-limits.ts';
import { cachedSerializers, lazyValidators } from '../validation/schema-compilers.ts';

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  'x-max-bytes'?: number;
}

/** An emoji in a JSON text of ASCII: `\\ud83d\\ude00`. */
const ESCAPED_BYTES = 12;

/** These texts are in ASCII. */
const ASCII =
  /token|signature|url|email|password|secret|code|cursor|^message$|^response$|^jwt$|address|audience|version|build/i;

/** These routes have limits for the usual size of many items. */
const FOR_USUAL_ITEMS = /\/(events|player-events|matches|results|redeliveries|queries)$/;

/** The size of the longest JSON text that a schema accepts, without white space. */
function mostBytes(schema: Schema, name: string): number {
  if (schema.enum) return Math.max(...schema.enum.map((value) => JSON.stringify(value).length));
  if (schema.anyOf) return Math.max(...schema.anyOf.map((choice) => mostBytes(choice, name)));
  if (schema['x-max-bytes'] !== undefined) return schema['x-max-bytes'];
  switch ([schema.type].flat()[0]) {
    case 'object':
      return membersOf(schema).reduce(
        (sum, [member, value]) => sum + member.length + 4 + mostBytes(value, member),
        2,
      );
    case 'array':
      return 2 + (schema.maxItems ?? 0) * (1 + mostBytes(schema.items ?? {}, name));
    case 'string':
      return 2 + lengthOf(schema) * (ASCII.test(name) || schema.pattern || schema.format ? 1 : ESCAPED_BYTES);
    default:
      return 20;
  }
}

/** A credential has either a token, or a signature with its message, which is longer. */
function membersOf({ properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).filter(([member]) => member !== 'token' || !properties['signature']);
}

const lengthOf = ({ format, maxLength }: Schema): number => maxLength ?? (format ? 40 : 0);

/** Stands for any service. The routes are registered, and no request is sent. */
const anyService: object = new Proxy(() => anyService, {
  get: (_target, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => '' : anyService),
});

describe('body limits', () => {
  const routes: { name: string; limit: number; body: Schema }[] = [];
  before(async () => {
    const app = Fastify({ bodyLimit: BODY_LIMIT });
    app.setValidatorCompiler(lazyValidators() as never);
    app.setSerializerCompiler(cachedSerializers() as never);
    app.addHook('onRoute', ({ method, url, schema, bodyLimit = BODY_LIMIT }) => {
      const body = schema?.body as Schema | undefined;
      if (body && !schema?.consumes) routes.push({ name: `${method} ${url}`, limit: bodyLimit, body });
    });
    for (const group of featureGroups)
      for (const { routes: factories } of group.routes)
        for (const factory of factories)
          await app.register((factory as (services: object) => FastifyPluginAsync)(anyService));
    await app.ready();
  });

  test('accept the longest texts of each schema, with all characters escaped', () => {
    assert.ok(routes.length > 50, String(routes.length));
    const tooLow = routes
      .filter(({ name }) => !FOR_USUAL_ITEMS.test(name))
      .map(({ name, limit, body }) => ({ name, limit, longest: mostBytes(body, '') }))
      .filter(({ limit, longest }) => longest > limit);
    assert.deepEqual(tooLow, []);
  });
});
