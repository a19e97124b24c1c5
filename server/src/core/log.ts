type Line = (fields: object, text: string) => void;

/** The levels of a log that a part writes to. It receives what an operator should know and no answer reports. */
export type Log<Level extends 'info' | 'warn' | 'error'> = Record<Level, Line>;
