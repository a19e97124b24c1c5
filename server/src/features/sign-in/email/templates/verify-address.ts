import { quoted, type EmailContent } from '../../../messages/mail/index.ts';

export function verifyAddressEmail({ game, token }: { game: string; token: string }): EmailContent {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Somebody has signed up for the game ${quoted(game)} with your e-mail address. If it was you, confirm it by entering this in the game:`,
      { code: token },
      'It works once, for 24 hours.',
      'If it was not you, do not enter it anywhere, and ignore this mail. The address stays unconfirmed, and when you sign in ' +
        'with it yourself one day, the password of whoever this was stops working.',
      `Guildhall sent this mail on behalf of the game ${quoted(game)}.`,
    ],
  };
}
