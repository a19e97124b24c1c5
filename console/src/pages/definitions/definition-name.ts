/** The key of an event, with its value if it has one. */
export const definitionName = ({
  eventKey,
  eventValue,
}: {
  eventKey: string;
  eventValue: string | null;
}): string => (eventValue === null ? eventKey : `${eventKey} · ${eventValue}`);
