import { issuerOf, type Config } from './config.ts';

/** Values of HOST that mean all addresses of the machine. */
const WILDCARDS = ['0.0.0.0', '::'];

/** A sentence for each setting that is valid, but probably wrong for the players of this server. */
export function settingWarnings(config: Config): string[] {
  const { host, port, trustProxy, publicUrl, smtpUrl, signup, isProduction } = config;
  const isReachedElsewhere = WILDCARDS.includes(host) || port === 0 || trustProxy !== false;
  const warnings: string[] = [];
  if (!publicUrl && (isReachedElsewhere || isProduction))
    warnings.push(
      `PUBLIC_URL is empty, so tokens, emails and addresses of avatars name ${issuerOf(config)}, which clients cannot reach. ` +
        'Set PUBLIC_URL to the address that clients use.',
    );
  if (!isProduction) return warnings;
  if (!smtpUrl)
    warnings.push(
      'SMTP_URL is empty, so emails stay in the outbox, and nobody receives them. Set SMTP_URL and MAIL_FROM.',
    );
  if (signup === 'open')
    warnings.push(
      'SIGNUP is open, so anybody can create an account and a workspace. If only your studio uses this server, set SIGNUP=closed.',
    );
  return warnings.map((warning) => `${warning} See "Check before the first player" in docs/deployment.md.`);
}
