import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditActions } from '../../server/src/features/platform/audit/index.ts';
import { actionWords, describeAction } from '../src/pages/audit/action-words.ts';
import { summarise } from '../src/pages/audit/summarise.ts';

describe('the words of the audit log', () => {
  test('cover each action of the server, and no other', () => {
    assert.deepEqual(Object.keys(actionWords).toSorted(), [...auditActions].toSorted());
  });

  test('differ from action to action', () => {
    const words = Object.values(actionWords);
    assert.equal(new Set(words).size, words.length);
  });

  test('are made from the name of an action that the console does not know', () => {
    assert.equal(describeAction('sign_in_link.sent'), 'Sent sign in link');
    assert.equal(describeAction('imported'), 'Imported');
    assert.equal(describeAction('constructor'), 'Constructor');
  });
});

describe('the summary of a record', () => {
  const id = '01a21ebd-8ca3-7646-b08c-ef6fe2b3e6c8';

  test('shows what changed, with the value before', () => {
    const before = { name: 'Old', enabled: false, settings: {}, subscriberWorkspaceId: null };
    const after = { name: 'New', enabled: true, settings: { chainIds: [1, 10] }, subscriberWorkspaceId: id };
    assert.equal(
      summarise({ before, after }),
      'name: Old → New · enabled: no → yes · settings: – → chain ids: 1, 10 · subscriber workspace id: – → 01a21e…b3e6c8',
    );
  });

  test('shows the values of a new record, without missing ones', () => {
    const after = { name: 'Build 7', payloadBytesPerMinute: 5_000_000, rateLimit: null };
    assert.equal(summarise({ after }), 'name: Build 7 · payload bytes per minute: 5,000,000');
  });

  test('leaves the name of its target out, unless it changed', () => {
    const after = { name: 'Build 7', prefix: 'gh_api_1' };
    assert.equal(summarise({ after }, 'Build 7'), 'prefix: gh_api_1');
    assert.equal(
      summarise({ before: { name: 'Build 6' }, after }, 'Build 7'),
      'name: Build 6 → Build 7 · prefix: gh_api_1',
    );
    assert.equal(
      summarise({ after: { eventKey: 'hit', eventValue: 'bow', eventScope: 'match' } }, 'hit · bow'),
      'event scope: match',
    );
    assert.equal(
      summarise({ email: 'ben@harbor.example', role: 'admin' }, 'ben@harbor.example'),
      'role: admin',
    );
  });

  test('has no ids of other records, and ends after 160 characters', () => {
    assert.equal(
      summarise({ banId: id, reason: 'Cheating', searchFingerprint: 'ab'.repeat(32) }),
      'reason: Cheating',
    );
    assert.equal(summarise({ note: 'x'.repeat(500) }).length, 161);
  });
});
