import type { Role } from '../../../core/role.ts';
import { consoleLink, quoted, type EmailContent } from '../../messages/mail/index.ts';

interface InvitationWords {
  /** The email address of the inviter. It is used instead of the name, because a name can be any text. */
  inviter: string;
  workspace: string;
  server: string;
  role: Role;
  token: string;
}

/** The characters of usual addresses. An address can also begin like a web page: `www.evil.example/prize@example.com`. */
const USUAL_ADDRESS = /^[\w.+-]+@[\w.-]+$/;

export function invitationEmail({ workspace, server, role, token, ...words }: InvitationWords): EmailContent {
  const inviter = USUAL_ADDRESS.test(words.inviter) ? words.inviter : quoted(words.inviter);
  return {
    subject: 'You are invited to a workspace',
    paragraphs: [
      `${inviter} invites you to the workspace ${quoted(workspace)}, on the Guildhall server ${server}, as ${role}.`,
      'To accept, open this page:',
      { link: consoleLink(server, 'invitation', token) },
      'Or enter this token there:',
      { code: token },
      'It works once, for seven days, and only for an account with this email address. Do not share it.',
      'If you do not want to join, you can ignore this email.',
      `Guildhall at ${server} sent this email because ${inviter} asked for it. Guildhall has not checked who this person is.`,
    ],
  };
}
