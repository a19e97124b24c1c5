import { access } from 'node:fs/promises';

/** Whether a path exists and this process can reach it. */
export async function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
