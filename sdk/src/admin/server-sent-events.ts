/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** An event that never ends must not fill the memory. */
const MOST_CHARACTERS = 1024 * 1024;

/** Reads server-sent events. `onBytes` is called when anything arrives, comments included. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let waiting = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      waiting += decoder.decode(value, { stream: true }).replaceAll('\r', '');
      if (waiting.length > MOST_CHARACTERS) throw new Error('An event of the stream is too long.');
      const blocks = waiting.split('\n\n');
      waiting = blocks.pop()!;
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function parse(block: string): ServerSentEvent | undefined {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
    if (name) fields.set(name, [...(fields.get(name) ?? []), value!]);
  }
  const data = fields.get('data');
  if (!data) return undefined;
  return {
    id: fields.get('id')?.at(-1),
    event: fields.get('event')?.at(-1) ?? 'message',
    data: data.join('\n'),
  };
}
