import { quoted, type EmailContent } from '../../../messages/mail/index.ts';

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
    'Another sign-in method of your player profile is the primary one now.',
  ],
  merged: [
    'A profile was merged into your player profile',
    'Another profile was merged into your player profile.',
  ],
  exported: ['Your player data was exported', 'All data about your player profile was exported.'],
  deleted: [
    'Your player profile was deleted',
    'Your player profile was deleted. Nobody can sign in to it any more.',
  ],
} as const;

export type ProfileChange = keyof typeof CHANGES;

/** `game` is the tenant whose token was used; without it, it was the player portal or the operator. */
export function profileChangedLetter({
  change,
  game,
}: {
  change: ProfileChange;
  game: string | undefined;
}): EmailContent {
  const [subject, what] = CHANGES[change];
  return {
    subject,
    paragraphs: [
      game === undefined ? what : `${what} The request came from the game ${quoted(game)}.`,
      ...(change === 'deleted'
        ? ['If this was not you, tell the operator of this server.']
        : [
            'If this was not you, sign in to the player portal, check your sign-in methods, and tell the operator of this server.',
          ]),
      'Guildhall sent this mail because this address belongs to the profile.',
    ],
  };
}
