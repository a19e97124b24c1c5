import type { Origin } from '../../../core/author.ts';
import { consoleLink, type EmailContent } from '../../messages/mail/index.ts';

// These emails contain no text that a stranger can choose. The operator sets `server`, and `ip` is an IP address.

export function verifyAccountEmail({ server, token }: { server: string; token: string }): EmailContent {
  return {
    subject: 'Verify your email address for Guildhall',
    paragraphs: [
      `Somebody created an account on the Guildhall server ${server} with your email address. If it was you, verify the ` +
        'address on this page:',
      { link: consoleLink(server, 'verify-email', token) },
      'Or enter this token there:',
      { code: token },
      'The token works once, for 24 hours.',
      'If it was not you, ignore this email. The address stays unverified. You can take over the account with a password reset.',
    ],
  };
}

export function resetAccountPasswordEmail({
  server,
  token,
}: {
  server: string;
  token: string;
}): EmailContent {
  return {
    subject: 'Reset your Guildhall password',
    paragraphs: [
      `Somebody asked to reset the password of your account on the Guildhall server ${server}. If it was you, set a new ` +
        'password on this page:',
      { link: consoleLink(server, 'reset-password', token) },
      'Or enter this token there:',
      { code: token },
      'The token works once, for one hour. Do not give it to anybody. A new password ends all sessions of the account.',
      'If it was not you, ignore this email. Your password stays the same.',
    ],
  };
}

const PASSWORD_CHANGED = [
  'Your Guildhall password was changed',
  'The password of your account was changed',
] as const;

/** The subject and the sentence of each change or use of a credential, by its audit action. */
const SECURITY_CHANGES = {
  'account.password_changed': PASSWORD_CHANGED,
  'account.password_reset': PASSWORD_CHANGED,
  'account.totp_enabled': [
    'Second factor added to your Guildhall account',
    'A second factor was added to your account',
  ],
  'account.totp_disabled': [
    'Second factor removed from your Guildhall account',
    'The second factor of your account was removed',
  ],
  'account.recovery_codes_renewed': [
    'New recovery codes for your Guildhall account',
    'New recovery codes were created for your account, and the old ones stopped working',
  ],
  'account.recovery_code_used': [
    'A recovery code of your Guildhall account was used',
    'Somebody signed in to your account with a recovery code',
  ],
} as const;

/** A change or use of a credential of an account. */
export interface SecurityChange {
  action: keyof typeof SECURITY_CHANGES;
  origin: Origin;
  /** A further sentence of the email. */
  more?: string;
}

export function securityChangedEmail({ action, origin, more }: SecurityChange, server: string): EmailContent {
  const { ip } = origin;
  const [subject, sentence] = SECURITY_CHANGES[action];
  return {
    subject,
    paragraphs: [
      `${sentence} on the Guildhall server ${server}${ip === null ? '' : `, from the address ${ip}`}.`,
      ...(more ? [more] : []),
      'If it was not you, reset your password now and end the sessions that you do not know. If you cannot sign in, ' +
        'contact the operator of this server.',
    ],
  };
}
