const KIB = 1024;

/** The limit of a body in bytes, unless its route declares one of the others as its `bodyLimit`. */
export const BODY_LIMIT = 16 * KIB;

/**
 * For routes that take a credential of a provider: a token or signature of up to 16 KiB, and the metadata of a device and of a
 * client, 8 KiB each, for which a client may send escapes and white space.
 */
export const CREDENTIAL_BODY_LIMIT = 64 * KIB;

/** For routes that name up to 1,000 players of a match: up to 500 bytes each, with escapes and white space. */
export const ROSTER_BODY_LIMIT = 512 * KIB;

/** For forms: two files of 2 MiB and texts are kept at most. A longer form is read to its end, for its file is refused with 400. */
export const FORM_BODY_LIMIT = 4 * KIB * KIB + 16 * KIB;

/** For batches of up to 10,000 events: 300 bytes each as SDKs send them, and up to 1.6 KiB. */
export const BATCH_BODY_LIMIT = 16 * KIB * KIB;
