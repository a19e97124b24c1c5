import type { UseFormReturnType } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { GuildhallError } from '../app/client';
import { formatNumber } from './format';

/** A form, and the request that its values become. */
export interface SentForm<Values, Input, Answer> {
  form: UseFormReturnType<Values>;
  mutation: UseMutationResult<Answer, Error, Input>;
  toInput: (values: Values) => Input;
  onDone: (answer: Answer, sent: Values) => void;
  /** The member of the request that has the fields, such as "settings.". Default: the request itself. */
  errorsBelow?: string;
}

/** The handler that sends a form if its values are valid. A refused field shows the message of the server. */
export function useSubmit<Values, Input, Answer>({
  form,
  mutation,
  toInput,
  onDone,
  errorsBelow,
}: SentForm<Values, Input, Answer>) {
  useFocusOnError(form, mutation.isError);
  return form.onSubmit((values) =>
    mutation.mutate(toInput(values), {
      onSuccess: (answer) => onDone(answer, values),
      onError: (error) => form.setErrors(fieldErrors(error, errorsBelow)),
    }),
  );
}

/**
 * Moves the focus to the first field that the server refuses, because screen readers read the message of the field that gets the focus.
 * In a dialog, the fields accept the focus only after the rendering that shows the error.
 */
function useFocusOnError<Values>(form: UseFormReturnType<Values>, isError: boolean): void {
  const focusFirst = useEffectEvent(() => {
    const [first] = Object.keys(form.errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  });
  useEffect(() => {
    if (isError) focusFirst();
  }, [isError]);
}

/** The error of the request, unless the fields of the form show all that the server refused. */
export function errorOfForm<Values, Input, Answer>({
  form,
  mutation: { error },
  errorsBelow: below = '',
}: SentForm<Values, Input, Answer>): Error | null {
  const paths = error instanceof GuildhallError ? error.errors.map(({ path }) => path ?? '') : [];
  // Some fields are on the page only for some values of others.
  const isShown = (path: string) =>
    path.startsWith(below) && form.getInputNode(path.slice(below.length)) !== null;
  return paths.length > 0 && paths.every(isShown) ? null : error;
}

/** Some members of a request. Objects in it have some of their members too. */
export type Changes<Value> = Value extends unknown[]
  ? Value
  : Value extends object
    ? { [Name in keyof Value]?: Changes<Value[Name]> }
    : Value;

/**
 * The members of a request that the reader has changed since the form was opened. The server keeps the others, which another person
 * may have changed in the meantime.
 */
export function changesOf<Values, Body extends object>(
  form: UseFormReturnType<Values>,
  toBody: (values: Values) => Body,
): Changes<Body> {
  return changesBetween(toBody(form.getInitialValues()), toBody(form.getValues())) as Changes<Body>;
}

function changesBetween(before: object, after: object): object {
  const old = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)))
      .map(([name, value]) => [
        name,
        isObject(value) && isObject(old.get(name)) ? changesBetween(old.get(name), value) : value,
      ]),
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The messages of the server for the fields of a form, by the path of the field below a member of the request. */
export function fieldErrors(error: unknown, below = ''): Record<string, string> {
  if (!(error instanceof GuildhallError)) return {};
  return Object.fromEntries(
    error.errors.flatMap(({ path, message }) =>
      path && path.startsWith(below) && message ? [[path.slice(below.length), toInstruction(message)]] : [],
    ),
  );
}

/** What to enter, for the messages of the server's schemas. Its other messages are written for people. */
function toInstruction(message: string): string {
  for (const [pattern, instruction] of INSTRUCTIONS)
    if (pattern.test(message))
      return message
        .replace(pattern, instruction)
        .replaceAll(/\d{4,}/g, (digits) => formatNumber(BigInt(digits)));
  return message;
}

const INSTRUCTIONS: [RegExp, string][] = [
  [/^(must not be empty|is missing)$/, 'Enter a value.'],
  [/^must be (an integer|a number)( or null)?$/, 'Enter a number.'],
  [/^must be at least (-?\d+)$/, 'Enter $1 or more.'],
  [/^must be at most (-?\d+)(, the limit of the plan)?$/, 'Enter $1 or less$2.'],
  [/^must have (at least|at most) (\d+) characters?$/, 'Enter $1 $2 characters.'],
  [/^must be an email address$/, 'Enter an email address.'],
  [/^must be an (http or https|https) address$/, 'Enter an $1 address.'],
  [/^must not contain credentials$/, 'Enter an address without a user name or password.'],
  [/^must not name a private address, /, 'Enter a public address. The server refuses private ones, '],
];
