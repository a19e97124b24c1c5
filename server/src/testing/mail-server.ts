import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { callbackify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** A mail server of a test: it keeps what it takes, and refuses or keeps silent where told to. */
export interface TestMailServer {
  url: string;
  mails: (Email & { envelope: { from: string; to: string[] } })[];
  /** What it answers to a recipient or to a mail, by their command, in place of yes. */
  refusal: { to: 'RCPT' | 'DATA'; code: number; message: string } | undefined;
  /** How many mails it was offered. */
  offered: number;
  stop(): Promise<void>;
}

/** Starts a real SMTP server on the loopback, on a free port or on the given one, and stops it after the file's tests. */
export async function startTestMailServer(port = 0): Promise<TestMailServer> {
  const refuse = (command: 'RCPT' | 'DATA'): Error | undefined => {
    const { refusal } = state;
    if (refusal?.to !== command) return undefined;
    return Object.assign(new Error(refusal.message), { responseCode: refusal.code });
  };
  const receiveMail = callbackify(
    async (stream: Readable, { envelope }: SMTPServerSession): Promise<void> => {
      const content = await buffer(stream);
      const refused = refuse('DATA');
      if (refused) throw refused;
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      const to = envelope.rcptTo.map(({ address }) => address);
      state.mails.push({ ...(await PostalMime.parse(content)), envelope: { from, to } });
    },
  );
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(_address, _session, callback) {
      state.offered++;
      callback(refuse('RCPT'));
    },
    onData(stream, session, callback) {
      receiveMail(stream, session, callback);
    },
  });
  server.on('error', () => {});
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  let stopped: Promise<void> | undefined;
  const state: TestMailServer = {
    url: `smtp://127.0.0.1:${(listening.address() as { port: number }).port}`,
    mails: [],
    refusal: undefined,
    offered: 0,
    stop: () => (stopped ??= new Promise((resolve) => server.close(() => resolve()))),
  };
  after(() => state.stop());
  return state;
}
