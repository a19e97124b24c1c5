import { gameplay } from './gameplay/index.ts';
import { messages } from './messages/index.ts';
import { platform } from './platform/index.ts';
import { players } from './players/index.ts';
import { signIn } from './sign-in/index.ts';
import { studio } from './studio/index.ts';
import { traffic } from './traffic/index.ts';
import { wallet } from './wallet/index.ts';

/** Everything that Guildhall does, in the order of the API reference. */
export const featureGroups = [platform, signIn, players, gameplay, wallet, studio, traffic, messages];
