import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useEffectEvent } from 'react';
import { addForm, takeDraft } from '../app/drafts';

/**
 * Keeps the changed fields of a form if the session ends, and fills them in when the same account opens the form again. Secrets are not
 * kept. The name tells the forms of a page apart.
 */
export function useDraft<Values>(
  form: UseFormReturnType<Values>,
  name: string,
  secrets: readonly string[] = [],
): void {
  const key = `${location.pathname} ${name}`;
  const readChanges = useEffectEvent(() => {
    const before = new Map(Object.entries(form.getInitialValues() as object));
    const changes = Object.entries(form.getValues() as object).filter(
      ([field, value]) =>
        !secrets.includes(field) && JSON.stringify(value) !== JSON.stringify(before.get(field)),
    );
    return changes.length === 0 ? undefined : Object.fromEntries(changes);
  });
  const fillIn = useEffectEvent(() => {
    const draft = takeDraft(key);
    if (draft) form.setValues(draft);
  });
  useEffect(() => {
    fillIn();
    return addForm(key, () => readChanges());
  }, [key]);
}
