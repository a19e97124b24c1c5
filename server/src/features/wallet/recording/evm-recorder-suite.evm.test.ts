import { startTestChain } from '../../../testing/chain.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { WALLET_ENV } from '../../../testing/wallet-recording.ts';
import { walletRecordingSuite } from '../../../testing/wallet-recording-suite.ts';

const chain = await startTestChain();
const env = { ...WALLET_ENV, ...chain.env };
const app = await startTestApp({ env });
const second = await startTestApp({ env, databaseUrl: app.databaseUrl });
await startTestWorker(app, env);

await walletRecordingSuite(app, second);
