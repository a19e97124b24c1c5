import { createHash } from 'node:crypto';
import { createRandom, type Random } from './random.ts';

/** The providers that need no settings and send no mail. */
export type SimulatedProvider = 'Mock' | 'EvmWallet';

/** The properties of a player that are equal in all runs with one seed. */
export interface PlayerTraits {
  username: string;
  displayName: string;
  provider: SimulatedProvider;
  /** The password of Mock, or the private key of the wallet. */
  secret: string;
  /** The body members that describe the device and the game client. */
  origin: { deviceInfo: object; clientInfo: object };
}

const FIRST =
  'Amber Bold Calm Clever Cosmic Dusty Early Fierce Frosty Gentle Golden Hidden Icy Jolly Lucky Misty'.split(
    ' ',
  );
const SECOND =
  'Badger Comet Crane Falcon Fox Gecko Heron Ibex Lynx Magpie Otter Panda Puma Raven Viper Wolf'.split(' ');

const WALLET_SHARE = 0.2;

/** Platforms in the proportions of a game that runs everywhere, each with models and systems. */
const DEVICES = [
  ...repeat(5, {
    platform: 'PC_Windows',
    models: ['Tower 5', 'Laptop 14'],
    systems: ['Windows 11', 'Windows 10'],
  }),
  ...repeat(4, {
    platform: 'Mobile_Android',
    models: ['Phone A5', 'Phone M7', 'Tablet 10'],
    systems: ['Android 15', 'Android 16'],
  }),
  ...repeat(3, { platform: 'Mobile_iOS', models: ['Phone 15', 'Phone 16'], systems: ['iOS 18', 'iOS 26'] }),
  ...repeat(2, { platform: 'ConsoleB5', models: ['B5', 'B5 Slim'], systems: ['25.01', '25.02'] }),
  ...repeat(2, { platform: 'HandheldConsoleAOLED', models: ['OLED'], systems: ['20.1'] }),
  ...repeat(1, { platform: 'ConsoleCSeriesX', models: ['Series X'], systems: ['10.0'] }),
  ...repeat(1, { platform: 'PC_Mac', models: ['Laptop 13', 'Desktop mini'], systems: ['macOS 26'] }),
  ...repeat(1, { platform: 'PC_Linux', models: ['Tower 5'], systems: ['Debian 13', 'Arch'] }),
  ...repeat(1, { platform: 'VRHeadsetD3', models: ['D3'], systems: ['72'] }),
];

const VERSIONS = ['1.4.0', '1.4.1', '1.5.0', '1.5.0', '1.5.0'];

/** Creates the players of a seed. A larger count keeps the first players as they are. */
export function createPlayers(seed: string, count: number): PlayerTraits[] {
  return Array.from({ length: count }, (_, index) => createPlayer(seed, index));
}

/** Creates one player of a seed. */
export function createPlayer(seed: string, index: number): PlayerTraits {
  const identity = `guildhall simulation ${seed} ${index}`;
  const random = createRandom(identity);
  const [first, second] = [random.pick(FIRST), random.pick(SECOND)];
  const provider = random.chance(WALLET_SHARE) ? 'EvmWallet' : 'Mock';
  return {
    username: `${first}-${second}-${seed}-${index}`.toLowerCase(),
    displayName: `${first} ${second} ${index}`,
    provider,
    secret: digest(`${identity} secret`),
    origin: describeOrigin(identity, random),
  };
}

function describeOrigin(identity: string, random: Random): PlayerTraits['origin'] {
  const { platform, models, systems } = random.pick(DEVICES);
  return {
    deviceInfo: {
      deviceFingerprint: digest(`${identity} device`),
      hardwareModel: random.pick(models),
      osVersion: random.pick(systems),
    },
    clientInfo: { platform, clientVersion: random.pick(VERSIONS) },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function repeat<Item>(times: number, item: Item): Item[] {
  return Array.from({ length: times }, () => item);
}
