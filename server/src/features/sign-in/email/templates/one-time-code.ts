import { quoted, type EmailContent } from '../../../messages/mail/index.ts';

/** For a sign-in to a game. */
export function oneTimeCodeEmail({ game, code }: { game: string; code: string }): EmailContent {
  return {
    subject: 'Your sign-in code',
    paragraphs: [
      `Enter this code to sign in to the game ${quoted(game)}:`,
      { code },
      'It works once, for 10 minutes. Give it to nobody: whoever has it can sign in as you.',
      'If you did not ask for a code, you can ignore this mail. Nobody can sign in without it.',
      `Guildhall sent this mail because somebody asked the game ${quoted(game)} for a code.`,
    ],
  };
}

/** For the player portal, and for a proof of identity: it opens everything, so the mail says so. */
export function portalCodeLetter(code: string): EmailContent {
  return {
    subject: 'Your sign-in code for the player portal',
    paragraphs: [
      'Enter this code to sign in to the player portal, or to confirm a change of your player profile:',
      { code },
      'It works once, for 10 minutes. Whoever has it can change how you sign in, and merge, export or delete your profile.',
      'It is no sign-in code of a game. If a game asks for it and you only want to play, do not enter it.',
      'If you did not ask for a code, you can ignore this mail. Nobody can sign in without it.',
      'Guildhall sent this mail because somebody asked the player portal for a code.',
    ],
  };
}
