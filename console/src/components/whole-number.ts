/** Digits, or groups of three of them with the same point, comma or space before each. */
const WHOLE_NUMBER = /^(\d+|\d{1,3}([.,\s])\d{3}(\2\d{3})*)$/;

/** The number of a text, so 60000 for "60.000". Another text stays, so that the form says what is wrong with it. */
export function parseWholeNumber(text: string): number | string {
  const typed = text.trim();
  return WHOLE_NUMBER.test(typed) ? Number(typed.replaceAll(/\D/g, '')) : typed;
}

/** The number after an edit. A digit that is added to 60,000 or removed from it makes its groups wrong, which is no mistake. */
export function editWholeNumber(value: number | string, before: string, text: string): number | string {
  const isEditOfGroups =
    typeof value === 'number' &&
    before.includes(',') &&
    Math.abs(text.length - before.length) === 1 &&
    /^\d[\d,]*$/.test(text);
  return parseWholeNumber(isEditOfGroups ? text.replaceAll(',', '') : text);
}

/** What is wrong with the value of a field that may be empty. */
export const checkWholeNumber = (value: number | string): string | null =>
  value === '' || Number.isInteger(value) ? null : 'Enter a whole number.';
