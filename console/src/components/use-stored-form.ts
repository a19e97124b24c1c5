import { useForm, type UseFormInput, type UseFormReturnType } from '@mantine/form';
import { useEffect, useEffectEvent } from 'react';

/** A form of stored values. If another person changes them, the fields that the reader has not changed show the new values. */
export function useStoredForm<Values extends Record<string, unknown>>(
  stored: Values,
  options: Omit<UseFormInput<Values>, 'initialValues'> = {},
): UseFormReturnType<Values> {
  const form = useForm<Values>({ ...options, initialValues: stored });
  const update = useEffectEvent(() => {
    const [before, values] = [form.getInitialValues(), form.getValues()];
    const changed = Object.entries(values).filter(([name, value]) => value !== before[name]);
    form.setInitialValues(stored);
    form.setValues({ ...stored, ...Object.fromEntries(changed) });
  });
  const version = JSON.stringify(stored);
  useEffect(() => update(), [version]);
  return form;
}
