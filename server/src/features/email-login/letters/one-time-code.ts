import type { Letter } from '../../mail/index.ts';

/** `place` is the game, or the player portal. */
export function oneTimeCodeLetter({ place, code }: { place: string; code: string }): Letter {
  return {
    subject: `Your sign-in code for ${place}`,
    paragraphs: [
      `Enter this code to sign in to ${place}:`,
      { code },
      'It works once, for 10 minutes. Give it to nobody: whoever has it can sign in as you.',
      'If you did not ask for a code, you can ignore this mail. Nobody can sign in without it.',
    ],
  };
}
