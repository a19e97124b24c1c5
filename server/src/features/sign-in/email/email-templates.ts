import { quoted, type EmailContent } from '../../messages/mail/index.ts';

export function oneTimeCodeEmail({ game, code }: { game: string; code: string }): EmailContent {
  return {
    subject: 'Your sign-in code',
    paragraphs: [
      `Enter this code to sign in to the game ${quoted(game)}:`,
      { code },
      'It works once, for 10 minutes. Do not share it: anyone who has the code can sign in as you.',
      'If you did not ask for a code, ignore this email. Nobody can sign in without the code.',
      `Guildhall sent this email because a person requested a code in the game ${quoted(game)}.`,
    ],
  };
}

/** A portal code gives access to the whole profile, so the email warns the player. */
export function portalCodeEmail(code: string): EmailContent {
  return {
    subject: 'Your sign-in code for the player portal',
    paragraphs: [
      'Enter this code to sign in to the player portal, or to confirm a change of your player profile:',
      { code },
      'It works once, for 10 minutes. Do not share it: anyone who has the code can change how you sign in, and can merge, export or ' +
        'delete your profile.',
      'This is not a sign-in code for a game. If a game asks for it and you only want to play, do not enter it.',
      'If you did not ask for a code, ignore this email. Nobody can sign in without the code.',
      'Guildhall sent this email because a person requested a code in the player portal.',
    ],
  };
}

export function resetPasswordEmail({ game, token }: { game: string; token: string }): EmailContent {
  return {
    subject: 'Set a new password',
    paragraphs: [
      `A person asked to set a new password for your account in the game ${quoted(game)}. If it was you, enter this token in the game:`,
      { code: token },
      'It works once, for one hour. Do not share it. A new password signs you out everywhere.',
      'If it was not you, ignore this email. Your password stays the same.',
      `Guildhall sent this email on behalf of the game ${quoted(game)}.`,
    ],
  };
}

export function verifyAddressEmail({ game, token }: { game: string; token: string }): EmailContent {
  return {
    subject: 'Confirm your email address',
    paragraphs: [
      `A person uses your email address in the game ${quoted(game)}. If it is you, enter this token in the game:`,
      { code: token },
      'It works once, for 24 hours.',
      'If it is not you, do not enter the token, and ignore this email. The address stays unverified. If you sign in with the address ' +
        'later, the password of that person stops working.',
      `Guildhall sent this email on behalf of the game ${quoted(game)}.`,
    ],
  };
}
