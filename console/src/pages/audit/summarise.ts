import { formatExactTime, formatNumber, shortenId } from '../../components/format.ts';

const LONGEST_SUMMARY = 160;
/** A GUID, or a hash in hexadecimal digits. */
const ID = /^[0-9a-f-]{32,}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

type Values = Record<string, unknown>;

const isId = (value: unknown): boolean => typeof value === 'string' && ID.test(value);
const isRecord = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** `payloadBytesPerMinute` in words. */
const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function show(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.map(show).join(', ') || '–';
  if (isRecord(value)) return namedValues(value).join(', ') || '–';
  if (typeof value !== 'string') return '–';
  if (TIME.test(value)) return formatExactTime(value);
  return isId(value) ? shortenId(value) : value;
}

/** What the target is called by. The target is beside the summary. */
const NAMES = new Set(['name', 'email', 'url', 'eventKey', 'eventValue']);

function withoutName(values: Values, target: string | undefined): Values {
  const names = new Set([target, ...(target?.split(' · ') ?? [])]);
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !(NAMES.has(name) && names.has(String(value)))),
  );
}

/** Ids of other records tell the reader of a table nothing. */
const namedValues = (values: Values): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === null || isId(value) ? [] : [`${inWords(name)}: ${show(value)}`],
  );

/** The values of a record that was created or deleted, or the ones that changed: "name: Old → New", or "name: New" without an old one. */
function changesOf(before: unknown, after: unknown, target: string | undefined): string[] {
  if (!isRecord(before) || !isRecord(after))
    return namedValues(withoutName(isRecord(after) ? after : isRecord(before) ? before : {}, target));
  return Object.entries(after).flatMap(([name, value]) => {
    if (!(name in before)) return namedValues({ [name]: value });
    const [old, next] = [show(before[name]), show(value)];
    return old === next ? [] : [`${inWords(name)}: ${old} → ${next}`];
  });
}

/** The details of a record on one line, without the name of its target. The row opens all of them as they are stored. */
export function summarise({ before, after, ...others }: Values, target?: string): string {
  const text = [...changesOf(before, after, target), ...namedValues(withoutName(others, target))].join(' · ');
  return text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY)}…` : text;
}
