/** A browser names those that it is compatible with too, so the order counts. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bVersion\/\S+ .*Safari\//],
];

const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

const find = (known: [name: string, pattern: RegExp][], agent: string): string | undefined =>
  known.find(([, pattern]) => pattern.test(agent))?.[0];

/** "Firefox on Windows" for the User-Agent header of a browser. The header of another program stays as it is. */
export function browserName(agent: string | null): string {
  if (agent === null) return 'Unknown';
  const browser = find(BROWSERS, agent);
  if (!browser) return agent;
  const system = find(SYSTEMS, agent);
  return system ? `${browser} on ${system}` : browser;
}
