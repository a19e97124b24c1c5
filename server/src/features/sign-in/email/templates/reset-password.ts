import { quoted, type EmailContent } from '../../../messages/mail/index.ts';

export function resetPasswordEmail({ game, token }: { game: string; token: string }): EmailContent {
  return {
    subject: 'Set a new password',
    paragraphs: [
      `Somebody asked to set a new password for your account in the game ${quoted(game)}. If it was you, enter this in the game:`,
      { code: token },
      'It works once, for one hour. Give it to nobody. A new password signs you out everywhere.',
      'If it was not you, you can ignore this mail: your password stays as it is.',
      `Guildhall sent this mail on behalf of the game ${quoted(game)}.`,
    ],
  };
}
