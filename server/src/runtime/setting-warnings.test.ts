import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from './config.ts';
import { settingWarnings } from './setting-warnings.ts';

/** The settings that the warnings name, in order. */
const warned = (env: Record<string, string>) =>
  settingWarnings(readConfig(env)).map((warning) => warning.split(' ')[0]);

describe('settingWarnings', () => {
  test('name each setting without which a server in production does not serve its players', () => {
    const NODE_ENV = 'production';
    assert.deepEqual(warned({ NODE_ENV }), ['PUBLIC_URL', 'SMTP_URL', 'SIGNUP']);
    assert.deepEqual(warned({ NODE_ENV, PUBLIC_URL: 'https://guild.example' }), ['SMTP_URL', 'SIGNUP']);
    assert.deepEqual(warned({ NODE_ENV, SMTP_URL: 'smtp://mail' }), ['PUBLIC_URL', 'SIGNUP']);
    assert.deepEqual(warned({ NODE_ENV, SIGNUP: 'closed' }), ['PUBLIC_URL', 'SMTP_URL']);
    for (const warning of settingWarnings(readConfig({ NODE_ENV })))
      assert.match(
        warning,
        /\. .*[sS]et .+\. See "Check before the first player" in docs\/deployment\.md\.$/,
      );
  });

  test('outside production, name only an empty PUBLIC_URL of a server that is reached at another address', () => {
    assert.deepEqual(warned({}), []);
    for (const [name, value] of [
      ['HOST', '0.0.0.0'],
      ['HOST', '::'],
      ['PORT', '0'],
      ['TRUST_PROXY', '127.0.0.1'],
    ] as const)
      assert.deepEqual(warned({ [name]: value }), ['PUBLIC_URL'], name);
    assert.deepEqual(warned({ HOST: '0.0.0.0', PUBLIC_URL: 'https://guild.example' }), []);
  });
});
