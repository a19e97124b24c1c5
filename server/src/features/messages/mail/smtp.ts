import { createTransport } from 'nodemailer';

/** A mail as it goes to the mail server. `id` stays the same over attempts, so a doubled one can be told. */
export interface OutgoingMail {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Hands mails to the operator's mail server. */
export interface MailServer {
  /** Throws {@link MailRefusedError} where the server does not take it, and will not, or not now. */
  send(mail: OutgoingMail): Promise<void>;
}

export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
  /** Whether another attempt is in vain: the server refused this mail itself, with a 5xx. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** A mail server that does not answer is left after so long; all of an attempt together within 45 seconds. */
const ANSWER_WITHIN_MS = 15_000;
const SEND_WITHIN_MS = 45_000;

export interface MailServerOptions {
  smtpUrl: string;
  from: string;
  /** Undefined: TLS is required, unless the server is on this machine. */
  tls?: 'required' | 'opportunistic' | undefined;
}

/**
 * Opens the way to the server of an smtp:// or smtps:// address. Each mail takes a connection of its own. With TLS the
 * certificate must be valid for the host. If TLS is required, an smtp:// server that does not offer STARTTLS gets no mail.
 */
export function openMailServer({ smtpUrl, from, tls }: MailServerOptions): MailServer {
  const transport = createTransport(
    {
      url: smtpUrl,
      requireTLS: (tls ?? (isThisMachine(smtpUrl) ? 'opportunistic' : 'required')) === 'required',
      dnsTimeout: ANSWER_WITHIN_MS,
      connectionTimeout: ANSWER_WITHIN_MS,
      greetingTimeout: ANSWER_WITHIN_MS,
      socketTimeout: ANSWER_WITHIN_MS,
    },
    // Nothing in a mail is ever read from a file or an address.
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
          signal: AbortSignal.timeout(SEND_WITHIN_MS),
        });
      } catch (error) {
        throw refusal(error as Error & { code?: string; responseCode?: number; response?: string });
      }
    },
  };
}

function isThisMachine(smtpUrl: string): boolean {
  const { hostname } = new URL(smtpUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A 5xx about this mail is final. One about the connection or the login is the operator's to mend, and may pass. */
function refusal(
  error: Error & { code?: string; responseCode?: number; response?: string },
): MailRefusedError {
  const isAboutMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  const isFinal = isAboutMail && (error.responseCode ?? 0) >= 500;
  return new MailRefusedError(error.response ?? error.message, isFinal);
}
