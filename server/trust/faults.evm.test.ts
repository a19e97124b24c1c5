import { startTestChain } from '../src/testing/chain.ts';
import { eventually } from '../src/testing/eventually.ts';
import { startTestApp, startTestWorker } from '../src/testing/test-app.ts';
import { arrangeWalletPlayer, arrangeWalletTenant, WALLET_ENV } from '../src/testing/wallet-recording.ts';
import { checkFaults } from './faults/check-faults.ts';
import { proxyOf } from './faults/faulty-proxy.ts';

const chain = await startTestChain();
const proxy = await proxyOf(chain.node.url);
const env = { ...WALLET_ENV, ...chain.env, CHAIN_RPC_URL: proxy.url, LOG_LEVEL: 'silent' };
const app = await startTestApp({ env });
await startTestWorker(app, env);
const tenant = await arrangeWalletTenant(app);
const player = await arrangeWalletPlayer(app, tenant);
let score = 0;

checkFaults({
  name: 'the node of the chain',
  app,
  proxy,
  // Entries wait in the database.
  statuses: [],
  use: () => player.setScore({ newScore: ++score }),
  arrived: ({ body }) =>
    eventually(async () => {
      const entry = await app.http.get(`/api/BlockchainStorage/transactions/${body.transactionHash}`, tenant);
      return entry.body.chain?.state === 'confirmed';
    }),
});
