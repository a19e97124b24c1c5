/** The platform enum (spec: platform enum values). `Unknown` is what a login without client info counts as. */
export const platforms = [
  'HandheldConsoleA',
  'HandheldConsoleALite',
  'HandheldConsoleAOLED',
  'ConsoleB4',
  'ConsoleB4Pro',
  'ConsoleB5',
  'ConsoleB5Pro',
  'ConsoleBVR',
  'ConsoleBVR2',
  'ConsoleCOne',
  'ConsoleCOneS',
  'ConsoleCOneX',
  'ConsoleCSeriesS',
  'ConsoleCSeriesX',
  'PC_Windows',
  'PC_Mac',
  'PC_Linux',
  'PC_HandheldPC',
  'Mobile_iOS',
  'Mobile_Android',
  'VRHeadsetD2',
  'VRHeadsetD3',
  'VRHeadsetDPro',
  'VRHeadsetE',
  'VRHeadsetF',
  'Cloud_ServiceA',
  'Cloud_ServiceB',
  'Cloud_ServiceC',
  'Other',
  'Unknown',
] as const;

export type Platform = (typeof platforms)[number];

/**
 * A platform as people read it: "PC Windows", "Console B5 Pro". A word begins at a capital after two small letters or a
 * digit ("iOS" stays whole), at the first letter of a word after a capital ("VR Headset"), and after a console's letter.
 */
export function platformDisplayName(platform: string): string {
  return platform
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z]{2}|\d|Console[A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
}
