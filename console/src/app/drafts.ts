/** The changes in a form that nobody has saved, or undefined. */
type ReadChanges = () => object | undefined;

const openForms = new Map<string, ReadChanges>();

/**
 * What was typed when the session ended. It is in the memory of the tab only, until the same account opens the form again or another
 * account signs in.
 */
let kept: { accountId: string; drafts: Map<string, object> } | undefined;

/** Adds a form whose changes are kept if the session ends. Returns what removes it. */
export function addForm(key: string, readChanges: ReadChanges): () => void {
  openForms.set(key, readChanges);
  return () => {
    if (openForms.get(key) === readChanges) openForms.delete(key);
  };
}

/** Keeps the changes of all open forms of the account. */
export function keepDrafts(accountId: string): void {
  const drafts = new Map<string, object>();
  for (const [key, readChanges] of openForms) {
    const changes = readChanges();
    if (changes) drafts.set(key, changes);
  }
  if (drafts.size > 0) kept = { accountId, drafts };
}

export const hasDrafts = (): boolean => kept !== undefined;

/** Returns what is kept for a form, once. */
export function takeDraft(key: string): object | undefined {
  const draft = kept?.drafts.get(key);
  kept?.drafts.delete(key);
  if (kept?.drafts.size === 0) kept = undefined;
  return draft;
}

/** Forgets what other accounts have typed. */
export function dropDraftsOfOthers(accountId: string): void {
  if (kept?.accountId !== accountId) kept = undefined;
}
