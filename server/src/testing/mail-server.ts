import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { callbackify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** An SMTP server for tests. It stores mails, and can reject them. */
interface TestMailServer {
  url: string;
  mails: (Email & { envelope: { from: string; to: string[] } })[];
  /** The error for the command RCPT or DATA, instead of success. */
  refusal: { to: 'RCPT' | 'DATA'; code: number; message: string } | undefined;
  /** The number of RCPT commands. */
  offered: number;
  stop(): Promise<void>;
}

/** Starts an SMTP server on a free or given loopback port, and stops it after the tests of the file. */
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
