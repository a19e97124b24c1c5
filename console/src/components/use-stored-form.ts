import { useForm, type UseFormInput, type UseFormReturnType } from '@mantine/form';
import { useEffect, useEffectEvent, useState } from 'react';

/**
 * A form of stored values. If another person changes them, the fields that the reader has not changed show the new values. During a request
 * of the form they wait: the new values have the fields that the request has changed, which are saved only when it has its answer.
 */
export function useStoredForm<Values extends Record<string, unknown>>(
  stored: Values,
  isSaving: boolean,
  options: Omit<UseFormInput<Values>, 'initialValues'> = {},
): UseFormReturnType<Values> {
  const form = useForm<Values>({ ...options, initialValues: stored });
  const update = useEffectEvent(() => replaceUnchanged(form, form.getInitialValues(), stored));
  const newest = JSON.stringify(stored);
  const [version, setVersion] = useState(newest);
  if (version !== newest && !isSaving) setVersion(newest);
  useEffect(() => update(), [version]);
  return form;
}

/** Makes the values that a form has sent the saved ones. What was typed during the request stays a change. */
export const markSaved = <Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  sent: Values,
  saved = sent,
): void => replaceUnchanged(form, sent, saved);

/** Makes `stored` the saved values of a form, and shows them in the fields that still have their values of `before`. */
function replaceUnchanged<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  before: Values,
  stored: Values,
): void {
  const changed = Object.entries(form.getValues()).filter(([name, value]) => value !== before[name]);
  form.setInitialValues(stored);
  form.setValues({ ...stored, ...Object.fromEntries(changed) });
}
