import { describeFailure } from '../../../outbound/describe-failure.ts';
import type { RenderedEmail } from './email-content.ts';

/** A mail for the mail server. `id` is the same in each attempt, so that receivers can detect duplicates. */
interface OutgoingMail extends RenderedEmail {
  id: string;
  to: string;
}

/** The client of the operator's mail server. */
export interface MailServer {
  /** Throws {@link MailRefusedError} if the server does not accept the mail. */
  send(mail: OutgoingMail): Promise<void>;
}

export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
  /** Whether retries are useless, because the server rejected this mail with a 5xx reply. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** The time limit for each reply of the server. */
const REPLY_TIMEOUT_MS = 15_000;
/** The time limit for the whole attempt. */
export const SEND_TIMEOUT_MS = 45_000;

interface MailServerOptions {
  smtpUrl: string;
  from: string;
  /** Default: TLS is required, unless the server is on this machine. */
  tls?: 'required' | 'opportunistic' | undefined;
}

/**
 * Creates a client for an smtp:// or smtps:// URL. Each mail uses its own connection. With TLS, the certificate must be valid
 * for the host. If TLS is required, no mail is sent to an smtp:// server that does not offer STARTTLS.
 */
export async function openMailServer({ smtpUrl, from, tls }: MailServerOptions): Promise<MailServer> {
  // Most processes send no mail. To load the library takes 12 ms of processor time.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(
    {
      url: smtpUrl,
      requireTLS: (tls ?? (isThisMachine(smtpUrl) ? 'opportunistic' : 'required')) === 'required',
      dnsTimeout: REPLY_TIMEOUT_MS,
      connectionTimeout: REPLY_TIMEOUT_MS,
      greetingTimeout: REPLY_TIMEOUT_MS,
      socketTimeout: REPLY_TIMEOUT_MS,
    },
    // The content of a mail must not make the library read files or URLs.
    {
      from,
      disableFileAccess: true,
      disableUrlAccess: true,
      headers: { 'Auto-Submitted': 'auto-generated' },
    },
  );
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ id, to, ...content }) {
      try {
        await transport.sendMail({
          ...content,
          to: { name: '', address: to },
          messageId: `<${id}@${domain}>`,
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        });
      } catch (error) {
        throw toMailRefusedError(error as SmtpError);
      }
    },
  };
}

function isThisMachine(smtpUrl: string): boolean {
  const { hostname } = new URL(smtpUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** An error of the library. */
type SmtpError = Error & { code?: string; responseCode?: number; response?: string };

/** A 5xx reply about this mail is final. A 5xx reply about the connection or the login is not: the operator can fix the cause. */
function toMailRefusedError(error: SmtpError): MailRefusedError {
  const isAboutMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  const isFinal = isAboutMail && (error.responseCode ?? 0) >= 500;
  const reason = error.response ?? `The mail server cannot be used. ${describeFailure(error)}.`;
  return new MailRefusedError(reason, isFinal);
}
