import { headersOf, type Caller } from './http-client.ts';

/** A stream of server-sent events, from the view of a client. */
export interface TestStream {
  status: number;
  headers: Headers;
  /** The events that have arrived so far. */
  events: { id?: string; event?: string; data: any }[]; // oxlint-disable-line typescript/no-explicit-any -- any shape
  comments: string[];
  /** Resolves when the server or the client ends the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Opens a stream and reads it until it ends. An error response has no events. */
export async function openTestStream(url: string, caller: Caller, lastEventId?: string): Promise<TestStream> {
  const aborter = new AbortController();
  const response = await fetch(url, {
    headers: {
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...headersOf(caller),
    },
    signal: aborter.signal,
  });
  const { status, headers } = response;
  const stream = { status, headers, events: [], comments: [], close: () => aborter.abort() };
  return { ...stream, ended: read(response, stream).catch(() => {}) };
}

async function read(response: Response, into: Pick<TestStream, 'events' | 'comments'>): Promise<void> {
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line) ?? []);
      const field = (name: string) => fields.find((parts) => parts[1] === name)?.[2];
      const [comment, data, id, event] = [field(''), field('data'), field('id'), field('event')];
      if (comment !== undefined) into.comments.push(comment);
      if (data !== undefined)
        into.events.push({ ...(id && { id }), ...(event && { event }), data: JSON.parse(data) });
    }
  }
}
