import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { Metadata, Nullable } from '../schemas.ts';
import { removeUndeclaredMembers } from './body-members.ts';

const cleaned = (schema: object, value: unknown): unknown => {
  removeUndeclaredMembers(schema, value);
  return value;
};

describe('removeUndeclaredMembers', () => {
  const Item = Type.Object({ id: Type.String() });

  test('removes unknown members at every level', () => {
    const schema = Type.Object({ one: Item, many: Type.Array(Item), none: Nullable(Item) });
    const item = () => ({ id: 'a', x: [{}, {}] });
    assert.deepEqual(cleaned(schema, { one: item(), many: [item(), item()], none: null, x: {} }), {
      one: { id: 'a' },
      many: [{ id: 'a' }, { id: 'a' }],
      none: null,
    });
  });

  test('removes members with the names of inherited ones', () => {
    const body = JSON.parse('{"id":"a","__proto__":{"x":1},"constructor":1,"toString":2}') as unknown;
    assert.deepEqual(Object.keys(cleaned(Item, body) as object), ['id']);
  });

  test('keeps the members of open objects', () => {
    const schema = Type.Object({
      metadata: Type.Optional(Metadata),
      open: Type.Object({ id: Type.String() }, { additionalProperties: true }),
      any: Type.Unknown(),
    });
    const body = () => ({ metadata: { a: { b: 1 } }, open: { id: 'a', x: 1 }, any: { y: { z: 1 } } });
    assert.deepEqual(cleaned(schema, body()), body());
  });

  test('keeps members that one of the alternatives declares', () => {
    const schema = {
      properties: { kind: { type: 'string' } },
      oneOf: [Item, Type.Object({ name: Item })],
    };
    const body = { kind: 'b', id: 'a', name: { id: 'a', x: 1 }, x: 1 };
    assert.deepEqual(cleaned(schema, body), { kind: 'b', id: 'a', name: { id: 'a' } });
  });
});
