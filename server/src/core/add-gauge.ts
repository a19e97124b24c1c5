import { Gauge, type LabelValues, type Registry } from 'prom-client';

/** The value of a gauge without labels, or a value for each combination of labels. Undefined if the gauge has no value now. */
type GaugeValues<Label extends string> = number | { labels: LabelValues<Label>; value: number }[] | undefined;

/** Registers a gauge whose values are read at each scrape. */
export function addGauge<Label extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: { name: string; help: string; labels?: Label[] },
  read: () => GaugeValues<Label> | Promise<GaugeValues<Label>>,
): void {
  registry.registerMetric(
    new Gauge<Label>({
      name,
      help,
      labelNames: labels,
      registers: [],
      async collect() {
        const values = await read();
        this.reset();
        if (typeof values === 'number') this.set(values);
        else if (values) for (const one of values) this.set(one.labels, one.value);
        // reset() has set a gauge without labels to 0.
        else if (labels.length === 0) this.remove();
      },
    }),
  );
}
