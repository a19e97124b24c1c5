import { quoted, type EmailContent } from '../../messages/mail/index.ts';

const CHANGES = {
  linked: [
    'A sign-in method was added to your player profile',
    'A sign-in method was added to your player profile.',
  ],
  unlinked: [
    'A sign-in method was removed from your player profile',
    'A sign-in method was removed from your player profile.',
  ],
  primary: [
    'The primary sign-in method of your player profile changed',
    'Another sign-in method is now the primary one of your player profile.',
  ],
  merged: [
    'A profile was merged into your player profile',
    'Another profile was merged into your player profile.',
  ],
  passwordReset: [
    'A new password was set for your player profile',
    'A new password was set for your player profile. All sessions were signed out.',
  ],
  deviceBlocked: [
    'A device of your player profile was blocked',
    'A device of your player profile was blocked. It is signed out of all games, and cannot sign in.',
  ],
  deviceUnblocked: [
    'A device of your player profile was unblocked',
    'A device of your player profile was unblocked. It can sign in to games again.',
  ],
  exported: ['Your player data was exported', 'All data about your player profile was exported.'],
  deleted: [
    'Your player profile was deleted',
    'Your player profile was deleted. It can no longer be used to sign in.',
  ],
} as const;

export type ProfileChange = keyof typeof CHANGES;

/** `game` is the name of the tenant whose token was used. It is undefined for the player portal and for the operator. */
export function profileChangedEmail({
  change,
  game,
  receiptId,
}: {
  change: ProfileChange;
  game: string | undefined;
  /** Set if the profile was deleted. */
  receiptId?: string | undefined;
}): EmailContent {
  const [subject, sentence] = CHANGES[change];
  return {
    subject,
    paragraphs: [
      game === undefined ? sentence : `${sentence} The request came from the game ${quoted(game)}.`,
      ...(receiptId ? [`The receipt of the deletion has the number ${receiptId}.`] : []),
      ...(change === 'deleted'
        ? ['If this was not you, contact the operator of this server.']
        : [
            'If this was not you, sign in to the player portal, check your sign-in methods, and contact the operator of this server.',
          ]),
      'Guildhall sent this email because this address belongs to the profile.',
    ],
  };
}
