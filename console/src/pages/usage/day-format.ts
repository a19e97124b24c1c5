import { LOCALE } from '../../components/format';

/** A day of a billed period, which is a month of UTC: "December 1". */
export const dayFormat = new Intl.DateTimeFormat(LOCALE, { month: 'long', day: 'numeric', timeZone: 'UTC' });
