const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The default body limit in bytes. A route can declare another one as its `bodyLimit`. The longest text of the other routes has 2,000
 * characters, of up to 12 bytes each (an escaped emoji).
 */
export const BODY_LIMIT = 32 * KIB;

/**
 * For routes that take a credential of a provider or a proof of identity: tokens and signatures of up to 16 KiB, or metadata of a
 * device and a client, 8 KiB each. The rest is for escapes and white space.
 */
export const CREDENTIAL_BODY_LIMIT = 64 * KIB;

/** For queries of events: four lists of 50 alternatives, of 32 characters with up to 12 bytes each (an escaped emoji). */
export const QUERY_BODY_LIMIT = 64 * KIB;

/** For routes with up to 1,000 players of a match: 500 bytes each, with escapes and white space. */
export const ROSTER_BODY_LIMIT = 512 * KIB;

/** For lists of up to 10,000 ids: 39 bytes each as JSON, and white space. */
export const ID_LIST_BODY_LIMIT = 512 * KIB;

/**
 * For forms: at most two files of 2 MiB and text fields. A larger form is read to its end, because an oversized file
 * returns 400.
 */
export const FORM_BODY_LIMIT = 4 * MIB + 16 * KIB;

/** For batches of up to 10,000 events: SDKs send 300 bytes per event, and up to 1.6 KiB fit. */
export const BATCH_BODY_LIMIT = 16 * MIB;

/** Writes a limit for people: 16 KiB, 16 MiB. */
export function sizeInWords(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes / KIB} KiB`;
}
