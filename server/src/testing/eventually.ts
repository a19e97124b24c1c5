/** Waits until something holds that others bring about, looking every few milliseconds. Throws where it does not within `ms`. */
export async function eventually(holds: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It did not come to hold within ${ms} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
