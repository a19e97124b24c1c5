import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { newId } from '../src/core/ids.ts';

/**
 * Measures the limit of the machine for match events: COPY of prepared rows into the same table over two connections. Returns
 * rows per second. Deletes the rows afterwards.
 */
export async function rawCopyRate(
  databaseUrl: string,
  { rowsPerCopy = 10_000, copies = 20 } = {},
): Promise<number> {
  const tenants = [newId(), newId()];
  const clients = await Promise.all(
    tenants.map(async () => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      return client;
    }),
  );
  // Rendered before the measurement.
  const batches = tenants.map((tenantId) =>
    Array.from({ length: copies }, (_, copy) => render(tenantId, copy, rowsPerCopy)),
  );
  const started = performance.now();
  await Promise.all(
    clients.map(async (client, index) => {
      for (const batch of batches[index]!) {
        const stream = client.query(copyFrom('COPY match_events FROM STDIN'));
        stream.end(batch);
        await once(stream, 'finish');
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await clients[0]!.query('DELETE FROM match_events WHERE tenant_id = ANY($1)', [tenants]);
  await clients[0]!.query('VACUUM match_events');
  await Promise.all(clients.map((client) => client.end()));
  return (rowsPerCopy * copies * tenants.length) / seconds;
}

function render(tenantId: string, copy: number, rows: number): Buffer {
  const [player, match, definition] = [newId(), newId(), newId()];
  const base = Date.now();
  let text = '';
  for (let index = 0; index < rows; index++) {
    const at = new Date(base + copy * rows + index).toISOString();
    text += `${at}\t${at}\t${index}\t${tenantId}\t${newId()}\t${player}\t${match}\t\\N\t${definition}\tb${copy}-${index}\t\\\\x${'5a'.repeat(32)}\n`;
  }
  return Buffer.from(text);
}
