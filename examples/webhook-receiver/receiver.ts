import { createServer, type IncomingMessage } from 'node:http';
import { parseArgs } from 'node:util';
import { verifyWebhook, WebhookVerificationError } from '@guildhall/client/webhooks';

const USAGE = `Receives webhooks, verifies them, and prints each event once.

npm run webhook-receiver -- --secret whsec_… [options]

  --secret SECRET  the secret of the webhook (or GUILDHALL_WEBHOOK_SECRET)
  --port PORT      the port on 127.0.0.1 (default: 9090)
`;

/** The ids of the last deliveries. A real receiver stores the ids of two days in its database. */
const known = new Set<string>();
const MOST_KNOWN = 10_000;

/** Bodies of Guildhall are much smaller. Anybody can send requests to a receiver. */
const MOST_BYTES = 64 * 1024;

/** Returns the body, or undefined if it is too large. The signature is about these bytes, so nothing may parse them before. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) return undefined;
  }
  return Buffer.concat(chunks);
}

/** Answers a delivery: 204 if it is genuine, and 400 or 413 if not. Guildhall sends a delivery again if the answer is not 2xx. */
async function receive(request: IncomingMessage, secret: string): Promise<number> {
  const body = await readBody(request);
  if (!body) return 413;
  try {
    const event = await verifyWebhook({ body, headers: request.headers }, secret);
    if (known.has(event.id)) return 204;
    known.add(event.id);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
    console.log(event.timestamp, event.type, JSON.stringify(event.data));
    return 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`A request was refused: ${error.message}`);
    return 400;
  }
}

function serve(): void {
  const { values } = parseArgs({
    options: {
      secret: { type: 'string', default: process.env['GUILDHALL_WEBHOOK_SECRET'] ?? '' },
      port: { type: 'string', default: '9090' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(USAGE);
  if (!/^whsec_[\w+/=]+$/.test(values.secret))
    throw new Error('Set the secret of the webhook (whsec_) with --secret or GUILDHALL_WEBHOOK_SECRET.');
  const server = createServer((request, response) => {
    receive(request, values.secret).then(
      (status) => response.writeHead(status, { connection: 'close' }).end(),
      (error: Error) => {
        console.error(error.message);
        response.writeHead(500).end();
      },
    );
  });
  server.on('error', (error) => {
    console.error(`${error.message}. Set another port with --port.`);
    process.exitCode = 1;
  });
  server.listen(Number(values.port), '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    console.log(`Waiting for webhooks at http://127.0.0.1:${port}`);
  });
}

try {
  serve();
} catch (error) {
  // A missing secret, an unknown option, or a port that is no number.
  console.error((error as Error).message);
  process.exitCode = 2;
}
