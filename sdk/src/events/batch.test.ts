import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GuildhallError } from '../core/errors.ts';
import type { Send } from '../core/http.ts';
import { sendBatch } from './batch.ts';

/** Answers like a server that refuses some events alone, and requests with some others as a whole. */
function arrange({ refused = [], toxic = [] }: { refused?: string[]; toxic?: string[] }) {
  const sizes: number[] = [];
  const send: Send = async (_method, _path, { body } = {}) => {
    const { events } = JSON.parse(body as string) as { events: { text: string }[] };
    sizes.push(events.length);
    const failing = events.find(({ text }) => toxic.includes(text));
    if (failing) throw new GuildhallError({ code: 'invalid_request', status: 400, detail: failing.text });
    const isRefused = ({ text }: { text: string }): boolean => refused.includes(text);
    return {
      records: events.filter((event) => !isRefused(event)),
      errors: events.flatMap((event, index) =>
        isRefused(event) ? [{ index, statusCode: 422, error: event.text }] : [],
      ),
      warnings: events.map(({ text }, index) => ({ index, message: text })),
      duplicateCount: 0,
    };
  };
  return { send, sizes };
}
const eventsOf = (texts: string[]) => texts.map((text) => JSON.stringify({ text }));

describe('sendBatch', () => {
  test('sends no request for no events', async () => {
    const { send, sizes } = arrange({});
    assert.equal((await sendBatch(send, 'player', [])).stored, 0);
    assert.deepEqual(sizes, []);
  });

  test('sends halves until it knows the event for which the server refuses the request, and names each event', async () => {
    const texts = ['a', 'b', 'c', 'toxic', 'e', 'f', 'bad'];
    const { send, sizes } = arrange({ toxic: ['toxic'], refused: ['bad'] });
    const { stored, refused, warnings } = await sendBatch(send, 'player', eventsOf(texts));
    assert.deepEqual(sizes, [7, 4, 2, 2, 1, 1, 3]);
    assert.equal(stored, 5);
    assert.deepEqual(refused, [
      { index: 3, refusal: { statusCode: 400, error: 'toxic' } },
      { index: 6, refusal: { statusCode: 422, error: 'bad' } },
    ]);
    for (const { index, message } of warnings) assert.equal(message, texts[index]);
    assert.equal(warnings.length, 6);
  });

  test('throws for an answer that is not about the events, so that they are sent again', async () => {
    for (const answer of [undefined, {}, { records: [{}] }, { records: [{}, {}], duplicateCount: 1 }])
      await assert.rejects(
        sendBatch(async () => answer, 'player', eventsOf(['a', 'b'])),
        { code: 'unexpected_answer' },
      );
  });
});
