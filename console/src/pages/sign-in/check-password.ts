/** The rule of the server for a new password. */
export function checkPassword(password: string): string | null {
  const length = [...password].length;
  return length >= 8 && length <= 128 ? null : 'Use 8 to 128 characters.';
}
