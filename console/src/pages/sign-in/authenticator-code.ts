/** The 6-digit code that a text is, even with the space that authenticator apps show in it. */
export function toAuthenticatorCode(text: string): string | undefined {
  const code = text.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(code) ? code : undefined;
}
