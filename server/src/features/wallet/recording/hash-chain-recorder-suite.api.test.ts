import { startTestApp } from '../../../testing/test-app.ts';
import { WALLET_ENV } from '../../../testing/wallet-recording.ts';
import { walletRecordingSuite } from '../../../testing/wallet-recording-suite.ts';

const app = await startTestApp({ env: WALLET_ENV });
const second = await startTestApp({ env: WALLET_ENV, databaseUrl: app.databaseUrl });

await walletRecordingSuite(app, second);
