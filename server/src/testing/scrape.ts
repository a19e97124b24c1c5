import assert from 'node:assert/strict';
import type { HttpClient } from './http-client.ts';

/** A series of a scrape. */
export interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads `/metrics`, and returns its series. */
export async function scrape(http: HttpClient): Promise<Series[]> {
  const { status, text } = await http.get('/metrics');
  assert.equal(status, 200, text);
  return parseMetrics(text);
}

/** Parses the text format of Prometheus. Throws at a line that it does not understand. */
export function parseMetrics(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const found = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/i.exec(line);
      assert.ok(found, line);
      const [, name = '', labels = '', value = ''] = found;
      return {
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]),
        ),
        value: Number(value.replace('Nan', 'NaN')),
      };
    });
}

/** The sum of the series with a name and these labels. */
export function sumOf(series: Series[], name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels);
  return series
    .filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
