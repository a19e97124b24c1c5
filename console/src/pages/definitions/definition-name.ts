import type { Definition } from './queries';

/** The key of an event, with its value if it has one. */
export const definitionName = ({
  eventKey,
  eventValue,
}: Pick<Definition, 'eventKey' | 'eventValue'>): string =>
  eventValue === null ? eventKey : `${eventKey} · ${eventValue}`;
